// guide: pages set their scene; see guide.h.
#include "guide.h"

#include <stdio.h>
#include <string.h>
#include "guide_runs.h"
#include "guide_words.h"
#include "presenting.h"
#include "question.h"
#include "session_actions.h"
#include "session_words.h"

const LecturePage *guide_page(const Guide *guide)
{
    return &guide->lecture->pages[guide->page];
}

bool guide_shows(const Session *session, LectureShow what)
{
    return !session->guide || (guide_page(session->guide)->shows & what);
}

// --- scenarios

static bool change_scenario(Session *session, const char *name, Error *err)
{
    Guide *guide = session->guide;
    Scenario scenario;
    Error problem = {.text = ""};
    if (guide->scenario.name && strcmp(guide->scenario.name, name) == 0)
        return session_restart(session, &guide->scenario, err);
    if (!guide_open_scenario(&scenario, name, &problem)) {
        scenario_finish(&scenario);
        return error_set(err, "%s:%d: %s", guide->lecture->file, guide_page(guide)->line,
                         problem.text);
    }
    Trace whole;
    Scenario last = guide->scenario;
    guide->scenario = scenario;
    bool good = trace_open(&whole, &guide->scenario, err) && trace_run(&whole, err) &&
                session_restart(session, &guide->scenario, err);
    if (good) {
        trace_close(&guide->whole);
        guide->whole = whole;
    } else { // the page stays without it, the run as it was
        trace_close(&whole);
        guide->scenario = last;
        last = scenario;
    }
    scenario_finish(&last);
    return good;
}

// --- the text

LectureSpan *guide_fill(Guide *guide, const LectureSpan *spans, Error *err)
{
    LectureSpan *first = NULL, **end = &first;
    for (; spans; spans = spans->next) {
        LectureSpan *filled = arena_take(&guide->arena, 1, sizeof *filled, err);
        Reference reference;
        ReferenceValue value;
        if (!filled)
            return NULL;
        *filled = (LectureSpan){.kind = spans->kind, .text = spans->text, .line = spans->line};
        if (spans->kind == SPAN_REFERENCE) {
            Error problem = {.text = ""};
            bool known = reference_parse(spans->text, &reference, &problem) &&
                         guide_value(guide, &reference, &value, &problem);
            filled->text = arena_text(&guide->arena, known ? value.text : "?", err);
            if (!known)
                error_set(err, "%s:%d: %s", guide->lecture->file, spans->line, problem.text);
        }
        if (!filled->text)
            return NULL;
        *end = filled;
        end = &filled->next;
    }
    return first;
}

static LectureBlock *fill_block(Guide *guide, LectureBlockKind kind, const LectureSpan *spans,
                                Error *err)
{
    LectureBlock *block = arena_take(&guide->arena, 1, sizeof *block, err);
    if (block)
        *block = (LectureBlock){.kind = kind, .spans = guide_fill(guide, spans, err)};
    return block;
}

static LectureBlock *fill_blocks(Guide *guide, const LectureBlock *blocks, Error *err)
{
    LectureBlock *first = NULL, **end = &first;
    for (; blocks; blocks = blocks->next) {
        *end = fill_block(guide, blocks->kind, blocks->spans, err);
        if (!*end)
            break;
        end = &(*end)->next;
    }
    return first;
}

// Some questions show something that only the trace knows.
static LectureBlock *fill_ask(Guide *guide, const LectureQuestion *question, Error *err)
{
    char text[GUIDE_CHOICE_MAX];
    LectureBlock *block = fill_block(guide, BLOCK_PARAGRAPH, question->ask, err);
    const Question *rules = question_of(guide);
    const char *shown = rules->shows ? rules->shows(guide, text) : NULL;
    if (!block || !shown)
        return block;
    LectureSpan **end = &block->spans;
    LectureSpan between = {.kind = SPAN_TEXT, .text = "  "};
    LectureSpan code = {.kind = SPAN_CODE, .text = arena_text(&guide->arena, shown, err)};
    while (*end)
        end = &(*end)->next;
    between.next = &code;
    *end = guide_fill(guide, &between, err);
    return block;
}

