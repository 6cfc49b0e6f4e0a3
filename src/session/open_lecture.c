// Pages of a lecture set their scene; see open_lecture.h.
#include "open_lecture.h"

#include <stdio.h>
#include <string.h>
#include "lecture.h"
#include "question.h"
#include "session_actions.h"
#include "session_words.def"

bool open_lecture_shows(const Session *session, LectureShow what)
{
    return !session->lecture || (open_lecture_page(session->lecture)->shows & what);
}

// --- scenarios

static bool change_scenario(Session *session, Error *err)
{
    OpenLecture *open = session->lecture;
    static Scenario scenario, last; // too large for a small stack
    Error problem = {.text = ""};
    LectureScene scene = open_lecture_scene(open);
    const char *name = scene.name;
    if (open_lecture_is_scene(&open->scenario, &scene))
        return session_restart(session, &open->scenario, err);
    if (!open_lecture_open_scenario(&scenario, &scene, &problem)) {
        scenario_finish(&scenario);
        return error_set(
            err, "%s:%d:%d: %s", open->lecture->file, open_lecture_page(open)->scenario_line,
            lecture_column(open->lecture, open_lecture_page(open)->scenario_line, name),
            problem.text);
    }
    Trace whole;
    last = open->scenario;
    open->scenario = scenario;
    bool good = trace_open(&whole, &open->scenario, err) && trace_run(&whole, err) &&
                session_restart(session, &open->scenario, err);
    if (good) {
        trace_close(&open->whole);
        open->whole = whole;
    } else { // keeps the old run
        trace_close(&whole);
        open->scenario = last;
        last = scenario;
    }
    scenario_finish(&last);
    return good;
}

// --- the text

static LectureBlock *fill_block(OpenLecture *open, LectureBlockKind kind, const LectureSpan *spans,
                                Error *err)
{
    LectureBlock *block = arena_take(&open->arena, 1, sizeof *block, err);
    if (block)
        *block = (LectureBlock){.kind = kind, .spans = open_lecture_fill(open, spans, err)};
    return block;
}

static LectureBlock *fill_blocks(OpenLecture *open, const LectureBlock *blocks, Error *err)
{
    LectureBlock *first = NULL, **end = &first;
    for (; blocks; blocks = blocks->next) {
        *end = fill_block(open, blocks->kind, blocks->spans, err);
        if (!*end)
            break;
        end = &(*end)->next;
    }
    return first;
}

// Fills in a question; some show something that only the trace knows.
static LectureBlock *fill_ask(OpenLecture *open, const LectureQuestion *question, Error *err)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    LectureBlock *block = fill_block(open, BLOCK_PARAGRAPH, question->ask, err);
    const Question *rules = question_of(open);
    const char *shown = rules->shows ? rules->shows(open, text) : NULL;
    if (!block || !shown)
        return block;
    LectureSpan **end = &block->spans;
    LectureSpan between = {.kind = SPAN_TEXT, .text = "  "};
    LectureSpan code = {.kind = SPAN_CODE, .text = arena_text(&open->arena, shown, err)};
    while (*end)
        end = &(*end)->next;
    between.next = &code;
    *end = open_lecture_fill(open, &between, err);
    return block;
}

// --- references in the text

bool open_lecture_is_looked_at(const Session *session, const Reference *reference)
{
    const SessionView *view = session_view(session);
    const TraceTensor *looked = session_tensor(session);
    bool beside =
        session->comparison.open && strcmp(reference->scenario, OPEN_LECTURE_CHANGED) == 0;
    bool here = !reference->scenario[0] || (beside && !what_if_change(session));
    bool same = reference->kind == REFERENCE_ELEMENTS && here &&
                strcmp(reference->tensor, looked->name) == 0;
    for (int axis = 0; same && axis < looked->tensor.rank; axis++)
        same = !session_axis_is_picked(session, axis) ||
               (axis < reference->index_count && reference->index[axis] == view->at[axis]);
    return same;
}

bool open_lecture_is_memory(const Session *session, const Reference *reference)
{
    const char *in_front = session->comparison.swapped ? OPEN_LECTURE_CHANGED : "";
    return session->look.detail == DETAIL_MEMORY && strcmp(reference->scenario, in_front) == 0 &&
           (reference->kind == REFERENCE_SHAPE || reference->kind == REFERENCE_STRIDE) &&
           strcmp(reference->tensor, session_tensor(session)->name) == 0;
}

