// session_page: turning the pages of a lecture, its list of pages, and moving its text.
#include <stdlib.h>
#include <string.h>
#include "guide.h"
#include "guide_words.h"
#include "nearest.h"
#include "session_actions.h"
#include "session_words.h"

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
    return *page >= 0 ||
           error_set(err, TELL(PAGE_UNKNOWN), name, lecture->page_count, near ? near : known[0]);
}

static bool no_lecture(Error *err)
{
    return error_set(err, TELL(NO_LECTURE));
}

static const char *word(const Guide *guide, GuideWord which)
{
    return guide_word(guide->lecture->language, which);
}

static bool turn(Session *session, int page, Error *err)
{
    Guide *guide = session->guide;
    if (page < 0 || page >= guide->lecture->page_count)
        return error_set(err, "%s", word(guide, page < 0 ? WORD_FIRST_PAGE : WORD_LAST_PAGE));
    return guide_show(session, page, err);
}

bool session_page(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    if (!guide)
        return no_lecture(err);
    int page = guide->page;
    if (command->kind == COMMAND_RETURN)
        return guide_set_scene(session, err);
    if (command->kind == COMMAND_PAGE && !find_page(guide, command->name, &page, err))
        return false;
    page += command->kind == COMMAND_PAGE_NEXT;
    page -= command->kind == COMMAND_PAGE_PREVIOUS;
    return turn(session, page, err);
}

// --- the text

// The end of the text is where the screen has it.
static void move_text(Session *session, ptrdiff_t by)
{
    Guide *guide = session->guide;
    ptrdiff_t most = session->room.text_over;
    ptrdiff_t line = guide->text_line < most ? guide->text_line : most;
    by = by > most ? most : by < -most ? -most : by;
    line = line + by > most ? most : line + by;
    guide->text_line = line < 0 ? 0 : line;
}

// As much as is visible, but for a line.
static ptrdiff_t text_page(const Session *session)
{
    return session->room.text_rows > 2 ? session->room.text_rows - 1 : 1;
}

bool session_page_text(Session *session, const Command *command, Error *err)
{
    if (!session->guide)
        return no_lecture(err);
    bool down = command->kind == COMMAND_TEXT_DOWN;
    move_text(session, down ? command->number : -command->number);
    return true;
}

// One key leads through a whole lecture: what is left of the text, for a presenter the answer, then
// the next page.
static bool go_on(Session *session, Error *err)
{
    Guide *guide = session->guide;
    Command reveal = {.kind = COMMAND_REVEAL};
    if (guide->contents)
        return guide_show(session, guide->chosen, err);
    if (guide->presents && guide->ask && !guide->shown)
        return session_answer(session, &reveal, err);
    if (guide->text_line >= session->room.text_over || guide->presents)
        return turn(session, guide->page + 1, err);
    move_text(session, text_page(session));
    return true;
}

bool session_go_on(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    bool forward = command->kind == COMMAND_GO_ON;
    if (!guide) {
        Command step = {.kind = forward ? COMMAND_NEXT : COMMAND_PREVIOUS, .number = 1};
        return session_step(session, &step, err);
    }
    if (forward)
        return go_on(session, err);
    if (guide->text_line == 0 || guide->presents)
        return turn(session, guide->page - 1, err);
    move_text(session, -text_page(session));
    return true;
}

bool session_notes(Session *session, const Command *command, Error *err)
{
    (void)command;
    Guide *guide = session->guide;
    if (!guide)
        return no_lecture(err);
    guide->shows_notes = !guide->shows_notes;
    if (guide->shows_notes && !guide->notes)
        session_say(session, "%s", word(guide, WORD_NO_NOTES));
    return true;
}

bool session_poll(Session *session, const Command *command, Error *err)
{
    (void)command;
    char text[GUIDE_CHOICE_MAX];
    Guide *guide = session->guide;
    if (!guide_asks(guide, err))
        return false;
    if (!guide->presents || !guide_poll_choice(guide, 0, text))
        return error_set(err, "%s", word(guide, WORD_NOTHING_TO_CHOOSE));
    guide->polls = !guide->polls;
    return true;
}

bool session_blank(Session *session, const Command *command, Error *err)
{
    (void)command;
    if (!session->guide)
        return no_lecture(err);
    session->guide->blank = !session->guide->blank;
    return true;
}

// --- the list of pages

bool session_contents(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    if (!guide)
        return error_set(err, TELL(NO_LECTURE));
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
    }
    return true;
}

bool guide_note_straying(Session *session, CommandKind kind)
{
    Guide *guide = session->guide;
    bool strays = command_is(kind, COMMAND_STRAYS) && !guide->setting && !guide->strayed;
    guide->strayed = guide->strayed || strays;
    return strays;
}

void guide_tell_straying(Session *session, CommandKind kind)
{
    bool steps = kind == COMMAND_NEXT || kind == COMMAND_PREVIOUS;
    if (steps && session->cursor.depth == DEPTH_STAGE && !session->message.text[0])
        session_say(session, "%s", word(session->guide, WORD_STEPPED));
}
