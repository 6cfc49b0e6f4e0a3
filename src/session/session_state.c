// Small questions: about a tensor's numbers, about a session, and how one tensor is shown. Uses no other file of this
// folder.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session_actions.h"
#include "session_words.def"

// --- conditions in words

static const struct {
    const char *word;
    ConditionKind kind;
    bool compares; // with the number that follows
} spellings[] = {
    {">=", CONDITION_AT_LEAST, true},      {"<=", CONDITION_AT_MOST, true},
    {"!=", CONDITION_OTHER, true},         {"=", CONDITION_EQUAL, true},
    {">", CONDITION_ABOVE, true},          {"<", CONDITION_BELOW, true},
    {"nan", CONDITION_NAN, false},         {"infinity", CONDITION_INFINITE, false},
    {"inf", CONDITION_INFINITE, false},    {"masked", CONDITION_MASKED, false},
    {"largest", CONDITION_LARGEST, false}, {"smallest", CONDITION_SMALLEST, false},
};

enum { SPELLINGS = sizeof spellings / sizeof *spellings };

static bool read_number(const char *text, double *number, Error *err)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || end[strspn(end, " \t")] != '\0')
        return error_set(err, TELL(CONDITION_NUMBER), text);
    if (isnan(*number))
        return error_set(err, TELL(CONDITION_NAN));
    return true;
}

// Half of the last place typed: 0.00005 for "0.4010", 0 for "4" (exact).
static double half_of_last_place(const char *text)
{
    const char *point = strchr(text, '.');
    if (!point)
        return 0.0;
    size_t decimals = strspn(point + 1, "0123456789");
    const char *after = point + 1 + decimals;
    long exponent = *after == 'e' || *after == 'E' ? strtol(after + 1, NULL, 10) : 0;
    return 0.5 * pow(10.0, (double)exponent - (double)decimals);
}

bool condition_parse(const char *text, Condition *condition, Error *err)
{
    *condition = (Condition){.kind = CONDITION_NONE};
    text += strspn(text, " \t");
    for (size_t i = 0; i < SPELLINGS; i++) {
        size_t length = strlen(spellings[i].word);
        const char *rest = text + length;
        if (strncmp(text, spellings[i].word, length) != 0)
            continue;
        rest += spellings[i].kind == CONDITION_EQUAL && *rest == '='; // == is the same
        rest += strspn(rest, " \t");
        if (!spellings[i].compares && *rest != '\0')
            break;
        condition->kind = spellings[i].kind;
        condition->half_unit = spellings[i].compares ? half_of_last_place(rest) : 0.0;
        return !spellings[i].compares || read_number(rest, &condition->number, err);
    }
    Error no_number;
    if (read_number(text, &condition->number, &no_number)) {
        condition->kind = CONDITION_EQUAL;
        condition->half_unit = half_of_last_place(text);
        return true;
    }
    return error_set(err, TELL(CONDITION_UNKNOWN), text);
}

const char *condition_text(Condition condition, char text[CONDITION_TEXT_MAX])
{
    text[0] = '\0';
    for (size_t i = 0; i < SPELLINGS && !text[0]; i++)
        if (spellings[i].kind == condition.kind) {
            snprintf(text, CONDITION_TEXT_MAX, "%s", spellings[i].word);
            if (spellings[i].compares)
                snprintf(text, CONDITION_TEXT_MAX, "%s %.15g", spellings[i].word, condition.number);
        }
    return text;
}

// --- the elements that meet one

// Allows slightly more than half a place, because 0.40105 lies between two floats.
static bool is_written_so(Condition condition, double value)
{
    return value == condition.number ||
           fabs(value - condition.number) <= condition.half_unit * (1.0 + 1e-9);
}