static bool has_reference(const LectureBlock *blocks, const char *words)
{
    for (; blocks; blocks = blocks->next)
        for (const LectureSpan *span = blocks->spans; span; span = span->next)
            if (span->kind == SPAN_REFERENCE && strcmp(span->text, words) == 0)
                return true;
    return false;
}

static bool is_named(const OpenLecture *open, const char *words)
{
    for (int i = 0; i < open->named_count; i++)
        if (strcmp(open->named[i].words, words) == 0)
            return true;
    return false;
}

// Adds a reference, unless the slide has it or it has no value.
static void name_span(OpenLecture *open, const LectureSpan *span, Error *err)
{
    OpenLectureNamed *named = &open->named[open->named_count];
    ReferenceValue value;
    Error unknown;
    if (span->kind != SPAN_REFERENCE || open->named_count == OPEN_LECTURE_NAMED_MAX ||
        is_named(open, span->text) || has_reference(open_lecture_page(open)->slide, span->text) ||
        !reference_parse(span->text, &named->reference, &unknown) ||
        !open_lecture_value(open, &named->reference, &value, &unknown))
        return;
    named->words = span->text;
    named->line = span->line;
    named->value = arena_text(&open->arena, value.text, err);
    open->named_count += named->value != NULL;
}

static void name_all(OpenLecture *open, Error *err)
{
    open->named_count = 0;
    for (const LectureBlock *block = open_lecture_page(open)->blocks; block; block = block->next)
        for (const LectureSpan *span = block->spans; span; span = span->next)
            name_span(open, span, err);
}

// Fills in the page. A reference without a value becomes a question mark and sets err.
static bool fill_page(OpenLecture *open, Error *err)
{
    const LecturePage *page = open_lecture_page(open);
    open->text = fill_blocks(open, page->blocks, err);
    open->notes = fill_blocks(open, page->notes, err);
    open->slide = fill_blocks(open, page->slide, err);
    name_all(open, err);
    if (page->question.kind != QUESTION_NONE)
        open->ask = fill_ask(open, &page->question, err);
    return err->text[0] == '\0';
}

// --- the scene

static bool do_command(Session *session, const LectureCommand *line, Error *err)
{
    Error problem = {.text = ""};
    const Lecture *lecture = session->lecture->lecture;
    bool done =
        open_lecture_do(session, line->words, &problem) && session_could_compute(session, &problem);
    return done || error_set(err, "%s:%d:%d: %s", lecture->file, line->line,
                             lecture_column(lecture, line->line, line->words), problem.text);
}

// Runs the commands up to the first that fails, which sets err.
static void do_commands(Session *session, const LectureCommand *line, Error *err)
{
    session->lecture->setting = true;
    bool good = session_could_compute(session, err);
    for (; line && good; line = line->next)
        good = do_command(session, line, err);
    session->lecture->setting = false;
    session->message = (Error){0};
}

// A slide may show another panel than the page's commands open.
static bool set_picture(Session *session, Error *err)
{
    static const char *const opens[SLIDE_PICTURES] = {
        [SLIDE_MAP] = "heatmap", [SLIDE_SUM] = "origin"};
    LecturePicture picture = open_lecture_page(session->lecture)->picture;
    SessionDetail wanted = picture == SLIDE_MAP   ? DETAIL_HEATMAP
                           : picture == SLIDE_SUM ? DETAIL_ORIGIN
                                                  : DETAIL_NONE;
    if (!session->lecture->presents || picture == SLIDE_DEFAULT || session->look.detail == wanted)
        return true;
    session->look.detail = DETAIL_NONE;
    return !opens[picture] || open_lecture_do(session, opens[picture], err);
}

bool open_lecture_set_scene(Session *session, Error *err)
{
    OpenLecture *open = session->lecture;
    Error problem = {.text = ""};
    if (!change_scenario(session, err))
        return false;
    session->comparison.show = COMPARISON_OTHER;
    do_commands(session, open_lecture_page(open)->commands, &problem);
    open->setting = true;
    if (!problem.text[0])
        set_picture(session, &problem);
    open->setting = false;
    open->hidden = session->comparison.hidden ? session->comparison.mistake : NULL;
    open->strayed = open->contents = false;
    if (problem.text[0])
        *err = problem;
    return problem.text[0] == '\0';
}