// What cannot be filled in leaves its sentence in `err` and a question mark in the text.
static bool fill_page(Guide *guide, Error *err)
{
    const LecturePage *page = guide_page(guide);
    guide->text = fill_blocks(guide, page->blocks, err);
    guide->notes = fill_blocks(guide, page->notes, err);
    guide->slide = fill_blocks(guide, page->slide, err);
    if (page->question.kind != QUESTION_NONE)
        guide->ask = fill_ask(guide, &page->question, err);
    return err->text[0] == '\0';
}

// --- the scene

// A page may ask for the window. Where there is none, or somebody reads the lecture in a file, the
// terminal's own map shows the same.
static void show_window(Session *session)
{
    session->window = !session->guide->no_window;
    session->look.detail = DETAIL_HEATMAP;
}

bool guide_do(Session *session, const char *words, Error *err)
{
    Command command;
    if (!command_parse(words, &command, err))
        return false;
    if (command.kind == COMMAND_WINDOW) {
        show_window(session);
        return true;
    }
    return command_is(command.kind, COMMAND_TAUGHT)
               ? session_apply(session, &command, err)
               : error_set(err, TELL(NOT_FOR_LECTURES), command_info(command.kind)->word);
}

static bool do_command(Session *session, const LectureCommand *line, Error *err)
{
    Error problem = {.text = ""};
    bool done =
        guide_do(session, line->words, &problem) && session_could_compute(session, &problem);
    return done ||
           error_set(err, "%s:%d: %s", session->guide->lecture->file, line->line, problem.text);
}

// What fails leaves its sentence in `err`.
static void do_commands(Session *session, const LectureCommand *line, Error *err)
{
    session->guide->setting = true;
    bool good = session_could_compute(session, err);
    for (; line && good; line = line->next)
        good = do_command(session, line, err);
    session->guide->setting = false;
    session->message = (Error){0};
}

bool guide_set_scene(Session *session, Error *err)
{
    Guide *guide = session->guide;
    Error problem = {.text = ""};
    if (!change_scenario(session, guide_page(guide)->scenario, err))
        return false;
    session->lane.show = LANE_OTHER;
    do_commands(session, guide_page(guide)->commands, &problem);
    guide->hidden = session->lane.hidden ? session->lane.mistake : NULL;
    guide->strayed = guide->contents = false;
    if (problem.text[0])
        *err = problem;
    return problem.text[0] == '\0';
}

bool guide_set_answered(Session *session, Error *err)
{
    Error problem = {.text = ""};
    const LectureCommand *commands = guide_page(session->guide)->answered;
    const Question *question = question_of(session->guide);
    bool does = question && question->over;
    // They begin where the page does, wherever the person has strayed to meanwhile.
    if ((commands || does) && session->guide->strayed && !guide_set_scene(session, err))
        return false;
    session->guide->setting = true;
    bool good = !does || question->over(session, &problem);
    session->guide->setting = false;
    if (good)
        do_commands(session, commands, &problem);
    session->guide->strayed = session->guide->strayed || commands || does;
    if (problem.text[0])
        *err = problem;
    return problem.text[0] == '\0';
}

void guide_tell_no_window(Session *session, const char *reason)
{
    Guide *guide = session->guide;
    guide->no_window = true;
    session_say(session, "%s%s", guide_word(guide->lecture->language, WORD_NO_WINDOW), reason);
}

void guide_tell_came_back(Session *session)
{
    session_say(session, "%s", guide_word(session->guide->lecture->language, WORD_CAME_BACK));
}

static void keep_progress(Session *session, Error *err)
{
    Guide *guide = session->guide;
    const LecturePage *page = guide_page(guide);
    PageMark *mark = &guide->marks[guide->page];
    Error problem = {.text = ""};
    *mark = *mark < PAGE_SEEN ? PAGE_SEEN : *mark;
    if (!guide->progress ||
        progress_note(guide->progress, guide->lecture->name, page->name, *mark, &problem))
        return;
    guide->progress = NULL; // said once
    if (!err->text[0])
        *err = problem;
}