static bool compares(Condition condition, double value)
{
    switch (condition.kind) {
    case CONDITION_ABOVE:
        return value > condition.number;
    case CONDITION_BELOW:
        return value < condition.number;
    case CONDITION_AT_LEAST:
        return value >= condition.number;
    case CONDITION_AT_MOST:
        return value <= condition.number;
    case CONDITION_EQUAL:
        return is_written_so(condition, value);
    case CONDITION_OTHER:
        return !is_written_so(condition, value);
    case CONDITION_NAN:
        return isnan(value);
    case CONDITION_INFINITE:
        return isinf(value);
    default:
        return false;
    }
}

// The condition "= extreme"; NaN, which nothing equals, if there is no number.
static Condition equal_to_extreme(Condition condition, const Tensor *tensor)
{
    double sign = condition.kind == CONDITION_LARGEST ? 1.0 : -1.0, extreme = (double)NAN;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at)) {
        double value = tensor_number(tensor, at);
        if (!isnan(value) && (isnan(extreme) || sign * value > sign * extreme))
            extreme = value;
    }
    return (Condition){.kind = CONDITION_EQUAL, .number = extreme};
}

ConditionMatches condition_matches(Condition condition, const Trace *trace, int number,
                                   ptrdiff_t after)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    TraceMarks marks = trace_marks(trace, number);
    ConditionMatches matches = {.first = -1, .next = -1};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, element = 0;
    if (tensor->dtype == DTYPE_F32)
        condition.number = (double)(float)condition.number;
    if (condition.kind == CONDITION_LARGEST || condition.kind == CONDITION_SMALLEST)
        condition = equal_to_extreme(condition, tensor);
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at), element++) {
        bool match = condition.kind == CONDITION_MASKED
                         ? trace_mark_at(&marks, at) == TRACE_MASKED
                         : compares(condition, tensor_number(tensor, at));
        if (!match)
            continue;
        if (matches.count == 0)
            matches.first = element;
        if (matches.next < 0 && element > after) {
            matches.next = element;
            matches.order = matches.count;
        }
        matches.count++;
    }
    return matches;
}

// --- statistics

// Updates mean and squared distances in one pass, without the cancellation of sums of squares.
// Source: Welford 1962.
static void take_in(Summary *summary, double value, double *squares)
{
    summary->nan += isnan(value);
    summary->infinite += isinf(value) != 0;
    if (!isfinite(value))
        return;
    summary->finite++;
    bool first = summary->finite == 1;
    summary->smallest = first || value < summary->smallest ? value : summary->smallest;
    summary->largest = first || value > summary->largest ? value : summary->largest;
    double before = value - summary->mean;
    summary->mean += before / (double)summary->finite;
    *squares += before * (value - summary->mean);
}

Summary statistics_of(const Tensor *part, const ptrdiff_t base[], const TraceMarks *marks)
{
    Summary summary = {.count = tensor_count(part)};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, whole[TENSOR_RANK_MAX] = {0};
    double squares = 0.0;
    for (bool more = summary.count > 0; more; more = tensor_next(part, at)) {
        for (int axis = 0; axis < part->rank; axis++)
            whole[axis] = base[axis] + at[axis];
        summary.masked += trace_mark_at(marks, whole) == TRACE_MASKED;
        take_in(&summary, tensor_number(part, at), &squares);
    }
    summary.deviation =
        summary.finite > 1 ? sqrt(squares / (double)(summary.finite - 1)) : (double)NAN;
    return summary;
}

double statistics_row_sum(const Tensor *weights, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = weights->rank - 1;
    double sum = 0.0;
    memcpy(place, at, sizeof place);
    for (place[last] = 0; place[last] < weights->shape[last]; place[last]++)
        sum += (double)weights->storage.f32[tensor_place(weights, place)];
    return sum;
}

RowSums statistics_row_sums(const Tensor *weights)
{
    RowSums sums = {0};
    Tensor rows = tensor_narrow(weights, weights->rank - 1, 0, 1);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(weights) > 0; more; more = tensor_next(&rows, at)) {
        double sum = statistics_row_sum(weights, at);
        sums.rows++;
        sums.nan += isnan(sum);
        bool first = sums.rows == sums.nan + 1;
        if (isnan(sum))
            continue;
        sums.smallest = first || sum < sums.smallest ? sum : sums.smallest;
        sums.largest = first || sum > sums.largest ? sum : sums.largest;
    }
    return sums;
}

