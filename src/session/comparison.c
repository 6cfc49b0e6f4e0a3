// A second run next to the session's, how far apart the two are, and whose numbers are shown; see comparison.h
// and session.h.
#include "comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "open_lecture.h"
#include "scenario_file.h"
#include "session.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "trace_program.h"
#include "utf8.h"

// The other run's step of the same name; -1: none.
static int other_step(const Session *session, int step)
{
    char name[64];
    return trace_find_step(&session->comparison.trace,
                           trace_step_name(&session->run.trace, step, name));
}

// --- opening

const char *comparison_of_mistake(const char *name, char what[SCENARIO_EDIT_MAX])
{
    snprintf(what, SCENARIO_EDIT_MAX, "mistake %s", name);
    return what;
}

static bool open_mistake(Session *session, const char *name, TraceVariant *variant, Error *err)
{
    Comparison *comparison = &session->comparison;
    comparison->mistake = mistake_find(name);
    if (!comparison->mistake)
        return error_set(err, TELL(MISTAKE_UNKNOWN), name);
    variant->stages = comparison->mistake->stages;
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

// The same scenario with another sentence.
static bool open_text(Session *session, const char *text, TraceVariant *variant, Error *err)
{
    (void)variant;
    ScenarioRequest request = session->run.trace.scenario->request;
    request.text = text;
    return scenario_open(&session->comparison.scenario, &request, err);
}

// The same scenario with a step computed by another formula.
static bool open_formula(Session *session, const char *text, TraceVariant *variant, Error *err)
{
    (void)variant;
    char set[SCENARIO_FORMULA_SET_MAX];
    const WhatIf *what_if = &session->what_if;
    return trace_formula_check(&session->run.trace, text, err) &&
           scenario_formula_set(text, set, err) &&
           what_if_open(what_if, session->run.trace.scenario, what_if->done, set,
                        &session->comparison.scenario, err);
}

static bool open_learner(Session *session, const char *folder, TraceVariant *variant, Error *err)
{
    Comparison *comparison = &session->comparison;
    char word[SHELL_PATH_ROOM];
    if (!session->learner.open || session->lecture)
        return error_set(err, TELL(COMPARISON_MINE),
                         shell_path(session->run.trace.scenario->name, word));
    if (!session->learner.open(session->learner.context, *folder ? folder : NULL,
                               &comparison->learner, err))
        return false;
    *variant = comparison->learner->variant;
    return scenario_copy(&comparison->scenario, session->run.trace.scenario, err);
}

static bool open_variant(Session *session, const char *what, TraceVariant *variant, Error *err)
{
    static const struct {
        const char *word;
        bool is_alone; // the word may stand alone
        bool (*open)(Session *session, const char *rest, TraceVariant *variant, Error *err);
    } kinds[] = {{"mine", true, open_learner},
                 {"mistake", false, open_mistake},
                 {"text", false, open_text},
                 {"formula", false, open_formula}};
    size_t length = strcspn(what, " ");
    session->comparison.is_changed = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].word) == length && strncmp(what, kinds[i].word, length) == 0 &&
            (what[length] || kinds[i].is_alone))
            return kinds[i].open(session, what + length + (what[length] == ' '), variant, err);
    session->comparison.is_changed = strchr(what, '=') != NULL;
    const WhatIf *what_if = &session->what_if;
    return session->comparison.is_changed
               ? what_if_open(what_if, session->run.trace.scenario, what_if->done, what,
                              &session->comparison.scenario, err)
               : open_scenario(session, what, err);
}

// Runs can be compared if at least one output has the same name and shape in both.
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
    TraceVariant variant = {.stages = NULL};
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
        open_variant(session, name + (comparison->hidden ? strlen(hidden_word) : 0), &variant, err);
    comparison->open = opened;
    if (opened && trace_open_variant(&comparison->trace, &comparison->scenario, &variant, err) &&
        can_compare(session, err) && is_possible(session, err)) {
        comparison_follow(session);
        return true;
    }
    comparison_close(session);
    return false;
}

static void comparison_swap(Session *session);

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

// --- its name

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

const char *comparison_words(const Session *session, char text[SCENARIO_EDIT_MAX])
{
    const Comparison *comparison = &session->comparison;
    if (!comparison->mistake || comparison->hidden)
        return comparison_title(session);
    if (session->lecture && session->lecture->presents)
        return TELL(COMPARISON_MISTAKEN);
    snprintf(text, SCENARIO_EDIT_MAX, TELL(MISTAKE_NAMED), comparison->mistake->name);
    return text;
}

bool comparison_hides_step(const Session *session)
{
    const Comparison *comparison = &session->comparison;
    const Stage *stage = session->run.trace.steps[session->cursor.step].stage;
    return comparison->open && comparison->hidden && comparison->swapped &&
           stage_find(stage->name) != stage;
}

