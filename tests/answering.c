// answering: see answering.h.
#include "answering.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Lecture lecture;
OpenLecture open;
Session session;
Error err;

void open_text(const char *file, const char *text, const char *kept)
{
    err = (Error){.text = ""};
    ck_assert_msg(lecture_read_text(&lecture, "t", file, text, strlen(text), &err), "%s", err.text);
    ck_assert_msg(open_lecture_start(&open, &session, &lecture, 0, kept, &err), "%s", err.text);
}

void close_lecture(void)
{
    session_close(&session);
    open_lecture_close(&open);
    lecture_finish(&lecture);
}

bool says(const char *words)
{
    Command command;
    err = (Error){.text = ""};
    ck_assert_msg(command_parse(words, &command, &err), "%s", err.text);
    return session_apply(&session, &command, &err);
}

void go(const char *page)
{
    char words[64];
    snprintf(words, sizeof words, "page %s", page);
    ck_assert_msg(says(words), "%s", err.text);
}

const char *said(void)
{
    static char line[1024];
    size_t used = 0;
    line[0] = '\0';
    for (const LectureSpan *span = open.said ? open.said->spans : NULL; span; span = span->next)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s", span->text);
    return line;
}

PageMark mark_of(const char *page)
{
    return open.marks[lecture_find(&lecture, page)];
}
