// comparison: the run beside the one that is stepped through; see comparison.h.
#include "comparison.h"

#include <stdlib.h>
#include <string.h>
#include "scenario_file.h"
#include "session_actions.h"
#include "shell_word.h"
#include "session_words.h"

// --- what is beside what

// The step of the other run with the same name; -1: it has none.
static int other_step(const Session *session, int step)
{
    char name[64], other[64];
    const Comparison *comparison = &session->comparison;
    trace_step_name(&session->run.trace, step, name);
    for (int i = 0; i < comparison->trace.step_count; i++)
        if (strcmp(trace_step_name(&comparison->trace, i, other), name) == 0)
            return i;
    return -1;
}

// --- opening

static const char mistake_word[] = "mistake ";

const char *comparison_of_mistake(const char *name, char what[SCENARIO_EDIT_MAX])
{
    snprintf(what, SCENARIO_EDIT_MAX, "%s%s", mistake_word, name);
    return what;
}

static bool open_mistake(Session *session, const char *name, TraceWay *way, Error *err)
{
    Comparison *comparison = &session->comparison;
    char *end;
    long number = strtol(name, &end, 10);
    comparison->mistake =
        *end == '\0' && end != name ? mistake_get((int)number - 1) : mistake_find(name);
    if (!comparison->mistake)
        return error_set(err, TELL(MISTAKE_UNKNOWN), name);
    way->stages = comparison->mistake->stages;
    return scenario_copy(&comparison->scenario, session->run.trace.scenario, err);
}

