// session_page: turning the pages of a lecture, its list of pages, and moving its text.
#include <stdlib.h>
#include <string.h>
#include "open_lecture.h"
#include "open_lecture_words.h"
#include "nearest.h"
#include "session_actions.h"
#include "session_words.h"

static bool find_page(const OpenLecture *open, const char *name, int *page, Error *err)
{
    const Lecture *lecture = open->lecture;
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

static const char *word(const OpenLecture *open, OpenLectureWord which)
{
    return open_lecture_word(open->lecture->language, which);
}

static bool turn(Session *session, int page, Error *err)
{
    OpenLecture *open = session->lecture;
    if (page < 0 || page >= open->lecture->page_count)
        return error_set(err, "%s", word(open, page < 0 ? WORD_FIRST_PAGE : WORD_LAST_PAGE));
    return open_lecture_show(session, page, err);
}

bool session_page(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
    if (!open)
        return no_lecture(err);
    int page = open->page;
    if (command->kind == COMMAND_RETURN)
        return open_lecture_set_scene(session, err);
    if (command->kind == COMMAND_PAGE && !find_page(open, command->name, &page, err))
        return false;
    page += command->kind == COMMAND_PAGE_NEXT;
    page -= command->kind == COMMAND_PAGE_PREVIOUS;
    return turn(session, page, err);
}

// --- the text

// Only the screen knows where the text ends: it tells how many lines have no room.
static void move_text(Session *session, ptrdiff_t by)
{
    OpenLecture *open = session->lecture;
    ptrdiff_t most = session->room.text_over;
    ptrdiff_t line = open->text_line < most ? open->text_line : most;
    by = by > most ? most : by < -most ? -most : by;
    line = line + by > most ? most : line + by;
    open->text_line = line < 0 ? 0 : line;
}

// One line less than is visible.
static ptrdiff_t text_page(const Session *session)
{
    return session->room.text_rows > 2 ? session->room.text_rows - 1 : 1;
}

bool session_page_text(Session *session, const Command *command, Error *err)
{
    if (!session->lecture)
        return no_lecture(err);
    bool down = command->kind == COMMAND_TEXT_DOWN;
    move_text(session, down ? command->number : -command->number);
    return true;
}

// One key leads through a whole lecture: what is left of the text, for a presenter the answer, then
// the next page.
static bool go_on(Session *session, Error *err)
{
    OpenLecture *open = session->lecture;
    Command reveal = {.kind = COMMAND_REVEAL};
    if (open->contents)
        return open_lecture_show(session, open->chosen, err);
    if (open->presents && open->ask && !open->shown)
        return session_answer(session, &reveal, err);
    if (open->text_line >= session->room.text_over || open->presents)
        return turn(session, open->page + 1, err);
    move_text(session, text_page(session));
    return true;
}

bool session_go_on(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
    bool forward = command->kind == COMMAND_GO_ON;
    if (!open) {
        Command step = {.kind = forward ? COMMAND_NEXT : COMMAND_PREVIOUS, .number = 1};
        return session_step(session, &step, err);
    }
    if (forward)
        return go_on(session, err);
    if (open->text_line == 0 || open->presents)
        return turn(session, open->page - 1, err);
    move_text(session, -text_page(session));
    return true;
}

bool session_notes(Session *session, const Command *command, Error *err)
{
    (void)command;
    OpenLecture *open = session->lecture;
    if (!open)
        return no_lecture(err);
    open->shows_notes = !open->shows_notes;
    if (open->shows_notes && !open->notes)
        session_say(session, "%s", word(open, WORD_NO_NOTES));
    return true;
}

bool session_poll(Session *session, const Command *command, Error *err)
{
    (void)command;
    char text[OPEN_LECTURE_CHOICE_MAX];
    OpenLecture *open = session->lecture;
    if (!open_lecture_asks(open, err))
        return false;
    if (!open->presents || !open_lecture_poll_choice(open, 0, text))
        return error_set(err, "%s", word(open, WORD_NOTHING_TO_CHOOSE));
    bool had_bars = open->bars;
    open->bars = open->polls && !had_bars;
    open->polls = !had_bars;
    return true;
}

int open_lecture_votes(const OpenLecture *open)
{
    int votes = 0;
    for (int i = 0; i < OPEN_LECTURE_VOTES_MAX; i++)
        votes += open->votes[i];
    return votes;
}

// Counted before anybody sees how others have chosen.
bool session_vote(Session *session, const Command *command, Error *err)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    OpenLecture *open = session->lecture;
    ptrdiff_t choice = command->number - 1;
    if (!open_lecture_asks(open, err))
        return false;
    if (!open->presents || choice < 0 || choice >= OPEN_LECTURE_VOTES_MAX ||
        !open_lecture_poll_choice(open, (int)choice, text))
        return error_set(err, "%s", word(open, WORD_NOTHING_TO_CHOOSE));
    open->votes[choice]++;
    if (!open->polls)
        session_say(session, word(open, WORD_VOTES), open_lecture_votes(open));
    return true;
}

bool session_blank(Session *session, const Command *command, Error *err)
{
    (void)command;
    if (!session->lecture)
        return no_lecture(err);
    session->lecture->blank = !session->lecture->blank;
    return true;
}

// --- the list of pages

bool session_contents(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
    if (!open)
        return error_set(err, TELL(NO_LECTURE));
    int last = open->lecture->page_count - 1;
    switch (command->kind) {
    case COMMAND_DOWN:
        open->chosen += open->chosen < last;
        break;
    case COMMAND_UP:
        open->chosen -= open->chosen > 0;
        break;
    case COMMAND_ENTER:
        return open_lecture_show(session, open->chosen, err);
    default:
        open->contents = command->kind == COMMAND_CONTENTS && !open->contents;
        open->chosen = open->page;
    }
    return true;
}

bool open_lecture_note_straying(Session *session, CommandKind kind)
{
    OpenLecture *open = session->lecture;
    bool strays = command_is(kind, COMMAND_STRAYS) && !open->setting && !open->strayed;
    open->strayed = open->strayed || strays;
    return strays;
}

void open_lecture_tell_straying(Session *session, CommandKind kind)
{
    bool steps = kind == COMMAND_NEXT || kind == COMMAND_PREVIOUS;
    if (steps && session->cursor.depth == DEPTH_STAGE && !session->message.text[0])
        session_say(session, "%s", word(session->lecture, WORD_STEPPED));
}
