// lane: the run beside the one that is stepped through; see lane.h.
#include "lane.h"

#include <stdlib.h>
#include <string.h>
#include "scenario_file.h"
#include "session_actions.h"
#include "shell_word.h"
#include "session_words.h"

// --- what is beside what

// The step of the other lane with the same name; -1: it has none.
static int other_step(const Session *session, int step)
{
    char name[64], other[64];
    const Lane *lane = &session->lane;
    trace_step_name(&session->run.trace, step, name);
    for (int i = 0; i < lane->trace.step_count; i++)
        if (strcmp(trace_step_name(&lane->trace, i, other), name) == 0)
            return i;
    return -1;
}

const Tensor *lane_tensor(const Session *session, int number)
{
    const Lane *lane = &session->lane;
    const TraceTensor *front = &session->run.trace.tensors[number];
    int other = lane->open ? trace_find(&lane->trace, front->name) : -1;
    if (other < 0)
        return NULL;
    const Tensor *tensor = &lane->trace.tensors[other].tensor;
    bool fits = tensor->storage.bytes && front->tensor.storage.bytes &&
                tensor->dtype == front->tensor.dtype && tensor_same_shape(tensor, &front->tensor);
    return fits ? tensor : NULL;
}

// --- opening

static const char mistake_word[] = "mistake ";

const char *lane_of_mistake(const char *name, char what[SCENARIO_EDIT_MAX])
{
    snprintf(what, SCENARIO_EDIT_MAX, "%s%s", mistake_word, name);
    return what;
}

static bool open_mistake(Session *session, const char *name, TraceWay *way, Error *err)
{
    Lane *lane = &session->lane;
    char *end;
    long number = strtol(name, &end, 10);
    lane->mistake = *end == '\0' && end != name ? mistake_get((int)number - 1) : mistake_find(name);
    if (!lane->mistake)
        return error_set(err, TELL(MISTAKE_UNKNOWN), name);
    way->stages = lane->mistake->stages;
    return scenario_copy(&lane->scenario, session->run.trace.scenario, err);
}

