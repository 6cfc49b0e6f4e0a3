// Starts a session on a page of a lecture, and checks a whole lecture; see open_lecture.h.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "open_lecture.h"
#include "question.h"
#include "session_actions.h"
#include "session_words.def"
#include "tensor.h"
#include "words.h"

// --- a session on a page

static void remember(OpenLecture *open)
{
    Progress progress = {.lines = NULL};
    Error err;
    if (open->progress && progress_read(&progress, open->progress, &err))
        for (int i = 0; i < open->lecture->page_count; i++)
            open->marks[i] =
                progress_mark(&progress, open->lecture->name, open->lecture->pages[i].name);
    progress_finish(&progress);
}

bool open_lecture_start(OpenLecture *open, Session *session, const Lecture *lecture, int page,
                        const char *progress, Error *err)
{
    Error problem = {.text = ""};
    *open = (OpenLecture){.lecture = lecture, .page = page, .progress = progress};
    session_begin(session);
    session->lecture = open;
    open->other = arena_take(&open->kept, 1, sizeof *open->other, err);
    open->changed = arena_take(&open->kept, 1, sizeof *open->changed, err);
    open->edited = arena_take(&open->kept, 1, sizeof *open->edited, err);
    if (!open->other || !open->changed || !open->edited)
        return false;
    remember(open);
    if (!open_lecture_show(session, page, &problem))
        session->message = problem;
    if (session->run.trace.step_count > 0)
        return true;
    *err = problem;
    return false;
}

void open_lecture_close(OpenLecture *open)
{
    trace_close(&open->whole);
    scenario_finish(&open->scenario);
    arena_finish(&open->arena);
    open_lecture_close_run(open->other);
    open_lecture_close_run(open->changed);
    open_lecture_close_run(open->edited);
    arena_finish(&open->kept);
    *open = (OpenLecture){.page = 0};
}

// --- problems

typedef struct Check {
    OpenLectureProblem *tell;
    void *context;
    int problems;
} Check;

static void report(Check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void report(Check *check, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    words_settle(text, sizeof text);
    check->tell(check->context, text);
    check->problems++;
}

// --- Korean particles after computed numbers

// Longer ones first: 이라서 is not 이.
static const struct {
    const char *after_consonant, *after_vowel;
    bool rieul_as_vowel;
} pairs[] = {
    {"이라서", "라서", false}, {"이라고", "라고", false}, {"이라는", "라는", false},
    {"이라면", "라면", false}, {"으로", "로", true},      {"이나", "나", false},
    {"은", "는", false},       {"을", "를", false},       {"이", "가", false},
    {"과", "와", false},
};

enum { PAIR_COUNT = sizeof pairs / sizeof *pairs, SYLLABLE = 3 };

static bool is_syllable(const char *text)
{
    return (unsigned char)text[0] >= 0xea && (unsigned char)text[0] <= 0xed;
}

// True if a text begins with this particle: the word ends after it, or another particle follows.
static bool begins_with(const char *text, const char *particle)
{
    static const char *const more[] = {"는", "도", "만", "부터"};
    size_t length = strlen(particle);
    if (strncmp(text, particle, length) != 0)
        return false;
    bool ends = !is_syllable(text + length);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        ends |= strncmp(text + length, more[i], strlen(more[i])) == 0 &&
                !is_syllable(text + length + strlen(more[i]));
    return ends;
}

// The length of a number without the end that nobody reads aloud: the point of "1.", brackets.
static size_t spoken(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(")]. ", text[length - 1]))
        length--;
    return length;
}

// The particle as written, and the one that the preceding word requires. False if they are the same, or if there
// is none.
static bool is_wrong(const char *before, const char *text, const char **is, const char **fits)
{
    JosaEnd end = josa_end(before, spoken(before));
    for (int i = 0; i < PAIR_COUNT; i++) {
        bool full = begins_with(text, pairs[i].after_consonant);
        if (!full && !begins_with(text, pairs[i].after_vowel))
            continue;
        bool wants_full = end == JOSA_CONSONANT || (end == JOSA_RIEUL && !pairs[i].rieul_as_vowel);
        *is = full ? pairs[i].after_consonant : pairs[i].after_vowel;
        *fits = wants_full ? pairs[i].after_consonant : pairs[i].after_vowel;
        return full != wants_full;
    }
    return false;
}

// Checks that each particle after a reference fits its value. `filled` comes from open_lecture_fill.
static void check_particles(Check *check, const OpenLecture *open, const LectureSpan *filled)
{
    if (open->lecture->language != LANGUAGE_KOREAN)
        return;
    for (; filled && filled->next; filled = filled->next) {
        const char *is, *fits;
        const LectureSpan *next = filled->next;
        if (filled->kind == SPAN_REFERENCE && next->kind == SPAN_TEXT &&
            is_wrong(filled->text, next->text, &is, &fits))
            report(check, TELL(PARTICLE_WRONG), open->lecture->file, filled->line, filled->text, is,
                   fits);
    }
}

// --- every page

// True if two runs have the same numbers in the tensors that both have.
static bool same_numbers(const Trace *a, const Trace *b)
{
    bool same = true;
    for (int i = 0; same && i < a->tensor_count; i++) {
        int other = trace_find(b, a->tensors[i].name);
        same =
            other < 0 || tensor_difference(&a->tensors[i].tensor, &b->tensors[other].tensor).kind ==
                             DIFFERENCE_NONE;
    }
    return same;
}

