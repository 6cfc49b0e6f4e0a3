// Finding numbers: searches, and breakpoints with `run`; session.h has the conditions.
#include <stdio.h>
#include <string.h>
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "utf8.h"

// --- searches

static void choose(Session *session, ptrdiff_t element)
{
    tensor_unravel(&session_tensor(session)->tensor, element,
                   session->cursor.views[session->cursor.tensor].at);
}

// "> 0.4: match 2 of 17 in attn_weights, from the start again"
static void report_matches(Session *session, ConditionMatches matches)
{
    char text[CONDITION_TEXT_MAX];
    const char *name = session_tensor(session)->name;
    bool again = matches.next < 0;
    condition_text(session->search, text);
    if (matches.count == 0)
        session_say(session, TELL(SEARCH_NOTHING), name, text);
    else
        session_say(session, TELL(SEARCH_MATCH), text, again ? 1 : matches.order + 1, matches.count,
                    name, again ? TELL(SEARCH_AGAIN) : "");
}

static void look_for(Session *session, bool from_here)
{
    ptrdiff_t here = tensor_ravel(&session_tensor(session)->tensor, session_view(session)->at);
    ConditionMatches matches = condition_matches(
        session->search, &session->run.trace, session->cursor.tensor, from_here ? here - 1 : here);
    if (matches.count > 0)
        choose(session, matches.next >= 0 ? matches.next : matches.first);
    report_matches(session, matches);
}

// Finds the first NaN: in inputs and weights, then in the outputs of every step.
static void find_first_nan(Session *session)
{
    Trace *trace = &session->run.trace;
    Error unused;
    while (trace->steps_done < trace->step_count && trace_step(trace, &unused))
        ;
    session->search = (Condition){.kind = CONDITION_NAN};
    for (int step = -1; step < trace->steps_done; step++)
        for (int tensor = 0; tensor < trace->tensor_count; tensor++) {
            const TraceTensor *candidate = &trace->tensors[tensor];
            if (candidate->step != step || !candidate->tensor.storage.bytes)
                continue;
            ConditionMatches matches = condition_matches(session->search, trace, tensor, -1);
            if (matches.count == 0)
                continue;
            session_run_to(session, session_step_with(session, tensor));
            session_look_at(session, tensor);
            choose(session, matches.first);
            session_say(session, TELL(SEARCH_FIRST_NAN), matches.count, candidate->name);
            return;
        }
    session_say(session, TELL(SEARCH_NO_NAN));
}

bool session_search(Session *session, const Command *command, Error *err)
{
    Condition condition = session->search;
    if (command->kind == COMMAND_FIRST_NAN) {
        find_first_nan(session);
        return true;
    }
    if (command->kind == COMMAND_AGAIN && condition.kind == CONDITION_NONE)
        return error_set(err, TELL(SEARCH_NOT_YET));
    if (command->kind == COMMAND_SEARCH && !condition_parse(command->name, &condition, err))
        return false;
    if (!session_has_values(session))
        return error_set(err, TELL(SEARCH_NO_VALUES), session_tensor(session)->name);
    session->search = condition;
    look_for(session, command->kind == COMMAND_SEARCH);
    return true;
}

// --- breakpoints, and running until one is hit
//
// Places are visited in the order of computation: step by step, first the step as a whole, then its elements in
// loop order.

enum { WHOLE_STEP = -1, BREAK_TEXT_MAX = 160, NEVER = -2 };

bool session_breaks_at(const Session *session, int step)
{
    for (int i = 0; i < SESSION_BREAKS_MAX; i++)
        if (session->breaks.points[i].number > 0 && session->breaks.points[i].step == step)
            return true;
    return false;
}

// --- words

// "score", "scores[0,3,2,1]", "attn_weights > 0.4"
static const char *break_text(const Session *session, const Breakpoint *point,
                              char text[BREAK_TEXT_MAX])
{
    if (point->tensor < 0) {
        char name[64];
        snprintf(text, BREAK_TEXT_MAX, "%s",
                 trace_step_name(&session->run.trace, point->step, name));
        return text;
    }
    const TraceTensor *tensor = &session->run.trace.tensors[point->tensor];
    char words[TRACE_CELL_MAX];
    if (point->element >= 0) {
        TraceCell cell = {.tensor = point->tensor};
        tensor_unravel(&tensor->tensor, point->element, cell.at);
        snprintf(text, BREAK_TEXT_MAX, "%s", trace_cell_name(&session->run.trace, cell, words));
    } else {
        snprintf(text, BREAK_TEXT_MAX, "%s %s", tensor->name,
                 condition_text(point->condition, words));
    }
    return text;
}