// --- stepping together

// The steps that the other run needs to be as far as the front.
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

static void comparison_measure(Session *session);

static void comparison_subtract(Session *session);

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

// Swaps the runs; shows the same step, tensor and element of the other one.
static void comparison_swap(Session *session)
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
    session->code.step = -1; // the other run may have other code
    session->statistics.measured = false;
    memset(session->cursor.views, 0, sizeof session->cursor.views);
    session_run_to(session, step < 0 ? 0 : step);
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

// --- distances at each step

const Tensor *comparison_tensor(const Session *session, int number)
{
    const Comparison *comparison = &session->comparison;
    const TraceTensor *front = &session->run.trace.tensors[number];
    int other = comparison->open ? trace_find(&comparison->trace, front->name) : -1;
    if (other < 0)
        return NULL;
    const Tensor *tensor = &comparison->trace.tensors[other].tensor;
    bool fits = tensor->storage.bytes && front->tensor.storage.bytes &&
                tensor->dtype == front->tensor.dtype && tensor_same_shape(tensor, &front->tensor);
    return fits ? tensor : NULL;
}

// A key of one row: its number in both runs.
typedef struct Ranked {
    float front, other;
} Ranked;

// Sorts by the front's number, descending; among equals, by the other run's.
static int by_rank(const void *a, const void *b)
{
    const Ranked *one = a, *two = b;
    if (one->front != two->front)
        return one->front > two->front ? -1 : 1;
    return one->other > two->other ? -1 : one->other < two->other;
}

static bool row_is_reordered(Ranked *row, ptrdiff_t length)
{
    for (ptrdiff_t j = 0; j < length; j++)
        if (isnan(row[j].front) || isnan(row[j].other))
            return false;
    qsort(row, (size_t)length, sizeof *row, by_rank);
    for (ptrdiff_t j = 1; j < length; j++)
        if (row[j].other > row[j - 1].other)
            return true;
    return false;
}

static double difference_at(const Tensor *front, const Tensor *other, const ptrdiff_t at[])
{
    if (front->dtype != DTYPE_F32)
        return 1.0;
    double a = (double)front->storage.f32[tensor_place(front, at)];
    double b = (double)other->storage.f32[tensor_place(other, at)];
    return fabs(a - b);
}

static void count_differences(const Tensor *front, const Tensor *other,
                              ComparisonDistance *distance)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    distance->count = tensor_count(front);
    for (bool more = distance->count > 0; more; more = tensor_next(front, at)) {
        if (tensor_same_number(front, other, at))
            continue;
        double difference = difference_at(front, other, at);
        distance->differing++;
        if (!(difference <= distance->largest) && !isnan(distance->largest))
            distance->largest = difference;
    }
}

// Returns false without memory for a row.
static bool count_reordered(const Tensor *front, const Tensor *other, ComparisonDistance *distance)
{
    ptrdiff_t length = front->shape[front->rank - 1];
    Ranked *row = malloc((size_t)length * sizeof *row);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, filled = 0;
    bool good = row || length == 0;
    for (bool more = row && length > 0; more; more = tensor_next(front, at)) {
        row[filled++] = (Ranked){front->storage.f32[tensor_place(front, at)],
                                 other->storage.f32[tensor_place(other, at)]};
        if (filled < length)
            continue;
        distance->rows++;
        distance->reordered += row_is_reordered(row, length);
        filled = 0;
    }
    free(row);
    return good;
}

// Scores and weights: rows are queries, columns keys.
static bool ranks_keys(const Trace *trace, int tensor)
{
    char text[16];
    int rank = trace->tensors[tensor].tensor.rank;
    return trace->tensors[tensor].tensor.dtype == DTYPE_F32 && rank >= 2 &&
           trace_axis(trace, tensor, rank - 1, text) && text[0] == 'L' && text[1] == 'k' &&
           trace_axis(trace, tensor, rank - 2, text) && text[0] == 'L' && text[1] == 'q';
}

static void subtract(const Tensor *front, const Tensor *other, const Tensor *difference)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(front) > 0; more; more = tensor_next(front, at))
        difference->storage.f32[tensor_place(difference, at)] =
            other->storage.f32[tensor_place(other, at)] -
            front->storage.f32[tensor_place(front, at)];
}

// Copies the front's trace, so that one tensor can be replaced.
static bool copy_front(Session *session, Error *err)
{
    Trace *copy = &session->comparison.difference;
    *copy = session->run.trace;
    copy->tensors = arena_take(&session->comparison.difference_arena, (size_t)copy->tensor_count,
                               sizeof *copy->tensors, err);
    if (!copy->tensors)
        return false;
    memcpy(copy->tensors, session->run.trace.tensors,
           (size_t)copy->tensor_count * sizeof *copy->tensors);
    return true;
}

