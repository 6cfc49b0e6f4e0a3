// session_find: the next page of a lecture that has certain words in its title, text or question.
#include "session_actions.h"

#include <errno.h>
#include <stdio.h>
#include "open_lecture.h"
#include "open_lecture_words.h"
#include "utf8.h"
#include "session_words.h"

enum { PARAGRAPH_BYTES_MAX = 1 << 13 };

// Emphasis ends no word: the spans of a paragraph are read as one text.
static bool spans_have(const LectureSpan *spans, const char *words)
{
    char text[PARAGRAPH_BYTES_MAX] = "";
    size_t used = 0;
    for (; spans && used < sizeof text; spans = spans->next)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", spans->text);
    return utf8_contains(text, words);
}

static bool page_has(const LecturePage *page, const char *words)
{
    bool found = utf8_contains(page->title, words) || spans_have(page->question.ask, words);
    for (const LectureBlock *block = page->blocks; block && !found; block = block->next)
        found = spans_have(block->spans, words);
    for (int i = 0; i < page->question.choice_count && !found; i++)
        found = page->question.lines[i] && utf8_contains(page->question.lines[i], words);
    return found;
}

// Whether the page has the words. False with a sentence: this machine could not look.
static bool look(const LecturePage *page, const char *words, bool *has, Error *err)
{
    errno = 0;
    *has = page_has(page, words);
    return errno != ENOMEM || error_machine(err, TELL(FIND_NO_MEMORY));
}

bool session_find(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
    if (!open)
        return error_set(err, TELL(NO_LECTURE));
    const Lecture *lecture = open->lecture;
    bool has = false;
    for (int away = 1; away < lecture->page_count; away++) {
        int page = (open->page + away) % lecture->page_count;
        if (!look(&lecture->pages[page], command->name, &has, err))
            return false;
        if (has)
            return open_lecture_show(session, page, err);
    }
    if (!look(open_lecture_page(open), command->name, &has, err))
        return false;
    OpenLectureWord said = has ? WORD_FOUND_HERE : WORD_FOUND_NOWHERE;
    return error_set(err, "%s\"%s\"", open_lecture_word(lecture->language, said), command->name);
}
