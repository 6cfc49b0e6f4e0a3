// session: the state of the stepper and the one function that changes it; see session.h.
#include "session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "nearest.h"
#include "session_move.h"

// --- what panels ask

int session_tensors(const Session *session, int step, int tensors[SESSION_TENSORS_MAX])
{
    const TraceStep *wiring = &session->trace.steps[step];
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
    const TraceStep *wiring = &session->trace.steps[step];
    for (int slot = 0; slot < STAGE_WRITES_MAX && wiring->call->writes[slot].role; slot++)
        if (wiring->call->writes[slot].dtype != DTYPE_BOOL)
            return wiring->writes[slot];
    return wiring->writes[0];
}

const TraceTensor *session_tensor(const Session *session)
{
    return &session->trace.tensors[session->tensor];
}

const SessionView *session_view(const Session *session)
{
    return &session->views[session->tensor];
}

bool session_axis_is_picked(const Session *session, int axis)
{
    const SessionView *view = session_view(session);
    return axis != view->row_axis && axis != view->column_axis;
}

bool session_has_values(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    return tensor->storage.bytes && tensor_count(tensor) > 0;
}

// --- tensors

// The same token, head and batch stay in sight from tensor to tensor: axes of the same name keep
// their index.
static void follow(Session *session, int from, int to)
{
    const Trace *trace = &session->trace;
    char name[16], other[16];
    for (int axis = 0; axis < trace->tensors[to].tensor.rank; axis++)
        for (int before = 0; before < trace->tensors[from].tensor.rank; before++)
            if (trace_axis(trace, to, axis, name) && trace_axis(trace, from, before, other) &&
                strcmp(name, other) == 0) {
                SessionView *view = &session->views[to];
                view->at[axis] = session->views[from].at[before];
                session_view_move(view, &trace->tensors[to].tensor, axis, 0);
                break;
            }
}

static void look_at(Session *session, int tensor)
{
    SessionView *view = &session->views[tensor];
    const Tensor *numbers = &session->trace.tensors[tensor].tensor;
    if (!numbers->storage.bytes || !view->opened)
        session_view_open(view, numbers);
    if (tensor != session->tensor)
        follow(session, session->tensor, tensor);
    session->tensor = tensor;
}

static void look_around(Session *session, int by)
{
    int tensors[SESSION_TENSORS_MAX];
    int count = session_tensors(session, session->step, tensors);
    for (int i = 0; i < count; i++)
        if (tensors[i] == session->tensor) {
            look_at(session, tensors[(i + by + count) % count]);
            return;
        }
}

static bool look_by_name(Session *session, const char *name, Error *err)
{
    int tensors[SESSION_TENSORS_MAX];
    const char *known[SESSION_TENSORS_MAX + 1] = {NULL};
    int count = session_tensors(session, session->step, tensors);
    for (int i = 0; i < count; i++) {
        known[i] = session->trace.tensors[tensors[i]].name;
        if (strcmp(known[i], name) == 0) {
            look_at(session, tensors[i]);
            return true;
        }
    }
    const char *nearest = nearest_word(name, known);
    return error_set(err, "this step reads and writes no \"%s\"; it has \"%s\"", name,
                     nearest ? nearest : known[0]);
}

static bool apply_tensor(Session *session, const Command *command, Error *err)
{
    session->help = false;
    if (command->kind == COMMAND_TENSOR)
        return look_by_name(session, command->name, err);
    look_around(session, command->kind == COMMAND_TENSOR_NEXT ? 1 : -1);
    return true;
}

// --- steps

static void show(Session *session, int step)
{
    session->step = step;
    look_at(session, session_main_output(session, step));
}

// Computes what is missing up to a step and shows it, or the step that could not be computed.
static void reach(Session *session, int step)
{
    Trace *trace = &session->trace;
    session->failed = false;
    while (trace->steps_done <= step && !session->failed)
        session->failed = !trace_step(trace, &session->failure);
    show(session, session->failed ? trace->steps_done : step);
}

static void step_by(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = session->trace.step_count - 1;
    if (by > 0 && session->step == last && !session->failed)
        error_set(&session->message, "this is the last step");
    else if (by < 0 && session->step == 0)
        error_set(&session->message, "this is the first step");
    ptrdiff_t left = by > 0 ? last - session->step : session->step;
    ptrdiff_t distance = by > 0 ? by : -by;
    int steps = (int)(distance < left ? distance : left);
    reach(session, by > 0 ? session->step + steps : session->step - steps);
}