// --- small questions

const char *const session_depth_names[DEPTH_COUNT + 1] = {
    [DEPTH_STAGE] = "stage", [DEPTH_ELEMENT] = "element", [DEPTH_TERM] = "term"};

int name_index(const char *const names[], const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

CommandKind session_detail_command(SessionDetail detail)
{
    return (CommandKind)(COMMAND_ORIGIN + (int)detail - DETAIL_ORIGIN);
}

int session_tensors(const Session *session, int step, int tensors[SESSION_TENSORS_MAX])
{
    const TraceStep *wiring = &session->run.trace.steps[step];
    int count = 0;
    for (int slot = 0; slot < STAGE_READS_MAX && wiring->call->reads[slot].role; slot++)
        if (wiring->reads[slot] >= 0)
            tensors[count++] = wiring->reads[slot];
    for (int slot = 0; slot < STAGE_WRITES_MAX && wiring->call->writes[slot].role; slot++)
        if (wiring->writes[slot] >= 0)
            tensors[count++] = wiring->writes[slot];
    return count;
}

int session_main_output(const Session *session, int step)
{
    const TraceStep *wiring = &session->run.trace.steps[step];
    return wiring->writes[wiring->stage->main_output];
}

int session_step_with(const Session *session, int tensor)
{
    int tensors[SESSION_TENSORS_MAX];
    int made = session->run.trace.tensors[tensor].step;
    for (int step = 0; made < 0 && step < session->run.trace.step_count; step++) {
        int count = session_tensors(session, step, tensors);
        for (int i = 0; i < count && made < 0; i++)
            made = tensors[i] == tensor ? step : -1;
    }
    return made >= 0 ? made : session->cursor.step;
}

const TraceTensor *session_tensor(const Session *session)
{
    return &session->run.trace.tensors[session->cursor.tensor];
}

const SessionView *session_view(const Session *session)
{
    return &session->cursor.views[session->cursor.tensor];
}

bool session_axis_is_picked(const Session *session, int axis)
{
    const SessionView *view = session_view(session);
    return axis != view->row_axis && axis != view->column_axis;
}

TraceCell session_cell(const Session *session)
{
    TraceCell cell = {.tensor = session->cursor.tensor};
    size_t rank = (size_t)session_tensor(session)->tensor.rank;
    memcpy(cell.at, session_view(session)->at, rank * sizeof *cell.at);
    return cell;
}

bool session_same_cell(TraceCell a, TraceCell b)
{
    return a.tensor == b.tensor && memcmp(a.at, b.at, sizeof a.at) == 0;
}

bool session_has_values(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    return tensor->storage.bytes && tensor_count(tensor) > 0;
}

bool session_step_is_learners(const Session *session, int step)
{
    const LearnerStages *learner =
        session->comparison.swapped ? session->comparison.learner : session->learner.functions;
    for (const char *const *name = learner ? learner->stages : NULL; name && *name; name++)
        if (strcmp(*name, session->run.trace.steps[step].stage->name) == 0)
            return true;
    return false;
}

bool session_could_compute(const Session *session, Error *err)
{
    const Error *failure = session->run.failed          ? &session->run.failure
                           : session->comparison.failed ? &session->comparison.failure
                                                        : NULL;
    return !failure || !failure->of_machine || error_machine(err, "%s", failure->text);
}

void session_say(Session *session, const char *format, ...)
{
    char text[sizeof session->message.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(&session->message, "%s", text);
}

// --- one view

void session_view_open(SessionView *view, const Tensor *tensor)
{
    *view = (SessionView){
        .opened = true,
        .row_axis = tensor->rank >= 2 ? tensor->rank - 2 : -1,
        .column_axis = tensor->rank - 1,
        .marked_axis = tensor->rank >= 3 ? tensor->rank - 3 : -1,
    };
    while (view->marked_axis > 0 && tensor->shape[view->marked_axis] == 1)
        view->marked_axis--;
}

void session_view_move(SessionView *view, const Tensor *tensor, int axis, ptrdiff_t by)
{
    if (axis < 0)
        return;
    view->at[axis] = index_move(view->at[axis], by, tensor->shape[axis] - 1);
}

static ptrdiff_t scrolled(ptrdiff_t first, ptrdiff_t at, ptrdiff_t room, ptrdiff_t length)
{
    room = index_max(room, 1);
    first = index_clamp(index_min(first, length - room), at - room + 1, at);
    return index_max(first, 0);
}

void session_view_scroll(SessionView *view, const Tensor *tensor, ptrdiff_t rows, ptrdiff_t columns)
{
    int down = view->row_axis, across = view->column_axis;
    if (down >= 0)
        view->first_row = scrolled(view->first_row, view->at[down], rows, tensor->shape[down]);
    if (across >= 0)
        view->first_column =
            scrolled(view->first_column, view->at[across], columns, tensor->shape[across]);
}

bool session_has_element(const Session *session, const Command *command, Error *err)
{
    const TraceTensor *looked = session_tensor(session);
    const Tensor *tensor = &looked->tensor;
    char index[TENSOR_TEXT_MAX], shape[TENSOR_TEXT_MAX];
    bool fits = command->rank == tensor->rank;
    for (int axis = 0; fits && axis < tensor->rank; axis++)
        fits = command->index[axis] < tensor->shape[axis];
    if (!fits)
        return error_set(err, TELL(MOVE_NO_ELEMENT), looked->name,
                         tensor_shape_text(command->rank, command->index, index),
                         tensor_shape_text(tensor->rank, tensor->shape, shape));
    return true;
}

// --- the tensor that is looked at

// Axes of the same name keep their index, so that token, head and batch stay visible.
static void follow(Session *session, int from, int to)
{
    const Trace *trace = &session->run.trace;
    char name[16], other[16];
    for (int axis = 0; axis < trace->tensors[to].tensor.rank; axis++)
        for (int before = 0; before < trace->tensors[from].tensor.rank; before++)
            if (trace_axis(trace, to, axis, name) && trace_axis(trace, from, before, other) &&
                strcmp(name, other) == 0) {
                SessionView *view = &session->cursor.views[to];
                view->at[axis] = session->cursor.views[from].at[before];
                session_view_move(view, &trace->tensors[to].tensor, axis, 0);
                break;
            }
}

// The axis of a tensor that has one of two symbols; -1: none.
static int axis_with(const Trace *trace, int tensor, Symbol one, Symbol other)
{
    int axis = trace->tensors[tensor].tensor.rank - 1;
    for (; axis >= 0; axis--) {
        Symbol symbol = trace_axis_symbol(trace, tensor, axis);
        if (symbol == one || symbol == other)
            break;
    }
    return axis;
}

// The axes of heads, of one head's features, and of the features of all heads joined (`width` for each head);
// -1: none.
typedef struct HeadAxes {
    int head, feature, joined;
    ptrdiff_t width;
} HeadAxes;

static HeadAxes head_axes(const Trace *trace, int tensor)
{
    HeadAxes axes = {.head = axis_with(trace, tensor, SYMBOL_H, SYMBOL_H),
                     .feature = axis_with(trace, tensor, SYMBOL_D_K, SYMBOL_D_V),
                     .joined = axis_with(trace, tensor, SYMBOL_DK, SYMBOL_DV),
                     .width = 1};
    ptrdiff_t heads = trace->scenario->size[SYMBOL_H];
    ptrdiff_t length = axes.joined >= 0 ? trace->tensors[tensor].tensor.shape[axes.joined] : 0;
    if (heads > 0 && length >= heads)
        axes.width = length / heads;
    return axes;
}

// Keeps the head between a tensor with an axis of heads and one whose heads are joined in one axis.
static void follow_head(Session *session, int from, int to)
{
    const Trace *trace = &session->run.trace;
    SessionView *view = &session->cursor.views[to];
    const ptrdiff_t *was = session->cursor.views[from].at;
    HeadAxes one = head_axes(trace, from), other = head_axes(trace, to);
    if (one.head >= 0 && other.joined >= 0) {
        ptrdiff_t at = one.feature >= 0 ? was[one.feature] : view->at[other.joined] % other.width;
        at = at < other.width ? at : other.width - 1;
        view->at[other.joined] = was[one.head] * other.width + at;
    } else if (one.joined >= 0 && other.head >= 0) {
        view->at[other.head] = was[one.joined] / one.width;
        if (other.feature >= 0)
            view->at[other.feature] = was[one.joined] % one.width;
    }
    for (int axis = 0; axis < trace->tensors[to].tensor.rank; axis++)
        session_view_move(view, &trace->tensors[to].tensor, axis, 0);
}

void session_look_at(Session *session, int tensor)
{
    SessionView *view = &session->cursor.views[tensor];
    const Tensor *numbers = &session->run.trace.tensors[tensor].tensor;
    if (!numbers->storage.bytes || !view->opened)
        session_view_open(view, numbers);
    if (tensor != session->cursor.tensor) {
        follow(session, session->cursor.tensor, tensor);
        follow_head(session, session->cursor.tensor, tensor);
    }
    session->cursor.tensor = tensor;
}

void session_show_cell(Session *session, int step, TraceCell cell)
{
    session->cursor.step = step;
    session->run.failed = false;
    session_look_at(session, cell.tensor);
    memcpy(session->cursor.views[cell.tensor].at, cell.at, sizeof cell.at);
}

// --- opening a scenario with edits

bool what_if_open(const WhatIf *what_if, const Scenario *now, size_t done, const char *option,
                  Scenario *scenario, Error *err)
{
    ScenarioRequest request = now->request;
    int asked = request.set_count;
    size_t count = (size_t)asked;
    if (!request.what)
        return error_set(err, TELL(EDIT_NO_FILE));
    const char **sets = calloc(count + done + 2, sizeof *sets);
    if (!sets)
        return error_set(err, TELL(EDIT_NO_MEMORY), done);
    for (size_t i = 0; i < count; i++)
        sets[i] = request.sets[i];
    for (size_t i = 0; i < done; i++)
        if (what_if->edits[i].is_option)
            sets[count++] = what_if->edits[i].text;
    if (option)
        sets[count++] = option;
    request.sets = sets;
    request.set_count = (int)count;
    request.sets_typed = true;
    bool good = scenario_open(scenario, &request, err);
    free(sets);
    ScenarioEdit edit;
    for (size_t i = 0; good && i < done; i++) {
        if (what_if->edits[i].is_option)
            continue;
        good = scenario_edit_read(scenario, what_if->edits[i].text, &edit, err);
        if (good)
            scenario_edit_put(scenario, &edit);
    }
    if (good)
        scenario->request.set_count = asked; // the next open adds the edits again
    else
        scenario_finish(scenario);
    return good;
}

Scenario *what_if_scenario_new(Error *err)
{
    Scenario *scenario = calloc(1, sizeof *scenario);
    if (!scenario)
        error_machine(err, TELL(EDIT_NO_SCENARIO));
    return scenario;
}

void what_if_scenario_close(Scenario *scenario)
{
    if (scenario)
        scenario_finish(scenario);
    free(scenario);
}

void what_if_finish(WhatIf *what_if)
{
    trace_change_finish(&what_if->change);
    what_if_scenario_close(what_if->scenario);
    free(what_if->edits);
    *what_if = (WhatIf){.scenario = NULL};
}