// Updates the differences that a window shows: those in the current tensor.
static void comparison_subtract(Session *session)
{
    Comparison *comparison = &session->comparison;
    Error unused;
    const Tensor *front = &session_tensor(session)->tensor;
    const Tensor *other = comparison_tensor(session, session->cursor.tensor);
    bool wanted = comparison->show == COMPARISON_DIFFERENCE && other && front->dtype == DTYPE_F32;
    if (comparison->subtracted == (wanted ? session->cursor.tensor : -1))
        return;
    arena_finish(&comparison->difference_arena);
    comparison->subtracted = -1;
    session->run.number++;
    if (!wanted || !copy_front(session, &unused))
        return;
    TraceTensor *tensor = &comparison->difference.tensors[session->cursor.tensor];
    if (!tensor_take(&comparison->difference_arena, DTYPE_F32, front->rank, front->shape,
                     &tensor->tensor, &unused))
        return;
    subtract(front, other, &tensor->tensor);
    tensor->name = "other - this";
    tensor->is_difference = true;
    comparison->subtracted = session->cursor.tensor;
}

const Trace *comparison_window_trace(const Session *session)
{
    const Comparison *comparison = &session->comparison;
    bool differs = comparison->open && comparison->subtracted == session->cursor.tensor;
    return differs ? &comparison->difference : &session->run.trace;
}

// Measures the distance at every step that both runs have computed.
static void comparison_measure(Session *session)
{
    for (int step = 0; step < session->run.trace.step_count; step++) {
        ComparisonDistance *distance = &session->comparison.distances[step];
        int number = session_main_output(session, step);
        const Tensor *front = &session->run.trace.tensors[number].tensor;
        const Tensor *other = comparison_tensor(session, number);
        *distance = (ComparisonDistance){.known = other != NULL};
        if (!other)
            continue;
        count_differences(front, other, distance);
        if (ranks_keys(&session->run.trace, number) && !count_reordered(front, other, distance)) {
            session->comparison.failed = true;
            error_machine(&session->comparison.failure, TELL(COMPARISON_NO_MEMORY), step + 1);
        }
    }
}

// --- the source of the numbers

static void add(char text[SESSION_SOURCE_MAX], const char *more)
{
    enum { COLUMNS = SESSION_SOURCE_MAX / 3 }; // of at most three bytes each
    char whole[SESSION_SOURCE_MAX + SCENARIO_EDIT_MAX], shown[SCENARIO_FORMULA_SET_MAX];
    snprintf(whole, sizeof whole, "%s%s%.*s", text, text[0] ? "; " : "", SCENARIO_EDIT_MAX - 4,
             scenario_set_shown(more, shown));
    for (char *at = whole; *at; at++)
        *at = *at == '\n' || *at == '\r' || *at == '\t' ? ' ' : *at;
    utf8_cut(whole, COLUMNS, text, SESSION_SOURCE_MAX);
}

static void add_request(const ScenarioRequest *request, char text[SESSION_SOURCE_MAX])
{
    if (request->text)
        add(text, TELL(SOURCE_TEXT));
    for (int i = 0; i < request->set_count; i++)
        if (strcmp(request->sets[i], "backward=true") != 0) // adds numbers, changes none
            add(text, request->sets[i]);
}

static void add_learner(const LearnerStages *learner, char text[SESSION_SOURCE_MAX])
{
    char names[SESSION_SOURCE_MAX] = "";
    if (!learner)
        return;
    for (int i = 0; learner->stages && learner->stages[i]; i++)
        text_add(names, sizeof names, "%s%s", i ? ", " : TELL(SOURCE_OWN), learner->stages[i]);
    add(text, names[0] ? names : TELL(SOURCE_FUNCTIONS));
}

static void add_edits(const WhatIf *what_if, char text[SESSION_SOURCE_MAX])
{
    for (size_t i = 0; i < what_if->done; i++)
        add(text, what_if->edits[i].text);
}

static void add_changes(const Session *session, char text[SESSION_SOURCE_MAX])
{
    const Comparison *comparison = &session->comparison;
    bool is_other = comparison->open && comparison->swapped;
    add_request(&session->run.trace.scenario->request, text);
    if (!is_other || comparison->is_changed)
        add_edits(&session->what_if, text);
    if (!is_other)
        add_learner(session->learner.functions, text);
}

const char *session_changed_by(const Session *session, char text[SESSION_SOURCE_MAX])
{
    const Comparison *comparison = &session->comparison;
    text[0] = '\0';
    if (comparison->open && comparison->swapped && (comparison->hidden || comparison->is_changed))
        add(text, comparison_title(session));
    add_changes(session, text);
    return text;
}