bool open_lecture_set_answered(Session *session, Error *err)
{
    Error problem = {.text = ""};
    const LectureCommand *commands = open_lecture_page(session->lecture)->answered;
    const Question *question = question_of(session->lecture);
    bool does = question && question->over;
    // Return to the page's scene first if the user left it.
    if ((commands || does) && session->lecture->strayed && !open_lecture_set_scene(session, err))
        return false;
    session->lecture->setting = true;
    bool good = !does || question->over(session, &problem);
    session->lecture->setting = false;
    if (good)
        do_commands(session, commands, &problem);
    session->lecture->strayed = session->lecture->strayed || commands || does;
    if (problem.text[0])
        *err = problem;
    return problem.text[0] == '\0';
}

void open_lecture_report_no_window(Session *session, const char *reason)
{
    OpenLecture *open = session->lecture;
    open->no_window = true;
    session_say(session, "%s%s", open_lecture_says(open, WORD_NO_WINDOW), reason);
}

void open_lecture_report_came_back(Session *session)
{
    session_say(session, "%s", open_lecture_says(session->lecture, WORD_CAME_BACK));
}

static void keep_progress(Session *session, Error *err)
{
    OpenLecture *open = session->lecture;
    const LecturePage *page = open_lecture_page(open);
    PageMark *mark = &open->marks[open->page];
    Error problem = {.text = ""};
    *mark = *mark < PAGE_SEEN ? PAGE_SEEN : *mark;
    if (!open->progress ||
        progress_note(open->progress, open->lecture->name, page->name, *mark, &problem))
        return;
    open->progress = NULL; // reported once
    if (!err->text[0])
        *err = problem;
}

// Shows the answer of a question that was answered before.
static void note_answered(OpenLecture *open, Error *err)
{
    ReferenceValue answer;
    char first[REFERENCE_TEXT_MAX + 64];
    open->answered = open->ask && open->marks[open->page] >= PAGE_LATER;
    if (!open->answered || !open_lecture_answer(open, &answer, err))
        return;
    snprintf(first, sizeof first, "\u2713 %s%s  ", open_lecture_says(open, WORD_ANSWERED),
             answer.text);
    open_lecture_say(open, first, open_lecture_page(open)->question.right, "", err);
}

// Tells the page to viewers in other terminals. Reports a failure once.
static void announce(OpenLecture *open, Error *err)
{
    Error problem = {.text = ""};
    if (!open->announces ||
        presenting_note(open->announces, open->lecture, open_lecture_page(open)->name, &problem))
        return;
    open->announces = NULL;
    if (!err->text[0])
        *err = problem;
}

static void open_page(OpenLecture *open, int page)
{
    open->page = page;
    open->contents = open->strayed = open->shown = open->polls = open->bars = false;
    memset(open->votes, 0, sizeof open->votes);
    open->text_line = open->tries = open->named_count = 0;
    open->text = open->notes = open->slide = open->ask = open->said = NULL;
    arena_finish(&open->arena);
}

// Opens the run of `=changed:`: the page with its question's change; or its scenario with the hidden mistake, so that
// a page can say what stood there before its own edits.
static bool open_changed(Session *session, Error *err)
{
    OpenLecture *open = session->lecture;
    char change[COMMAND_NAME_MAX];
    WhatIf no_edits = {.done = 0};
    const LectureQuestion *question = &open_lecture_page(open)->question;
    if (question->change)
        return open_lecture_open_changed(open, &session->what_if, question->change, err);
    if (!open->hidden)
        return true;
    snprintf(change, sizeof change, "mistake %s", open->hidden->name);
    return open_lecture_open_changed(open, &no_edits, change, err);
}

bool open_lecture_show(Session *session, int page, Error *err)
{
    OpenLecture *open = session->lecture;
    Error problem = {.text = ""};
    open_page(open, page);
    bool good = open_lecture_set_scene(session, err);
    good = good && open_lecture_open_edited(open, &session->what_if, err) &&
           open_changed(session, err);
    if (session->run.trace.step_count == 0)
        return false;
    if (fill_page(open, &problem))
        note_answered(open, &problem);
    keep_progress(session, &problem);
    announce(open, &problem);
    if (good && problem.text[0])
        *err = problem;
    return good && problem.text[0] == '\0';
}
