// session_page: turning the pages of a lecture, its list of pages, and moving its text.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "guide.h"
#include "nearest.h"
#include "session_actions.h"

static bool find_page(const Guide *guide, const char *name, int *page, Error *err)
{
    const Lecture *lecture = guide->lecture;
    const char *known[LECTURE_PAGES_MAX + 1] = {NULL};
    char *end;
    long number = strtol(name, &end, 10);
    *page = lecture_find(lecture, name);
    if (*page < 0 && *end == '\0' && number >= 1 && number <= lecture->page_count)
        *page = (int)number - 1;
    for (int i = 0; i < lecture->page_count; i++)
        known[i] = lecture->pages[i].name;
    const char *near = nearest_word(name, known);
    return *page >= 0 || error_set(err,
                                   "there is no page \"%s\"; pages are 1 to %d and names "
                                   "such as \"%s\"",
                                   name, lecture->page_count, near ? near : known[0]);
}

bool session_page(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    if (!guide)
        return error_set(err, "no lecture is open; attnscope walk opens one");
    int page = guide->page, last = guide->lecture->page_count - 1;
    if (command->kind == COMMAND_PAGE && !find_page(guide, command->name, &page, err))
        return false;
    if (command->kind == COMMAND_PAGE_NEXT && page++ == last)
        return error_set(err, "this is the last page; q leaves");
    if (command->kind == COMMAND_PAGE_PREVIOUS && page-- == 0)
        return error_set(err, "this is the first page");
    return guide_show(session, page, err);
}

bool session_page_text(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    if (!guide)
        return error_set(err, "no lecture is open; attnscope walk opens one");
    if (command->kind == COMMAND_TEXT_ROOM) {
        guide->text_lines = command->number < INT_MAX ? (int)command->number : INT_MAX;
    } else {
        ptrdiff_t by = command->number > guide->text_lines ? guide->text_lines : command->number;
        guide->text_line += (int)(command->kind == COMMAND_TEXT_DOWN ? by : -by);
    }
    if (guide->text_line > guide->text_lines)
        guide->text_line = guide->text_lines;
    if (guide->text_line < 0)
        guide->text_line = 0;
    return true;
}

// --- the list of pages

bool guide_takes(const Guide *guide, CommandKind kind)
{
    return guide->contents && (kind == COMMAND_UP || kind == COMMAND_DOWN ||
                               kind == COMMAND_ENTER || kind == COMMAND_BACK);
}

bool session_contents(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    if (!guide)
        return error_set(err, "no lecture is open; attnscope walk opens one");
    int last = guide->lecture->page_count - 1;
    switch (command->kind) {
    case COMMAND_DOWN:
        guide->chosen += guide->chosen < last;
        break;
    case COMMAND_UP:
        guide->chosen -= guide->chosen > 0;
        break;
    case COMMAND_ENTER:
        return guide_show(session, guide->chosen, err);
    default:
        guide->contents = command->kind == COMMAND_CONTENTS && !guide->contents;
        guide->chosen = guide->page;
        session->help = false;
    }
    return true;
}

void guide_note_straying(Guide *guide, CommandKind kind)
{
    static const CommandKind own[] = {
        COMMAND_PAGE_NEXT,     COMMAND_PAGE_PREVIOUS, COMMAND_PAGE,    COMMAND_RETURN,
        COMMAND_CONTENTS,      COMMAND_TEXT_DOWN,     COMMAND_TEXT_UP, COMMAND_TEXT_ROOM,
        COMMAND_ANSWER,        COMMAND_REVEAL,        COMMAND_ROOM,    COMMAND_HELP,
        COMMAND_BACK,          COMMAND_REDRAW,        COMMAND_QUIT,    COMMAND_PROMPT,
        COMMAND_PROMPT_SEARCH, COMMAND_PROMPT_ANSWER, COMMAND_TYPE,    COMMAND_REMEMBER};
    bool strays = !guide->setting;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        strays = strays && kind != own[i];
    guide->strayed = guide->strayed || strays;
}