// Fails if another cause gives the same numbers as the hidden mistake: it would be right, too.
static bool causes_differ(const OpenLecture *open, Error *err)
{
    const LectureQuestion *question = question_text(open);
    WhatIf no_edits = {.done = 0};
    bool good = true;
    for (int i = 0; good && question->kind == QUESTION_CAUSE && i < question->choice_count; i++) {
        OpenLectureRun run = {.scenario = {.name = NULL}};
        if (mistake_find(question->behind[i]) == open->hidden)
            continue;
        good = open_lecture_open_mistake(open, &no_edits, question->behind[i], &run, err) &&
               trace_run(&run.whole, err);
        if (good && same_numbers(&run.whole, &open->changed->whole))
            good = error_set(err, TELL(CAUSE_SAME), question->behind[i], open->hidden->name);
        open_lecture_close_run(&run);
    }
    return good;
}

static void check_question(Check *check, OpenLecture *open)
{
    const LectureQuestion *question = &open_lecture_page(open)->question;
    ReferenceValue answer;
    Error err = {.text = ""};
    if (question->kind == QUESTION_NONE)
        return;
    bool good = open_lecture_answer(open, &answer, &err);
    if (good && question_of(open)->single && answer.count != 1)
        good = error_set(&err, TELL(ANSWER_NOT_SINGLE));
    if (good && answer.tied > 0)
        good = error_set(&err, TELL(ANSWER_TIED), answer.text, answer.tied);
    good = good && causes_differ(open, &err);
    if (!good) {
        report(check, "%s:%d:1: %s", open->lecture->file, question->line, err.text);
        return;
    }
    const LectureSpan *filled[] = {open_lecture_fill(open, question->right, &err),
                                   open_lecture_fill(open, question->wrong, &err),
                                   open_lecture_fill(open, question->hint, &err)};
    if (err.text[0])
        report(check, "%s", err.text);
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++)
        check_particles(check, open, filled[i]);
}

static void check_text(Check *check, OpenLecture *open)
{
    const LectureBlock *const texts[] = {open->text, open->notes, open->slide, open->ask};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (const LectureBlock *block = texts[i]; block; block = block->next)
            check_particles(check, open, block->spans);
}

static void check_answered(Check *check, Session *session)
{
    Error err = {.text = ""};
    const LecturePage *page = open_lecture_page(session->lecture);
    if (page->answered && page->question.kind == QUESTION_NONE)
        report(check, TELL(ANSWERED_UNASKED), session->lecture->lecture->file,
               page->answered->line);
    else if (!open_lecture_set_answered(session, &err))
        report(check, "%s", err.text);
}

int open_lecture_check(const Lecture *lecture, OpenLectureProblem *tell, void *context)
{
    Error err = {.text = ""};
    Check check = {.tell = tell, .context = context};
    struct {
        Session session;
        OpenLecture open;
    } *both = malloc(sizeof *both); // too large for a small stack
    if (!both) {
        report(&check, TELL(CHECK_MEMORY));
        return check.problems;
    }
    Session *session = &both->session;
    OpenLecture *open = &both->open;
    bool opened = open_lecture_start(open, session, lecture, 0, NULL, &err);
    if (!opened)
        report(&check, "%s", err.text);
    for (int page = 0; opened && page < lecture->page_count; page++) {
        err = (Error){.text = ""};
        if (!open_lecture_show(session, page, &err)) {
            report(&check, "%s", err.text);
            continue;
        }
        check_text(&check, open);
        check_question(&check, open);
        check_answered(&check, session);
    }
    session_close(session);
    open_lecture_close(open);
    free(both);
    return check.problems;
}

// --- two languages

static bool same_commands(const LectureCommand *a, const LectureCommand *b)
{
    while (a && b && strcmp(a->words, b->words) == 0) {
        a = a->next;
        b = b->next;
    }
    return !a && !b;
}

// A page may have a different scenario in each language, such as another sentence. Then its commands and answers
// may differ, too.
static const char *difference(const LecturePage *a, const LecturePage *b)
{
    const LectureQuestion *ours = &a->question, *theirs = &b->question;
    bool same_question =
        ours->kind == theirs->kind && question_same_text(ours->answer, theirs->answer) &&
        ours->choice_count == theirs->choice_count && ours->unknown == theirs->unknown &&
        question_same_text(ours->change, theirs->change);
    for (int i = 0; same_question && i < ours->choice_count; i++)
        same_question = question_same_text(ours->behind[i], theirs->behind[i]);
    if (!question_same_text(a->scenario, b->scenario))
        return !question_same_text(a->name, b->name) ? TELL(DIFFERS_NAME)
               : ours->kind != theirs->kind          ? TELL(DIFFERS_QUESTION)
                                                     : NULL;
    return !question_same_text(a->name, b->name)      ? TELL(DIFFERS_NAME)
           : a->shows != b->shows                     ? TELL(DIFFERS_SHOWN)
           : a->picture != b->picture                 ? TELL(DIFFERS_SHOWN)
           : !same_commands(a->commands, b->commands) ? TELL(DIFFERS_COMMANDS)
           : !same_commands(a->answered, b->answered) ? TELL(DIFFERS_ANSWERED)
           : !same_question                           ? TELL(DIFFERS_QUESTION)
                                                      : NULL;
}

int open_lecture_compare(const Lecture *lecture, const Lecture *other, OpenLectureProblem *tell,
                         void *context)
{
    Check check = {.tell = tell, .context = context};
    if (lecture->page_count != other->page_count) {
        report(&check, TELL(PAGES_DIFFER), lecture->file, lecture->page_count, other->file,
               other->page_count);
        return check.problems;
    }
    for (int page = 0; page < lecture->page_count; page++) {
        const char *what = difference(&lecture->pages[page], &other->pages[page]);
        if (what)
            report(&check, TELL(PAGE_DIFFERS), other->file, other->pages[page].line, what,
                   lecture->file, lecture->pages[page].line);
    }
    return check.problems;
}
