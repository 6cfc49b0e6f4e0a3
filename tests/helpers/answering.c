// answering: see answering.h.
#include "answering.h"

#include "suite.h"
#include <stdio.h>
#include <string.h>

Lecture lecture;
OpenLecture opened;
Session session;
Error failure;

void open_text(const char *file, const char *text, const char *kept)
{
    failure = (Error){.text = ""};
    ck_assert_msg(lecture_read_text(&lecture, "t", file, text, strlen(text), &failure), "%s",
                  failure.text);
    ck_assert_msg(open_lecture_start(&opened, &session, &lecture, 0, kept, &failure), "%s",
                  failure.text);
}

void close_lecture(void)
{
    session_close(&session);
    open_lecture_close(&opened);
    lecture_finish(&lecture);
}

bool accepted(const char *words)
{
    Command command;
    failure = (Error){.text = ""};
    ck_assert_msg(command_parse(words, &command, &failure), "%s", failure.text);
    return session_apply(&session, &command, &failure);
}

void go(const char *page)
{
    char words[64];
    snprintf(words, sizeof words, "page %s", page);
    ck_assert_msg(accepted(words), "%s", failure.text);
}

const char *said(void)
{
    static char line[1024];
    size_t used = 0;
    line[0] = '\0';
    for (const LectureSpan *span = opened.said ? opened.said->spans : NULL; span; span = span->next)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s", span->text);
    return line;
}

PageMark mark_of(const char *page)
{
    return opened.marks[lecture_find(&lecture, page)];
}
