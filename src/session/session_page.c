// The pages of a lecture: turning and finding them, their text and questions.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "open_lecture.h"
#include "question.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "utf8.h"

// --- pages

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

static bool turn(Session *session, int page, Error *err)
{
    OpenLecture *open = session->lecture;
    if (page < 0 || page >= open->lecture->page_count)
        return error_set(err, "%s",
                         open_lecture_says(open, page < 0 ? WORD_FIRST_PAGE : WORD_LAST_PAGE));
    return open_lecture_show(session, page, err);
}

bool session_page(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
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

// Scrolls as far as the screen says: it knows how many lines do not fit.
static void move_text(Session *session, ptrdiff_t by)
{
    OpenLecture *open = session->lecture;
    ptrdiff_t most = session->room.text_over;
    open->text_line = index_move(index_min(open->text_line, most), by, most);
}

// Scrolls by one line less than is visible.
static void turn_text(Session *session, int direction)
{
    move_text(session, direction * index_max(session->room.text_rows - 1, 1));
}

bool session_page_text(Session *session, const Command *command, Error *err)
{
    (void)err;
    bool down = command->kind == COMMAND_TEXT_DOWN;
    move_text(session, down ? command->number : -command->number);
    return true;
}

int open_lecture_votes(const OpenLecture *open)
{
    int votes = 0;
    for (int i = 0; i < OPEN_LECTURE_VOTES_MAX; i++)
        votes += open->votes[i];
    return votes;
}

// True while there are votes that the audience does not see yet.
static bool is_counting(const OpenLecture *open)
{
    return open->presents && open->polls && !open->bars && open_lecture_votes(open) > 0;
}

// One key leads through a whole lecture: the rest of the text; for a presenter the bars of a vote and the answer;
// then the next page.
static bool go_on(Session *session, Error *err)
{
    OpenLecture *open = session->lecture;
    Command reveal = {.kind = COMMAND_REVEAL};
    if (open->contents)
        return open_lecture_show(session, open->chosen, err);
    if (is_counting(open))
        return open->bars = true;
    if (open->presents && open->ask && !open->shown)
        return session_answer(session, &reveal, err);
    if (open->text_line >= session->room.text_over || open->presents)
        return turn(session, open->page + 1, err);
    turn_text(session, 1);
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
    turn_text(session, -1);
    return true;
}

bool session_notes(Session *session, const Command *command, Error *err)
{
    (void)command, (void)err;
    OpenLecture *open = session->lecture;
    open->shows_notes = !open->shows_notes;
    if (open->shows_notes && !open->notes)
        session_say(session, "%s", open_lecture_says(open, WORD_NO_NOTES));
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
        return error_set(err, "%s", open_lecture_says(open, WORD_NOTHING_TO_CHOOSE));
    bool had_bars = open->bars;
    open->bars = open->polls && !had_bars;
    open->polls = !had_bars;
    return true;
}

// Counts votes without showing them.
bool session_vote(Session *session, const Command *command, Error *err)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    OpenLecture *open = session->lecture;
    if (!open_lecture_asks(open, err))
        return false;
    ptrdiff_t choice = command->number - open_lecture_poll_first(open);
    if (!open->presents || !open_lecture_poll_choice(open, 0, text))
        return error_set(err, "%s", open_lecture_says(open, WORD_NOTHING_TO_CHOOSE));
    if (choice < 0 || choice >= OPEN_LECTURE_VOTES_MAX ||
        !open_lecture_poll_choice(open, (int)choice, text))
        return error_set(err, open_lecture_says(open, WORD_NO_CHOICE), command->number);
    open->votes[choice]++;
    if (!open->polls)
        session_say(session, open_lecture_says(open, WORD_VOTES), open_lecture_votes(open));
    return true;
}

bool session_blank(Session *session, const Command *command, Error *err)
{
    (void)command, (void)err;
    session->lecture->blank = !session->lecture->blank;
    return true;
}

// --- the list of pages

