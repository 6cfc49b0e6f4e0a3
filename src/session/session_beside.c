// What stands beside the values (details.def): which detail, and the numbers or the code in it.
#include <string.h>
#include "mistake.h"
#include "session_actions.h"
#include "session_words.def"

// --- which detail

enum { PAGE = 10 }; // terms

// --- what they do

static void open_nothing(Session *session)
{
    (void)session;
}

// The list opens at the first mistake, from the marked one on, that can show in this scenario.
static void open_mistakes(Session *session)
{
    const Scenario *scenario = session->run.trace.scenario;
    int number = session->look.mistake;
    const Mistake *mistake = mistake_get(number);
    while (mistake && mistake_cannot_show(mistake, scenario))
        mistake = mistake_get(++number);
    if (mistake)
        session->look.mistake = number;
}

static bool move_nothing(Session *session, ptrdiff_t by, Error *err)
{
    (void)session, (void)by;
    return error_set(err, TELL(NO_TERMS));
}

// The lines of a page, where it is longer than its place.
static bool move_lines(Session *session, ptrdiff_t by, Error *err)
{
    ptrdiff_t most = session->room.detail_over, line = session->look.detail_line;
    if (most == 0)
        return move_nothing(session, by, err);
    line = line > most ? most : line;
    session->look.detail_line = by > most - line ? most : by < -line ? 0 : line + by;
    return true;
}

static bool move_terms(Session *session, ptrdiff_t by, Error *err)
{
    return session_move_term(session, by, err);
}

static void session_scroll_code(Session *session, ptrdiff_t by);

static bool move_code(Session *session, ptrdiff_t by, Error *err)
{
    (void)err;
    session_scroll_code(session, by);
    return true;
}

static bool move_mistakes(Session *session, ptrdiff_t by, Error *err)
{
    (void)err;
    session_mark_mistake(session, by);
    return true;
}

// Where the origin is not shown yet, it is shown first.
static bool enter_origin(Session *session, ptrdiff_t wanted, Error *err)
{
    (void)wanted, (void)err;
    session->look.detail = DETAIL_ORIGIN;
    return true;
}

static bool enter_input(Session *session, ptrdiff_t wanted, Error *err)
{
    return session_walk_in(session, wanted, err);
}

static bool enter_mistake(Session *session, ptrdiff_t wanted, Error *err)
{
    (void)wanted;
    return session_compare_marked(session, err);
}

// --- the list

typedef struct Detail {
    CommandKind command;
    void (*open)(Session *session);
    bool (*move)(Session *session, ptrdiff_t by, Error *err);
    bool (*enter)(Session *session, ptrdiff_t wanted, Error *err);
} Detail;

static const Detail details[DETAIL_COUNT] = {
    [DETAIL_NONE] = {COMMAND_COUNT, open_nothing, move_nothing, enter_origin},
#define DETAIL(NAME, name, key, opens, moves, enters, ...) \
    [DETAIL_##NAME] = {COMMAND_##NAME, open_##opens, move_##moves, enter_##enters},
#include "details.def"
#undef DETAIL
};

bool session_detail(Session *session, const Command *command, Error *err)
{
    (void)err;
    SessionDetail *shown = &session->look.detail;
    session->look.detail_line = 0;
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (details[detail].command == command->kind)
            *shown = *shown == (SessionDetail)detail ? DETAIL_NONE : (SessionDetail)detail;
    details[*shown].open(session);
    return true;
}

static ptrdiff_t distance_of(const Command *command)
{
    switch (command->kind) {
    case COMMAND_TERM_PREVIOUS:
        return -command->number;
    case COMMAND_TERMS_UP:
        return -PAGE;
    case COMMAND_TERMS_DOWN:
        return PAGE;
    default:
        return command->number;
    }
}

bool session_mark(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_TERM)
        return session_choose_term(session, command->number, err);
    return details[session->look.detail].move(session, distance_of(command), err);
}