static bool open_scenario(Session *session, const char *name, Error *err)
{
    ScenarioRequest request = {.what = name,
                               .no_files = session->run.trace.scenario->request.no_files};
    if (session->guide && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
        return error_set(err, TELL(SCENARIO_NO_NAME), name);
    return scenario_open(&session->lane.scenario, &request, err);
}

// The same scenario with another sentence; shapes agree where it has as many tokens.
static bool open_text(Session *session, const char *text, Error *err)
{
    ScenarioRequest request = session->run.trace.scenario->request;
    request.text = text;
    return scenario_open(&session->lane.scenario, &request, err);
}

static bool open_mine(Session *session, const char *folder, TraceWay *way, Error *err)
{
    Lane *lane = &session->lane;
    char word[SHELL_PATH_ROOM];
    if (!session->mine.open || session->guide)
        return error_set(err, TELL(LANE_MINE), shell_path(session->run.trace.scenario->name, word));
    if (!session->mine.open(session->mine.context, *folder ? folder : NULL, &lane->mine, err))
        return false;
    *way = lane->mine->way;
    return scenario_copy(&lane->scenario, session->run.trace.scenario, err);
}

static bool open_way(Session *session, const char *what, TraceWay *way, Error *err)
{
    static const char text[] = "text ";
    static const char mine[] = "mine";
    size_t mine_length = strlen(mine);
    session->lane.is_changed = true;
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
    session->lane.is_changed = strchr(what, '=') != NULL;
    return session->lane.is_changed ? what_if_open(session, what, &session->lane.scenario, err)
                                    : open_scenario(session, what, err);
}

// Lanes can be compared where the same outputs have the same shapes; one is enough.
static bool can_compare(const Session *session, Error *err)
{
    const Trace *front = &session->run.trace, *other = &session->lane.trace;
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
    return name ? error_set(err, TELL(LANE_SHAPES), name, text, other_text)
                : error_set(err, TELL(LANE_NOTHING));
}

static bool is_possible(const Session *session, Error *err)
{
    const Mistake *mistake = session->lane.mistake;
    const Words *why = mistake ? mistake_cannot_show(mistake, session->run.trace.scenario) : NULL;
    return !why || error_set(err, TELL(LANE_CANNOT), mistake->name, words_tell(*why));
}

static const char hidden_word[] = "hidden ";

bool lane_open(Session *session, const char *what, Error *err)
{
    Lane *lane = &session->lane;
    TraceWay way = {.stages = NULL};
    LaneShow show = lane->show;
    if (strlen(what) >= sizeof lane->name)
        return error_set(err, TELL(LANE_LONG), what);
    char name[sizeof lane->name];
    strcpy(name, what);
    lane_close(session);
    strcpy(lane->name, name);
    lane->show = show;
    lane->hidden = strncmp(name, hidden_word, strlen(hidden_word)) == 0;
    bool opened = open_way(session, name + (lane->hidden ? strlen(hidden_word) : 0), &way, err);
    lane->open = opened;
    if (opened && trace_open_way(&lane->trace, &lane->scenario, &way, err) &&
        can_compare(session, err) && is_possible(session, err)) {
        lane_follow(session);
        return true;
    }
    lane_close(session);
    return false;
}

void lane_close(Session *session)
{
    Lane *lane = &session->lane;
    if (lane->swapped)
        lane_swap(session);
    explanation_finish(&lane->explanation);
    arena_finish(&lane->difference_arena);
    if (lane->open) {
        session->run.number++; // a window may show the differences
        trace_close(&lane->trace);
        scenario_finish(&lane->scenario);
    }
    *lane = (Lane){.show = lane->show, .subtracted = -1};
}

// --- what it is called

void lane_reveal(Session *session)
{
    Lane *lane = &session->lane;
    if (!lane->hidden)
        return;
    lane->hidden = false;
    memmove(lane->name, lane->name + strlen(hidden_word),
            strlen(lane->name + strlen(hidden_word)) + 1);
}

const char *lane_title(const Session *session)
{
    return session->lane.hidden ? "?" : session->lane.name;
}

bool lane_hides_step(const Session *session)
{
    const Lane *lane = &session->lane;
    const Stage *stage = session->run.trace.steps[session->cursor.step].stage;
    return lane->open && lane->hidden && lane->swapped && stage_find(stage->name) != stage;
}

// --- stepping together

// How many steps the other lane needs to be as far as the front.
static int wanted_steps(const Session *session)
{
    int wanted = 0;
    if (session->run.trace.steps_done == session->run.trace.step_count)
        return session->lane.trace.step_count;
    for (int step = 0; step < session->run.trace.steps_done; step++) {
        int other = other_step(session, step);
        wanted = other >= wanted ? other + 1 : wanted;
    }
    return wanted;
}

static void follow_term(Session *session)
{
    Lane *lane = &session->lane;
    Error unused;
    TraceCell cell = session_cell(session);
    explanation_finish(&lane->explanation);
    const char *name = session_tensor(session)->name;
    if (session->cursor.depth != DEPTH_TERM || !lane_tensor(session, session->cursor.tensor))
        return;
    cell.tensor = trace_find(&lane->trace, name);
    explanation_make(&lane->explanation, &lane->trace, cell, &unused);
}

void lane_follow(Session *session)
{
    Lane *lane = &session->lane;
    if (!lane->open)
        return;
    int wanted = wanted_steps(session);
    while (!lane->failed && lane->trace.steps_done < wanted)
        lane->failed = !trace_step(&lane->trace, &lane->failure);
    follow_term(session);
    lane_subtract(session);
    if (session->look.detail == DETAIL_LANES && lane->show == LANE_STAGES)
        lane_measure(session);
}

bool lane_term(const Session *session, ptrdiff_t number, TraceTerm *term)
{
    const Explanation *explanation = &session->lane.explanation;
    bool there = number >= 0 && number < explanation->count;
    if (there)
        *term = explanation->terms[number];
    return there;
}

void lane_swap(Session *session)
{
    Lane *lane = &session->lane;
    const char *tensor = session_tensor(session)->name;
    SessionView view = *session_view(session);
    int step = other_step(session, session->cursor.step);
    Trace front = session->run.trace;
    session->run.trace = lane->trace;
    lane->trace = front;
    lane->swapped = !lane->swapped;
    lane->failed = false;
    lane->subtracted = -1;
    session->run.number++;
    session->origin.known = false;
    session->code.step = -1; // the other lane's code may be another
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

bool lane_next_difference(const Session *session, bool of_all, TraceCell *cell)
{
    for (int number = of_all ? 0 : cell->tensor; number < session->run.trace.tensor_count;
         number++) {
        TraceCell at = {.tensor = number};
        const Tensor *front = &session->run.trace.tensors[number].tensor;
        const Tensor *other = lane_tensor(session, number);
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