static bool open_scenario(Session *session, const char *name, Error *err)
{
    ScenarioRequest request = {.what = name,
                               .no_files = session->run.trace.scenario->request.no_files};
    if (session->lecture && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
        return error_set(err, TELL(SCENARIO_NO_NAME), name);
    return scenario_open(&session->comparison.scenario, &request, err);
}

// The same scenario with another sentence; shapes agree where it has as many tokens.
static bool open_text(Session *session, const char *text, Error *err)
{
    ScenarioRequest request = session->run.trace.scenario->request;
    request.text = text;
    return scenario_open(&session->comparison.scenario, &request, err);
}

// The same scenario with a step computed by another formula.
static bool open_formula(Session *session, const char *text, Error *err)
{
    char set[SCENARIO_FORMULA_SET_MAX];
    const WhatIf *what_if = &session->what_if;
    return scenario_formula_set(text, set, err) &&
           what_if_open(what_if, session->run.trace.scenario, what_if->done, set,
                        &session->comparison.scenario, err);
}

static bool open_mine(Session *session, const char *folder, TraceWay *way, Error *err)
{
    Comparison *comparison = &session->comparison;
    char word[SHELL_PATH_ROOM];
    if (!session->mine.open || session->lecture)
        return error_set(err, TELL(COMPARISON_MINE),
                         shell_path(session->run.trace.scenario->name, word));
    if (!session->mine.open(session->mine.context, *folder ? folder : NULL, &comparison->mine, err))
        return false;
    *way = comparison->mine->way;
    return scenario_copy(&comparison->scenario, session->run.trace.scenario, err);
}

static bool open_way(Session *session, const char *what, TraceWay *way, Error *err)
{
    static const char text[] = "text ", formula[] = "formula ";
    static const char mine[] = "mine";
    size_t mine_length = strlen(mine);
    session->comparison.is_changed = true;
    if (strncmp(what, mine, mine_length) == 0 && (!what[mine_length] || what[mine_length] == ' '))
        return open_mine(session, what + mine_length + (what[mine_length] == ' '), way, err);
    // Mistakes count from 1; a number that begins with 0 is a document's.
    bool is_number = what[0] != '0' && strspn(what, "0123456789") == strlen(what);
    if (strncmp(what, mistake_word, strlen(mistake_word)) == 0)
        return open_mistake(session, what + strlen(mistake_word), way, err);
    if (is_number)
        return open_mistake(session, what, way, err);
    if (strncmp(what, text, strlen(text)) == 0)
        return open_text(session, what + strlen(text), err);
    if (strncmp(what, formula, strlen(formula)) == 0)
        return open_formula(session, what + strlen(formula), err);
    session->comparison.is_changed = strchr(what, '=') != NULL;
    const WhatIf *what_if = &session->what_if;
    return session->comparison.is_changed
               ? what_if_open(what_if, session->run.trace.scenario, what_if->done, what,
                              &session->comparison.scenario, err)
               : open_scenario(session, what, err);
}

// Runs can be compared where the same outputs have the same shapes; one is enough.
static bool can_compare(const Session *session, Error *err)
{
    const Trace *front = &session->run.trace, *other = &session->comparison.trace;
    ptrdiff_t shape[TENSOR_RANK_MAX], other_shape[TENSOR_RANK_MAX];
    char text[TENSOR_TEXT_MAX], other_text[TENSOR_TEXT_MAX];
    const char *name = NULL;
    for (int number = 0; number < front->tensor_count; number++) {
        int match = trace_find(other, front->tensors[number].name);
        if (match < 0 || front->tensors[number].step < 0)
            continue;
        int rank = trace_shape(front, number, shape);
        int other_rank = trace_shape(other, match, other_shape);
        if (rank == other_rank && memcmp(shape, other_shape, (size_t)rank * sizeof *shape) == 0)
            return true;
        if (name)
            continue;
        name = front->tensors[number].name;
        tensor_shape_text(rank, shape, text);
        tensor_shape_text(other_rank, other_shape, other_text);
    }
    return name ? error_set(err, TELL(COMPARISON_SHAPES), name, text, other_text)
                : error_set(err, TELL(COMPARISON_NOTHING));
}

static bool is_possible(const Session *session, Error *err)
{
    const Mistake *mistake = session->comparison.mistake;
    const Words *why = mistake ? mistake_cannot_show(mistake, session->run.trace.scenario) : NULL;
    return !why || error_set(err, TELL(COMPARISON_CANNOT), mistake->name, words_tell(*why));
}

static const char hidden_word[] = "hidden ";

bool comparison_open(Session *session, const char *what, Error *err)
{
    Comparison *comparison = &session->comparison;
    TraceWay way = {.stages = NULL};
    ComparisonShow show = comparison->show;
    if (strlen(what) >= sizeof comparison->name)
        return error_set(err, TELL(COMPARISON_LONG), what);
    char name[sizeof comparison->name];
    strcpy(name, what);
    comparison_close(session);
    strcpy(comparison->name, name);
    comparison->show = show;
    comparison->hidden = strncmp(name, hidden_word, strlen(hidden_word)) == 0;
    bool opened =
        open_way(session, name + (comparison->hidden ? strlen(hidden_word) : 0), &way, err);
    comparison->open = opened;
    if (opened && trace_open_way(&comparison->trace, &comparison->scenario, &way, err) &&
        can_compare(session, err) && is_possible(session, err)) {
        comparison_follow(session);
        return true;
    }
    comparison_close(session);
    return false;
}

void comparison_close(Session *session)
{
    Comparison *comparison = &session->comparison;
    if (comparison->swapped)
        comparison_swap(session);
    explanation_finish(&comparison->explanation);
    arena_finish(&comparison->difference_arena);
    if (comparison->open) {
        session->run.number++; // a window may show the differences
        trace_close(&comparison->trace);
        scenario_finish(&comparison->scenario);
    }
    *comparison = (Comparison){.show = comparison->show, .subtracted = -1};
}

// --- what it is called

void comparison_reveal(Session *session)
{
    Comparison *comparison = &session->comparison;
    if (!comparison->hidden)
        return;
    comparison->hidden = false;
    memmove(comparison->name, comparison->name + strlen(hidden_word),
            strlen(comparison->name + strlen(hidden_word)) + 1);
}

const char *comparison_title(const Session *session)
{
    return session->comparison.hidden ? "?" : session->comparison.name;
}

bool comparison_hides_step(const Session *session)
{
    const Comparison *comparison = &session->comparison;
    const Stage *stage = session->run.trace.steps[session->cursor.step].stage;
    return comparison->open && comparison->hidden && comparison->swapped &&
           stage_find(stage->name) != stage;
}

// --- stepping together

// How many steps the other run needs to be as far as the front.
static int wanted_steps(const Session *session)
{
    int wanted = 0;
    if (session->run.trace.steps_done == session->run.trace.step_count)
        return session->comparison.trace.step_count;
    for (int step = 0; step < session->run.trace.steps_done; step++) {
        int other = other_step(session, step);
        wanted = other >= wanted ? other + 1 : wanted;
    }
    return wanted;
}

static void follow_term(Session *session)
{
    Comparison *comparison = &session->comparison;
    Error unused;
    TraceCell cell = session_cell(session);
    explanation_finish(&comparison->explanation);
    const char *name = session_tensor(session)->name;
    if (session->cursor.depth != DEPTH_TERM || !comparison_tensor(session, session->cursor.tensor))
        return;
    cell.tensor = trace_find(&comparison->trace, name);
    explanation_make(&comparison->explanation, &comparison->trace, cell, &unused);
}

void comparison_follow(Session *session)
{
    Comparison *comparison = &session->comparison;
    if (!comparison->open)
        return;
    int wanted = wanted_steps(session);
    while (!comparison->failed && comparison->trace.steps_done < wanted)
        comparison->failed = !trace_step(&comparison->trace, &comparison->failure);
    follow_term(session);
    comparison_subtract(session);
    if (session->look.detail == DETAIL_BESIDE && comparison->show == COMPARISON_STAGES)
        comparison_measure(session);
}

bool comparison_term(const Session *session, ptrdiff_t number, TraceTerm *term)
{
    const Explanation *explanation = &session->comparison.explanation;
    bool there = number >= 0 && number < explanation->count;
    if (there)
        *term = explanation->terms[number];
    return there;
}

void comparison_swap(Session *session)
{
    Comparison *comparison = &session->comparison;
    const char *tensor = session_tensor(session)->name;
    SessionView view = *session_view(session);
    int step = other_step(session, session->cursor.step);
    Trace front = session->run.trace;
    session->run.trace = comparison->trace;
    comparison->trace = front;
    comparison->swapped = !comparison->swapped;
    comparison->failed = false;
    comparison->subtracted = -1;
    session->run.number++;
    session->origin.known = false;
    session->code.step = -1; // the other run's code may be another
    session->statistics.measured = false;
    memset(session->cursor.views, 0, sizeof session->cursor.views);
    session_reach(session, step < 0 ? 0 : step);
    int number = trace_find(&session->run.trace, tensor);
    if (number >= 0 && session->run.trace.tensors[number].tensor.storage.bytes) {
        session_look_at(session, number);
        session->cursor.views[number] = view;
    }
}

// --- differences

static bool first_difference(const Tensor *a, const Tensor *b, ptrdiff_t at[])
{
    bool more = tensor_count(a) > 0;
    while (more && tensor_same_number(a, b, at))
        more = tensor_next(a, at);
    return more;
}

bool comparison_next_difference(const Session *session, bool of_all, TraceCell *cell)
{
    for (int number = of_all ? 0 : cell->tensor; number < session->run.trace.tensor_count;
         number++) {
        TraceCell at = {.tensor = number};
        const Tensor *front = &session->run.trace.tensors[number].tensor;
        const Tensor *other = comparison_tensor(session, number);
        bool is_here = !of_all && number == cell->tensor;
        if (is_here)
            at = *cell;
        if (!other || session->run.trace.tensors[number].step < 0 ||
            (is_here && !tensor_next(front, at.at)))
            continue;
        if (first_difference(front, other, at.at)) {
            *cell = at;
            return true;
        }
    }
    return false;
}