static ptrdiff_t wanted_input(const Command *command)
{
    switch (command->kind) {
    case COMMAND_INPUT_SECOND:
        return 2;
    case COMMAND_INPUT_THIRD:
        return 3;
    case COMMAND_INPUT_FOURTH:
        return 4;
    default:
        return command->number;
    }
}

bool session_enter(Session *session, const Command *command, Error *err)
{
    return details[session->look.detail].enter(session, wanted_input(command), err);
}

// --- how some of them look

bool session_map(Session *session, const Command *command, Error *err)
{
    (void)err;
    session->look.detail = DETAIL_HEATMAP;
    if (command->kind == COMMAND_ALL_HEADS)
        session->look.all_heads = !session->look.all_heads;
    else
        session->look.scale_to_largest = !session->look.scale_to_largest;
    return true;
}

bool session_memory_by(Session *session, const Command *command, Error *err)
{
    bool by_head = command->kind == COMMAND_MEMORY_BY ? strcmp(command->name, "head") == 0
                                                      : !session->look.memory_by_head;
    if (command->kind == COMMAND_MEMORY_BY && !by_head && strcmp(command->name, "token") != 0)
        return error_set(err, TELL(MEMORY_BY), command->name);
    session->look.detail = DETAIL_MEMORY;
    session->look.memory_by_head = by_head;
    return true;
}

// --- the tensor in float64, while its errors are shown
//
// A step is computed when it is looked at, not with every key; after a change all of it is computed again.

void session_forget_exact(Session *session)
{
    trace_exact_close(&session->exact.alone);
    trace_exact_close(&session->exact.since);
    session->exact = (SessionExact){.known = false, .tensor = -1, .step = -1};
}

// Runs what is missing up to `step`.
static bool reach(SessionExact *exact, const Trace *trace, int step)
{
    if (!exact->since.trace && !trace_exact_open(&exact->since, trace, &exact->why))
        return false;
    while (exact->since.wide.steps_done <= step)
        if (!trace_exact_step(&exact->since, &exact->why))
            return false;
    if (exact->step == step)
        return true;
    trace_exact_close(&exact->alone);
    exact->step = -1;
    if (!trace_exact_alone(&exact->alone, trace, step, &exact->why))
        return false;
    exact->step = step;
    return true;
}

void session_measure_exact(Session *session)
{
    SessionExact *exact = &session->exact;
    const Trace *trace = &session->run.trace;
    int tensor = session->cursor.tensor, step = session_tensor(session)->step;
    bool is_wanted = session->look.detail == DETAIL_EXACT && session_has_values(session);
    if (!is_wanted || exact->run != session->run.number)
        session_forget_exact(session);
    exact->known = false;
    exact->run = session->run.number;
    if (!is_wanted || step < 0 || !reach(exact, trace, step))
        return;
    exact->known = trace_exact_has(&exact->alone, tensor) && trace_exact_has(&exact->since, tensor);
    if (exact->known && exact->tensor != tensor) {
        exact->error_alone = trace_exact_error(&exact->alone, tensor);
        exact->error_since = trace_exact_error(&exact->since, tensor);
        exact->tensor = tensor;
    }
}

// --- statistics, while they are shown

static const Slot *slot_of(const Session *session)
{
    const TraceTensor *looked = session_tensor(session);
    return looked->step < 0 ? NULL
                            : &session->run.trace.steps[looked->step].call->writes[looked->slot];
}