const char *session_picture_changed_by(const Session *session, char text[SESSION_SOURCE_MAX])
{
    char both[SESSION_SOURCE_MAX];
    if (comparison_window_trace(session) == &session->run.trace)
        return session_changed_by(session, text);
    snprintf(both, sizeof both, TELL(SOURCE_DIFFERENCE), SESSION_SOURCE_MAX / 2,
             comparison_title(session));
    text[0] = '\0';
    add(text, both);
    add_changes(session, text);
    return text;
}

const char *session_document(const Session *session)
{
    char text[SESSION_SOURCE_MAX];
    const Scenario *scenario = session->run.trace.scenario;
    bool is_documents = !scenario->is_own && !session_changed_by(session, text)[0];
    return is_documents ? scenario->document : NULL;
}

const char *session_own_weights(const Session *session)
{
    const Scenario *scenario = session->run.trace.scenario;
    return scenario->is_own && !scenario->is_weights_file ? scenario->weights : NULL;
}

// --- commands

static bool needs_other(const Session *session, Error *err)
{
    return session->comparison.open || error_set(err, TELL(COMPARISON_NONE));
}

static bool open_other(Session *session, const char *what, Error *err)
{
    if (strcmp(what, "off") == 0) {
        if (!needs_other(session, err))
            return false;
        comparison_close(session);
        if (session->look.detail == DETAIL_BESIDE)
            session->look.detail = DETAIL_NONE;
        return true;
    }
    if (!comparison_open(session, what, err))
        return false;
    session->look.detail = DETAIL_BESIDE;
    char size[ROOM_TEXT_MAX], words[SCENARIO_EDIT_MAX];
    session_say(session, TELL(COMPARISON_RUNS), comparison_words(session, words),
                room_text(trace_bytes(&session->comparison.trace), size));
    return true;
}

const char *const comparison_show_names[COMPARISON_SHOWS + 1] = {"other", "difference", "stages"};

static bool show_as(Session *session, const char *name, Error *err)
{
    int show = name_index(comparison_show_names, name);
    if (show < 0)
        return error_set(err, TELL(COMPARISON_SHOWN), name);
    session->comparison.show = (ComparisonShow)show;
    session->look.detail = DETAIL_BESIDE;
    return true;
}

bool session_compare(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_COMPARE)
        return open_other(session, command->name, err);
    if (!needs_other(session, err))
        return false;
    if (command->kind == COMMAND_COMPARE_REVEAL) {
        comparison_reveal(session);
        return true;
    }
    if (command->kind == COMMAND_COMPARE_AS)
        return show_as(session, command->name, err);
    if (command->kind == COMMAND_COMPARE_NEXT) {
        session->comparison.show =
            (ComparisonShow)((session->comparison.show + 1) % COMPARISON_SHOWS);
        session->look.detail = DETAIL_BESIDE;
        return true;
    }
    char words[SCENARIO_EDIT_MAX];
    comparison_swap(session);
    session_say(session, TELL(COMPARISON_IN_FRONT),
                session->comparison.swapped ? comparison_words(session, words)
                                            : session->run.trace.scenario->name);
    return true;
}

void session_mark_mistake(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = 0;
    while (mistake_get((int)last + 1))
        last++;
    session->look.mistake = (int)index_move(session->look.mistake, by, last);
}

bool session_compare_marked(Session *session, Error *err)
{
    char what[SCENARIO_EDIT_MAX];
    const Mistake *marked = mistake_get(session->look.mistake);
    return open_other(session, comparison_of_mistake(marked->name, what), err);
}

// Finds what explains the first number of the learner that differs. The command succeeds even if nothing does,
// or if the function fails on other inputs.
static void explain(Session *session, int step)
{
    static RelationExplained explained; // too large for a small stack
    Comparison *comparison = &session->comparison;
    Error ignored;
    comparison->sentence[0] = comparison->formulas[0] = '\0';
    if (relation_explain(&session->run.trace, step, &comparison->learner->variant, &explained,
                         &ignored))
        relation_explained_say(&explained, language_now(), comparison->sentence,
                               comparison->formulas);
}

bool session_differ(Session *session, const Command *command, Error *err)
{
    TraceCell cell = session_cell(session);
    bool of_all = command->kind == COMMAND_DIFFER_FIRST;
    if (!needs_other(session, err))
        return false;
    while (!comparison_next_difference(session, of_all, &cell)) {
        bool is_done = session->run.trace.steps_done == session->run.trace.step_count;
        if (is_done || session->run.failed)
            return error_set(err, "%s",
                             of_all ? TELL(COMPARISON_ALL_SAME) : TELL(COMPARISON_NO_LATER));
        session_run_to(session, session->run.trace.steps_done);
        comparison_follow(session);
    }
    int step = session->run.trace.tensors[cell.tensor].step;
    session_show_cell(session, step, cell);
    if (of_all && session->comparison.learner && !session->comparison.swapped)
        explain(session, step);
    return true;
}