static void list(Session *session)
{
    char text[BREAK_TEXT_MAX], all[sizeof session->message.text] = "";
    for (int i = 0; i < SESSION_BREAKS_MAX; i++)
        if (session->breaks.points[i].number > 0)
            text_add(all, sizeof all, "%s%d: %s", all[0] ? "   " : "",
                     session->breaks.points[i].number,
                     break_text(session, &session->breaks.points[i], text));
    if (all[0])
        session_say(session, TELL(BREAKS_ARE), all);
    else
        session_say(session, TELL(BREAKS_NONE));
}

// --- setting and removing

static Breakpoint *find(Session *session, ptrdiff_t number)
{
    for (int i = 0; i < SESSION_BREAKS_MAX; i++)
        if (session->breaks.points[i].number == number)
            return &session->breaks.points[i];
    return NULL;
}

static bool set(Session *session, Breakpoint point, Error *err)
{
    char text[BREAK_TEXT_MAX];
    Breakpoint *place = find(session, 0);
    if (!place)
        return error_set(err, TELL(BREAKS_MANY), SESSION_BREAKS_MAX);
    point.number = ++session->breaks.last;
    *place = point;
    session_say(session, TELL(BREAK_SET), point.number, break_text(session, place, text));
    return true;
}

static bool is_same(const Breakpoint *a, const Breakpoint *b)
{
    return a->step == b->step && a->tensor == b->tensor && a->element == b->element &&
           a->condition.kind == b->condition.kind;
}

// Fails for an input or weight, which no step computes.
static bool output_of(const Session *session, int tensor, Breakpoint *point, Error *err)
{
    const TraceTensor *output = &session->run.trace.tensors[tensor];
    if (output->step < 0)
        return error_set(err, TELL(BREAK_INPUT), output->name);
    *point = (Breakpoint){.step = output->step, .tensor = tensor, .element = -1};
    return true;
}

static bool read_element(const Session *session, const char *text, Breakpoint *point, Error *err)
{
    Command element;
    const TraceTensor *looked = session_tensor(session);
    if (!session_has_values(session))
        return error_set(err, TELL(BREAK_EMPTY), looked->name);
    if (!command_parse(text, &element, err) || !session_has_element(session, &element, err) ||
        !output_of(session, session->cursor.tensor, point, err))
        return false;
    point->element = tensor_ravel(&looked->tensor, element.index);
    return true;
}

static bool no_such_tensor(const Session *session, const char *name, Error *err)
{
    const Trace *trace = &session->run.trace;
    SessionNames names;
    Error no_step;
    int step = session_find_step(session, name, &no_step);
    if (step >= 0) // the name of a step instead of its tensor's
        return error_set(err, TELL(BREAK_STEP), name,
                         trace->tensors[session_main_output(session, step)].name);
    for (int i = 0; i < trace->tensor_count; i++)
        if (strstr(trace->tensors[i].name, name) && trace->tensors[i].step >= 0)
            return error_set(err, TELL(NO_TENSOR_MEANT), name, trace->tensors[i].name);
    session_names(session, COMMAND_SHOW, &names);
    const char *nearest = nearest_name(name, names.known);
    return error_set(err, TELL(NO_TENSOR), name, nearest ? TELL(DID_YOU_MEAN) : "",
                     nearest ? nearest : "", nearest ? TELL(MEANT_END) : "");
}