static bool is_weights(const Session *session)
{
    const Slot *slot = slot_of(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    return slot && slot->sums_to_one && tensor->dtype == DTYPE_F32 && tensor->rank >= 1;
}

Tensor session_slice(const Session *session, ptrdiff_t base[TENSOR_RANK_MAX])
{
    Tensor slice = session_tensor(session)->tensor;
    for (int axis = 0; axis < slice.rank; axis++) {
        bool picked = session_axis_is_picked(session, axis);
        base[axis] = picked ? session_view(session)->at[axis] : 0;
        if (picked)
            slice = tensor_narrow(&slice, axis, base[axis], 1);
    }
    return slice;
}

static void measure_slice(Session *session, SessionStatistics *all, const TraceMarks *marks)
{
    ptrdiff_t base[TENSOR_RANK_MAX] = {0};
    Tensor slice = session_slice(session, base);
    bool is_same = all->measured && memcmp(&slice, &all->slice_view, sizeof slice) == 0;
    if (!is_same)
        all->slice = statistics_of(&slice, base, marks);
    all->slice_view = slice;
}

void session_measure(Session *session)
{
    SessionStatistics *all = &session->statistics;
    const Tensor *tensor = &session_tensor(session)->tensor;
    static const ptrdiff_t start[TENSOR_RANK_MAX] = {0};
    if (session->look.detail != DETAIL_STATISTICS || !session_has_values(session)) {
        all->measured = false;
        return;
    }
    TraceMarks marks = trace_marks(&session->run.trace, session->cursor.tensor);
    all->measured = all->measured && all->tensor == session->cursor.tensor;
    measure_slice(session, all, &marks);
    if (!all->measured) {
        all->tensor = session->cursor.tensor;
        all->whole = statistics_of(tensor, start, &marks);
        all->is_weights = is_weights(session);
        if (all->is_weights)
            all->rows = statistics_row_sums(tensor);
    }
    if (all->is_weights)
        all->row = statistics_row_sum(tensor, session_view(session)->at);
    all->measured = true;
}

// --- the part of a stage's code that is visible

const StageCode *session_code(const Session *session)
{
    const Stage *stage = session->run.trace.steps[session->cursor.step].stage;
    const StageCode *wrong = mistake_code(stage);
    return wrong ? wrong : stage_code(stage->name);
}

static int function_of(const StageCode *code, const char *name)
{
    return name ? stage_code_function(code, name) : -1;
}

// A mistake may be too short to have a function of its own for the loop, or any.
ptrdiff_t session_code_definition(const Session *session)
{
    const StageCode *code = session_code(session);
    const TraceStep *step = &session->run.trace.steps[session->cursor.step];
    const char *const names[] = {step->call->loop, step->stage->loop, step->stage->name};
    int line = -1;
    for (size_t i = 0; line < 0 && i < sizeof names / sizeof *names; i++)
        line = function_of(code, names[i]);
    return line < 0 ? 0 : line;
}

ptrdiff_t session_code_of_term(const Session *session)
{
    SessionTerm now;
    int step = session->cursor.step;
    const Stage *stage = session->run.trace.steps[step].stage;
    bool is_right = !session_step_is_learners(session, step) && !mistake_code(stage) &&
                    !session->run.trace.steps[step].formula;
    if (!is_right || !session_term(session, &now) || !stage->terms[now.term.kind])
        return -1;
    return stage_code_line(session_code(session), stage->terms[now.term.kind],
                           (int)session_code_definition(session));
}

void session_open_code(Session *session)
{
    if (session->code.step == session->cursor.step)
        return;
    session->code =
        (SessionCode){.step = session->cursor.step, .line = session_code_definition(session)};
}

bool session_code_is_led(const Session *session, const ScreenSize *room)
{
    return room->code_from <= 0 || (session->code.led_from == room->code_from &&
                                    session->code.led_to == session_code_of_term(session));
}

void session_lead_code(Session *session, const ScreenSize *room)
{
    ptrdiff_t from = room->code_from, count = session_code(session)->count;
    if (session_code_is_led(session, room))
        return;
    session->code.led_from = from;
    session->code.led_to = session_code_of_term(session);
    session->code.line = from < count ? from - 1 : count - 1;
}

static void session_scroll_code(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = session_code(session)->count - 1, line = session->code.line;
    session->code.line = by > last - line ? last : by < -line ? 0 : line + by;
}