bool session_contents(Session *session, const Command *command, Error *err)
{
    (void)err;
    OpenLecture *open = session->lecture;
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

void open_lecture_explain_straying(Session *session, CommandKind kind)
{
    bool steps = kind == COMMAND_NEXT || kind == COMMAND_PREVIOUS;
    if (steps && session->cursor.depth == DEPTH_STAGE && !session->message.text[0])
        session_say(session, "%s", open_lecture_says(session->lecture, WORD_STEPPED));
}

// --- finding words

enum { PARAGRAPH_BYTES_MAX = 1 << 13 };

// Reads the spans of a paragraph as one text: emphasis does not end a word.
static bool spans_have(const LectureSpan *spans, const char *words)
{
    char text[PARAGRAPH_BYTES_MAX] = "";
    for (; spans; spans = spans->next)
        text_add(text, sizeof text, "%s", spans->text);
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

// Sets `has` if the page has the words. Returns false and sets err out of memory.
static bool look(const LecturePage *page, const char *words, bool *has, Error *err)
{
    errno = 0;
    *has = page_has(page, words);
    return errno != ENOMEM || error_machine(err, TELL(FIND_NO_MEMORY));
}

bool session_find(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
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
    return error_set(err, "%s\"%s\"",
                     open_lecture_says(open, has ? WORD_FOUND_HERE : WORD_FOUND_NOWHERE),
                     command->name);
}

// --- answers

// Keeps the mark of the page in the progress file. Reports a failure once.
static bool keep(OpenLecture *open, PageMark mark, Error *err)
{
    PageMark *marked = &open->marks[open->page];
    *marked = *marked < mark ? mark : *marked;
    if (!open->progress || progress_note(open->progress, open->lecture->name,
                                         open_lecture_page(open)->name, *marked, err))
        return true;
    open->progress = NULL;
    return false;
}

enum { FIRST_MAX = REFERENCE_TEXT_MAX + COMMAND_NAME_MAX + QUESTION_HINT_MAX };

// Shows the answer. If a presenter does, it counts as nobody's.
static bool reveal(OpenLecture *open, const char *before, const ReferenceValue *answer, Error *err)
{
    char first[FIRST_MAX];
    snprintf(first, sizeof first, "%s%s%s  ", before, open_lecture_says(open, WORD_THE_ANSWER),
             answer->text);
    open->shown = true;
    return open_lecture_say(open, first, open_lecture_page(open)->question.wrong, "", err) &&
           (open->presents || keep(open, PAGE_WRONG, err));
}

// Notes a right answer, at the first try or later, unless the answer was shown before.
static bool take_right(OpenLecture *open, const ReferenceValue *answer, bool without_batch,
                       Error *err)
{
    const LectureQuestion *question = &open_lecture_page(open)->question;
    PageMark mark = open->marks[open->page];
    char first[FIRST_MAX];
    snprintf(first, sizeof first, "\u2713 %s%s  ",
             without_batch ? open_lecture_says(open, WORD_BATCH) : "", answer->text);
    open->answered = true;
    return open_lecture_say(open, first, question->right, "", err) &&
           (open->shown || keep(open, mark < PAGE_WRONG ? PAGE_RIGHT : PAGE_LATER, err));
}

static const char *say_hint(const OpenLecture *open, const Typed *typed,
                            const ReferenceValue *answer, char text[QUESTION_HINT_MAX])
{
    const Question *question = question_of(open);
    return question->say_hint ? question->say_hint(open, typed, answer, text)
                              : open_lecture_says(open, question->hint);
}

static bool take_wrong(OpenLecture *open, const char *text, const Typed *typed,
                       const ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = &open_lecture_page(open)->question;
    char first[FIRST_MAX], hint[QUESTION_HINT_MAX];
    // After a wrong try, only one of two answers is left: no second try.
    bool decides = question_of(open)->decides || question->choice_count == 2;
    snprintf(first, sizeof first, "\u2717 %s  ", text);
    if (open->tries++ > 0 || decides || open->shown)
        return reveal(open, first, answer, err);
    snprintf(first, sizeof first, "\u2717 %s  %s%s", text, open_lecture_says(open, WORD_NOT_YET),
             question->hint ? "" : say_hint(open, typed, answer, hint));
    return open_lecture_say(open, first, question->hint, open_lecture_says(open, WORD_TRY_AGAIN),
                            err) &&
           keep(open, PAGE_WRONG, err);
}

static bool judge(OpenLecture *open, const char *text, const Typed *typed,
                  const ReferenceValue *answer, Error *err)
{
    const Question *question = question_of(open);
    bool same = question_matches(typed, answer, 0, 0);
    Verdict verdict = question->judge ? question->judge(open, typed, answer)
                      : same          ? VERDICT_RIGHT
                                      : VERDICT_WRONG;
    return verdict == VERDICT_WRONG
               ? take_wrong(open, text, typed, answer, err)
               : take_right(open, answer, verdict == VERDICT_WITHOUT_BATCH, err);
}

bool session_answer(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
    ReferenceValue answer;
    Typed typed;
    if (!open_lecture_asks(open, err) || !open_lecture_answer(open, &answer, err))
        return false;
    bool reveals = command->kind == COMMAND_REVEAL;
    if (reveals && is_counting(open))
        return error_set(err, "%s", open_lecture_says(open, WORD_COUNTING));
    if (!reveals && !open_lecture_read_typed(session, command->name, &typed, err))
        return false;
    open->polls = false;
    open->text_line = PTRDIFF_MAX; // the end of the text
    bool said =
        reveals ? reveal(open, "", &answer, err) : judge(open, command->name, &typed, &answer, err);
    bool over = open->shown || open->answered;
    Error unset;
    bool set = !over || open_lecture_set_answered(session, said ? err : &unset);
    return said && set;
}