// "attn_weights > 0.4", or "> 0.4" for the tensor shown. Returns false with an empty err for a single word that
// is neither.
static bool read_condition(const Session *session, const char *text, Breakpoint *point, Error *err)
{
    char name[COMMAND_NAME_MAX];
    size_t length = strcspn(text, " \t<>=!");
    Condition condition;
    bool is_number = strchr("+-.0123456789", text[0]) != NULL; // of a missing step
    if (!is_number && condition_parse(text, &condition, err)) {
        if (!output_of(session, session->cursor.tensor, point, err))
            return false;
        point->condition = condition;
        return true;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    int tensor = length > 0 ? trace_find(&session->run.trace, name) : -1;
    if (tensor < 0 && length == 0)
        return false;
    err->text[0] = '\0';
    if (tensor < 0 && text[length] != '\0')
        return no_such_tensor(session, name, err);
    return tensor >= 0 && output_of(session, tensor, point, err) &&
           condition_parse(text + length, &point->condition, err);
}

static bool read_breakpoint(const Session *session, const char *text, Breakpoint *point, Error *err)
{
    if (text[0] == '@')
        return read_element(session, text, point, err);
    *point = (Breakpoint){.tensor = -1, .element = -1};
    point->step = session_find_step(session, text, err);
    if (point->step >= 0)
        return true;
    Error no_step = *err;
    if (read_condition(session, text, point, err))
        return true;
    if (!err->text[0])
        *err = no_step;
    return false;
}

// Sets or removes a breakpoint at the step shown, below stage depth at the chosen element.
static bool toggle_here(Session *session, Error *err)
{
    Breakpoint here = {.step = session->cursor.step, .tensor = -1, .element = -1};
    if (session->cursor.depth != DEPTH_STAGE) {
        if (!output_of(session, session->cursor.tensor, &here, err))
            return false;
        here.element = tensor_ravel(&session_tensor(session)->tensor, session_view(session)->at);
    }
    for (int i = 0; i < SESSION_BREAKS_MAX; i++) {
        Breakpoint *point = &session->breaks.points[i];
        if (point->number > 0 && is_same(point, &here)) {
            session_say(session, TELL(BREAK_GONE));
            point->number = 0;
            return true;
        }
    }
    return set(session, here, err);
}

static bool take_away(Session *session, ptrdiff_t number, Error *err)
{
    Breakpoint *point = number > 0 ? find(session, number) : NULL;
    if (!point)
        return error_set(err, TELL(BREAK_UNKNOWN), number);
    point->number = 0;
    list(session);
    return true;
}

bool session_break(Session *session, const Command *command, Error *err)
{
    Breakpoint point;
    switch (command->kind) {
    case COMMAND_BREAK_HERE:
        return toggle_here(session, err);
    case COMMAND_UNBREAK:
        return take_away(session, command->number, err);
    case COMMAND_BREAKS:
        list(session);
        return true;
    default:
        return read_breakpoint(session, command->name, &point, err) && set(session, point, err);
    }
}

// --- running

// The last place of this step that `run` does not visit again. At stage depth the chosen element itself is
// visited, unless the last run stopped there.
static ptrdiff_t passed(const Session *session, const Breakpoint *point)
{
    const SessionStop *stop = &session->breaks.stop;
    const Tensor *tensor = &session->run.trace.tensors[point->tensor].tensor;
    const SessionView *view = &session->cursor.views[point->tensor];
    if (!view->opened)
        return WHOLE_STEP;
    TraceCell cell = session_cell(session);
    bool stopped_here = stop->stopped && session_same_cell(stop->cell, cell);
    ptrdiff_t at = tensor_ravel(tensor, view->at);
    if (stopped_here && stop->at_step)
        return WHOLE_STEP;
    return stopped_here || session->cursor.depth != DEPTH_STAGE ? at : at - 1;
}

// The first place in `step` where a breakpoint is hit: WHOLE_STEP, an element, or NEVER.
static ptrdiff_t place_in(const Session *session, const Breakpoint *point, int step)
{
    bool arrives = step > session->cursor.step;
    if (point->number == 0 || point->step != step)
        return NEVER;
    if (point->tensor < 0)
        return arrives ? WHOLE_STEP : NEVER;
    ptrdiff_t after = arrives ? WHOLE_STEP : passed(session, point);
    if (point->element >= 0)
        return point->element > after ? point->element : NEVER;
    ConditionMatches matches =
        condition_matches(point->condition, &session->run.trace, point->tensor, after);
    return matches.next >= 0 ? matches.next : NEVER;
}

static const Breakpoint *first_in(const Session *session, int step, ptrdiff_t *place)
{
    const Breakpoint *first = NULL;
    for (int i = 0; i < SESSION_BREAKS_MAX; i++) {
        ptrdiff_t candidate = place_in(session, &session->breaks.points[i], step);
        if (candidate == NEVER || (first && candidate >= *place))
            continue;
        first = &session->breaks.points[i];
        *place = candidate;
    }
    return first;
}

static void stop_at(Session *session, const Breakpoint *point, ptrdiff_t place)
{
    char text[BREAK_TEXT_MAX];
    session_run_to(session, point->step);
    if (point->tensor >= 0)
        session_look_at(session, point->tensor);
    if (session_has_values(session))
        tensor_unravel(&session_tensor(session)->tensor, place < 0 ? 0 : place,
                       session->cursor.views[session->cursor.tensor].at);
    session->breaks.stop = (SessionStop){true, point->tensor < 0, session_cell(session)};
    session_say(session, TELL(BREAK_HIT), point->number, break_text(session, point, text));
}

bool session_run(Session *session, const Command *command, Error *err)
{
    (void)command;
    Trace *trace = &session->run.trace;
    ptrdiff_t place = NEVER;
    session->play.on = false;
    if (session->breaks.last == 0)
        return error_set(err, TELL(BREAKS_TO_RUN));
    for (int step = session->cursor.step; step < trace->step_count; step++) {
        Error why;
        if (trace->steps_done <= step && !trace_step(trace, &why)) {
            session_run_to(session, step);
            return true;
        }
        const Breakpoint *point = first_in(session, step, &place);
        if (point) {
            stop_at(session, point, place);
            return true;
        }
    }
    session_run_to(session, trace->step_count - 1);
    session_say(session, TELL(BREAK_MISSED));
    return true;
}