// A question that was answered before is not asked again: the page shows its answer.
static void tell_answered(Guide *guide, Error *err)
{
    ReferenceValue answer;
    char first[REFERENCE_TEXT_MAX + 64];
    guide->answered = guide->ask && guide->marks[guide->page] >= PAGE_LATER;
    if (!guide->answered || !guide_answer(guide, &answer, err))
        return;
    snprintf(first, sizeof first, "\u2713 %s%s  ",
             guide_word(guide->lecture->language, WORD_ANSWERED), answer.text);
    guide_say(guide, first, guide_page(guide)->question.right, "", err);
}

// Whoever follows in another terminal is told; what cannot be told is said once.
static void announce(Guide *guide, Error *err)
{
    Error problem = {.text = ""};
    if (!guide->announces ||
        presenting_note(guide->announces, guide->lecture, guide_page(guide)->name, &problem))
        return;
    guide->announces = NULL;
    if (!err->text[0])
        *err = problem;
}

static void open_page(Guide *guide, int page)
{
    guide->page = page;
    guide->contents = guide->strayed = guide->shown = guide->polls = false;
    guide->text_line = guide->tries = 0;
    guide->text = guide->notes = guide->slide = guide->ask = guide->said = NULL;
    arena_finish(&guide->arena);
}

// What references to the changed run ask: the question says what is changed, or the page hides it.
static bool open_changed(Guide *guide, Error *err)
{
    char change[COMMAND_NAME_MAX];
    const LectureQuestion *question = &guide_page(guide)->question;
    if (!question->change && !guide->hidden)
        return true;
    if (guide->hidden)
        snprintf(change, sizeof change, "mistake %s", guide->hidden->name);
    return guide_open_changed(guide, question->change ? question->change : change, err);
}

bool guide_show(Session *session, int page, Error *err)
{
    Guide *guide = session->guide;
    Error problem = {.text = ""};
    open_page(guide, page);
    bool good = guide_set_scene(session, err);
    good = good && open_changed(guide, err);
    if (session->run.trace.step_count == 0)
        return false;
    if (fill_page(guide, &problem))
        tell_answered(guide, &problem);
    keep_progress(session, &problem);
    announce(guide, &problem);
    if (good && problem.text[0])
        *err = problem;
    return good && problem.text[0] == '\0';
}

// --- life cycle

static void remember(Guide *guide)
{
    Progress progress = {.lines = NULL};
    Error err;
    if (guide->progress && progress_read(&progress, guide->progress, &err))
        for (int i = 0; i < guide->lecture->page_count; i++)
            guide->marks[i] =
                progress_mark(&progress, guide->lecture->name, guide->lecture->pages[i].name);
    progress_finish(&progress);
}

bool guide_open(Guide *guide, Session *session, const Lecture *lecture, int page,
                const char *progress, Error *err)
{
    Error problem = {.text = ""};
    *guide = (Guide){.lecture = lecture, .page = page, .progress = progress};
    session_begin(session);
    session->guide = guide;
    guide->other = arena_take(&guide->kept, 1, sizeof *guide->other, err);
    guide->changed = arena_take(&guide->kept, 1, sizeof *guide->changed, err);
    if (!guide->other || !guide->changed)
        return false;
    remember(guide);
    if (!guide_show(session, page, &problem))
        session->message = problem;
    if (session->run.trace.step_count > 0)
        return true;
    *err = problem;
    return false;
}

void guide_close(Guide *guide)
{
    trace_close(&guide->whole);
    scenario_finish(&guide->scenario);
    arena_finish(&guide->arena);
    guide_close_run(guide->other);
    guide_close_run(guide->changed);
    arena_finish(&guide->kept);
    *guide = (Guide){.page = 0};
}