static bool go_to(Session *session, const char *name, Error *err)
{
    const Trace *trace = &session->trace;
    char names[TRACE_STEPS_MAX][64];
    const char *known[TRACE_STEPS_MAX + 1] = {NULL};
    for (int step = 0; step < trace->step_count; step++) {
        known[step] = trace_step_name(trace, step, names[step]);
        if (strcmp(known[step], name) == 0 || strcmp(trace->steps[step].stage->name, name) == 0) {
            reach(session, step);
            return true;
        }
    }
    char *end;
    long number = strtol(name, &end, 10);
    if (*end == '\0' && number >= 1 && number <= trace->step_count) {
        reach(session, (int)number - 1);
        return true;
    }
    const char *nearest = nearest_word(name, known);
    return error_set(err, "there is no step \"%s\"; steps are 1 to %d and names such as \"%s\"",
                     name, trace->step_count, nearest ? nearest : known[0]);
}

static bool apply_step(Session *session, const Command *command, Error *err)
{
    session->help = false;
    switch (command->kind) {
    case COMMAND_NEXT:
        step_by(session, command->number);
        return true;
    case COMMAND_PREVIOUS:
        step_by(session, -command->number);
        return true;
    case COMMAND_FIRST:
        reach(session, 0);
        return true;
    case COMMAND_LAST:
        reach(session, session->trace.step_count - 1);
        return true;
    default:
        return go_to(session, command->name, err);
    }
}

// --- commands

static bool apply_room(Session *session, const Command *command, Error *err)
{
    if (command->rank != 2)
        return error_set(err, "\"room\" takes two numbers, rows and columns: room [9,6]");
    session->room_rows = command->index[0];
    session->room_columns = command->index[1];
    if (!session->help)
        session_view_scroll(&session->views[session->tensor], &session_tensor(session)->tensor,
                            session->room_rows, session->room_columns);
    return true;
}

static bool apply(Session *session, const Command *command, Error *err)
{
    switch (command->kind) {
    case COMMAND_NEXT:
    case COMMAND_PREVIOUS:
    case COMMAND_FIRST:
    case COMMAND_LAST:
    case COMMAND_GOTO:
        return apply_step(session, command, err);
    case COMMAND_TENSOR_NEXT:
    case COMMAND_TENSOR_PREVIOUS:
    case COMMAND_TENSOR:
        return apply_tensor(session, command, err);
    case COMMAND_UP:
    case COMMAND_DOWN:
    case COMMAND_LEFT:
    case COMMAND_RIGHT:
    case COMMAND_PAGE_UP:
    case COMMAND_PAGE_DOWN:
    case COMMAND_LINE_START:
    case COMMAND_LINE_END:
    case COMMAND_TOP:
    case COMMAND_BOTTOM:
    case COMMAND_ELEMENT:
        return session_move(session, command, err);
    case COMMAND_AXIS_NEXT:
    case COMMAND_AXIS:
    case COMMAND_PICK_NEXT:
    case COMMAND_PICK_PREVIOUS:
    case COMMAND_PICK:
    case COMMAND_ROWS:
    case COMMAND_COLUMNS:
    case COMMAND_FLIP:
        return session_turn(session, command, err);
    case COMMAND_ROOM:
        return apply_room(session, command, err);
    case COMMAND_HELP:
        session->help = !session->help;
        session->help_line = 0;
        return true;
    case COMMAND_BACK:
        session->help = false;
        return true;
    case COMMAND_QUIT:
        session->quit = true;
        return true;
    case COMMAND_REDRAW:
    case COMMAND_COUNT:
        return true;
    }
    return true;
}

bool session_apply(Session *session, const Command *command, Error *err)
{
    bool reports = command->kind == COMMAND_ROOM; // a screen's report says nothing to the person
    if (!reports)
        session->message = (Error){0};
    bool good = apply(session, command, err);
    if (!good)
        session->message = *err;
    session->revision++;
    return good;
}

// --- life cycle

bool session_open(Session *session, const Scenario *scenario, Error *err)
{
    *session = (Session){.revision = 1, .room_rows = 1, .room_columns = 1};
    if (!trace_open(&session->trace, scenario, err)) {
        trace_close(&session->trace);
        return false;
    }
    assert(session->trace.step_count > 0);
    session->tensor = session_main_output(session, 0);
    reach(session, 0);
    return true;
}

void session_close(Session *session)
{
    trace_close(&session->trace);
    *session = (Session){0};
}
