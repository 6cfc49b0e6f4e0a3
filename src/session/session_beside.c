// The panel beside the values (details.def): which one, and its numbers or code.
#include <string.h>
#include "mistake.h"
#include "session_actions.h"
#include "session_words.def"

// --- which detail

enum { PAGE = 10 }; // terms

// Opens the list at the first mistake, from the marked one on, that can show in this scenario.
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

bool session_detail(Session *session, const Command *command, Error *err)
{
    (void)err;
    SessionDetail *shown = &session->look.detail;
    session->look.detail_line = 0;
    *shown = session_detail_command(*shown) == command->kind
                 ? DETAIL_NONE
                 : (SessionDetail)(DETAIL_ORIGIN + (int)command->kind - COMMAND_ORIGIN);
    if (*shown == DETAIL_MISTAKES)
        open_mistakes(session);
    return true;
}

// Scrolls a page that is longer than its place.
static bool move_lines(Session *session, ptrdiff_t by, Error *err)
{
    ptrdiff_t most = session->room.detail_over;
    ptrdiff_t line = index_min(session->look.detail_line, most);
    if (most == 0)
        return error_set(err, TELL(NO_TERMS));
    session->look.detail_line = index_move(line, by, most);
    return true;
}

bool session_mark(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_TERM)
        return session_choose_term(session, command->number, err);
    ptrdiff_t by = command->kind == COMMAND_TERM_PREVIOUS ? -command->number
                   : command->kind == COMMAND_TERMS_UP    ? -PAGE
                   : command->kind == COMMAND_TERMS_DOWN  ? PAGE
                                                          : command->number;
    switch (session->look.detail) {
    case DETAIL_ORIGIN:
        return session_move_term(session, by, err);
    case DETAIL_SOURCE:
        session->code.line = index_move(session->code.line, by, session_code(session)->count - 1);
        return true;
    case DETAIL_MISTAKES:
        session_mark_mistake(session, by);
        return true;
    default:
        return move_lines(session, by, err);
    }
}

// Without a detail to enter, shows the origin first.
bool session_enter(Session *session, const Command *command, Error *err)
{
    bool is_first = command->kind == COMMAND_ENTER;
    if (session->look.detail == DETAIL_MISTAKES)
        return session_compare_marked(session, err);
    if (session->look.detail == DETAIL_ORIGIN)
        return session_walk_in(
            session, is_first ? command->number : 2 + (int)command->kind - COMMAND_INPUT_SECOND,
            err);
    session->look.detail = DETAIL_ORIGIN;
    return true;
}

// --- options of some details

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
// Computes a step when it is shown, not with every key. After an edit everything is computed again.

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

static bool is_weights(const Session *session)
{
    const TraceTensor *looked = session_tensor(session);
    const TraceStep *steps = session->run.trace.steps;
    return looked->step >= 0 && steps[looked->step].call->writes[looked->slot].sums_to_one &&
           looked->tensor.dtype == DTYPE_F32 && looked->tensor.rank >= 1;
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

// A mistake may have no function for its loop, or no function at all.
ptrdiff_t session_code_definition(const Session *session)
{
    const StageCode *code = session_code(session);
    const TraceStep *step = &session->run.trace.steps[session->cursor.step];
    const char *const names[] = {step->call->loop, step->stage->loop, step->stage->name};
    int line = -1;
    for (size_t i = 0; line < 0 && i < sizeof names / sizeof *names; i++)
        line = names[i] ? stage_code_function(code, names[i]) : -1;
    return line < 0 ? 0 : line;
}

ptrdiff_t session_code_of_term(const Session *session)
{
    SessionTerm now;
    int step = session->cursor.step;
    const Stage *stage = session->run.trace.steps[step].stage;
    bool is_right = !session_step_is_learners(session, step) && !mistake_code(stage) &&
                    !session->run.trace.steps[step].formula;
    if (!is_right || !session_term(session, &now))
        return -1;
    bool is_main = session->run.trace.tensors[session->cursor.tensor].slot == stage->main_output;
    const char *own = is_main ? NULL : stage->other_terms[now.term.kind];
    const char *piece = own ? own : stage->terms[now.term.kind];
    return piece ? stage_code_line(session_code(session), piece,
                                   (int)session_code_definition(session))
                 : -1;
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
