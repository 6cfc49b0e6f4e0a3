// From step to step, and `next` by itself; which tensor is shown, and which of its elements is chosen.
#include <stdlib.h>
#include <string.h>
#include "session.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"

// --- from step to step

static void step_by(Session *session, ptrdiff_t by)
{
    ptrdiff_t last = session->run.trace.step_count - 1;
    if (by > 0 && session->cursor.step == last && !session->run.failed)
        session_say(session, TELL(STEP_LAST));
    else if (by < 0 && session->cursor.step == 0)
        session_say(session, TELL(STEP_FIRST));
    session_run_to(session, (int)index_move(session->cursor.step, by, last));
}

int session_find_step(const Session *session, const char *name, Error *err)
{
    const Trace *trace = &session->run.trace;
    SessionNames names;
    name = trace_own_name(trace, name);
    session_names(session, COMMAND_GOTO, &names);
    for (int step = 0; step < trace->step_count; step++)
        if (strcmp(names.known[step], name) == 0 ||
            strcmp(trace->steps[step].stage->name, name) == 0)
            return step;
    char *end;
    long number = strtol(name, &end, 10);
    if (*end == '\0' && number >= 1 && number <= trace->step_count)
        return (int)number - 1;
    const char *nearest = nearest_word(name, names.known);
    error_set(err, TELL(STEP_UNKNOWN), name, trace->step_count, nearest ? nearest : names.known[0]);
    return -1;
}

static bool go_to(Session *session, const char *name, Error *err)
{
    int step = session_find_step(session, name, err);
    if (step >= 0)
        session_run_to(session, step);
    return step >= 0;
}

static bool session_play_on(Session *session, ptrdiff_t cells, Error *err);

static bool go(Session *session, const Command *command, Error *err)
{
    bool forward = command->kind == COMMAND_NEXT;
    switch (command->kind) {
    case COMMAND_NEXT:
    case COMMAND_PREVIOUS:
        if (forward && session->play.on && session->play.to_sequence)
            return session_play_on(session, command->number, err);
        if (session->cursor.depth != DEPTH_STAGE)
            return session_walk(session, forward, command->number, err);
        step_by(session, forward ? command->number : -command->number);
        return true;
    case COMMAND_FIRST:
        session_run_to(session, 0);
        return true;
    case COMMAND_LAST:
        session_run_to(session, session->run.trace.step_count - 1);
        return true;
    default:
        return go_to(session, command->name, err);
    }
}

// Playing ends at the last step, at a step that fails, and at any other command.
bool session_step(Session *session, const Command *command, Error *err)
{
    bool good = go(session, command, err);
    if (command->kind != COMMAND_NEXT || session->run.failed || session->message.text[0])
        session->play.on = false;
    return good;
}

// --- from layer to layer

// The step of a layer that matches the current step: the same call, else the same stage, else the attention
// weights, else the layer's first step. -1: there is no such layer.
static int step_in_layer(const Session *session, int layer)
{
    const Trace *trace = &session->run.trace;
    const TraceStep *here = &trace->steps[session->cursor.step];
    int first = -1, alike = -1, weights = -1, layers;
    for (int step = 0; step < trace->step_count; step++) {
        const TraceStep *there = &trace->steps[step];
        if (trace_step_layer(trace, step, &layers) != layer)
            continue;
        first = first < 0 ? step : first;
        if (there->call == here->call)
            return step;
        alike = alike < 0 && there->stage == here->stage ? step : alike;
        weights = weights < 0 && there->call->writes[0].sums_to_one ? step : weights;
    }
    return alike >= 0 ? alike : weights >= 0 ? weights : first;
}

static bool same_planned_shape(const Trace *trace, int a, int b)
{
    ptrdiff_t first[TENSOR_RANK_MAX], second[TENSOR_RANK_MAX];
    int rank = trace_shape(trace, a, first);
    return rank == trace_shape(trace, b, second) &&
           memcmp(first, second, (size_t)rank * sizeof *first) == 0;
}

// The first step after all layers: a norm, the readout. The step count if there is none.
static int step_behind(const Trace *trace)
{
    int layers, step = 0, last = 0;
    for (; step < trace->step_count && !trace->steps[step].call->of; step++)
        if (trace_step_layer(trace, step, &layers) >= 0)
            last = step;
    return last + 1 < step ? last + 1 : trace->step_count;
}

// The step that the command goes to: the inputs come before the first layer, the readout after the last. -1: none.
static int step_across(const Session *session, bool forward, int layers)
{
    const Trace *trace = &session->run.trace;
    int behind = step_behind(trace), own = trace_step_layer(trace, session->cursor.step, &layers);
    if (own < 0)
        own = session->cursor.step < behind ? -1 : layers;
    int wanted = own + (forward ? 1 : -1);
    if (wanted < 0)
        return own == 0 && trace_step_layer(trace, 0, &layers) < 0 ? 0 : -1;
    if (wanted >= layers)
        return own < layers && behind < trace->step_count ? behind : -1;
    return step_in_layer(session, wanted);
}

// Shows the same part of the tensor if its shape is the same.
bool session_layer(Session *session, const Command *command, Error *err)
{
    const Trace *trace = &session->run.trace;
    bool forward = command->kind == COMMAND_LAYER_NEXT;
    int layers;
    trace_step_layer(trace, 0, &layers);
    if (layers < 2)
        return error_set(err, "%s", TELL(LAYERS_ONE));
    int step = step_across(session, forward, layers);
    if (step < 0) {
        session_say(session, forward ? TELL(LAYERS_LAST) : TELL(LAYERS_FIRST));
        return true;
    }
    int before = session->cursor.tensor;
    session_run_to(session, step);
    int now = session->cursor.tensor;
    if (now != before && same_planned_shape(trace, before, now))
        session->cursor.views[now] = session->cursor.views[before];
    return true;
}

// --- `next` by itself
//
// The session only knows that it plays and how fast. The loop that waits for keys keeps the time
// (session_next_tick).

enum {
    RATE_MAX = 60,
    MILLISECONDS = 1000,
    SEQUENCE_SECONDS = 8, // for all cells of a sequence of the picture
    CELLS_SLOWEST = 8,    // a second
    CELLS_FASTEST = 30,
};

int session_next_tick(const Session *session)
{
    return session->play.on ? MILLISECONDS / session->play.rate : -1;
}

Command session_tick(const Session *session)
{
    return (Command){.kind = COMMAND_NEXT,
                     .number = session->play.to_sequence ? session->play.stride : 1};
}

bool session_play(Session *session, const Command *command, Error *err)
{
    bool has_rate = command->kind == COMMAND_PLAY;
    if (has_rate && (command->number < 1 || command->number > RATE_MAX))
        return error_set(err, TELL(PLAY_RATE), RATE_MAX, command->number);
    if (has_rate)
        session->play.rate = (int)command->number;
    session->play.to_sequence = false;
    session->play.on =
        command->kind == COMMAND_PLAY_PAUSE ? !session->play.on : command->kind == COMMAND_PLAY;
    return true;
}

// --- the cells of the picture's sequence, as they are computed

static ptrdiff_t cells_of_sequence(const Session *session)
{
    const ptrdiff_t *shape = session->picture.place.shape;
    return shape[1] * shape[2] * shape[3];
}

// Switches to element depth, at the first or last cell of the sequence shown.
static bool begin(Session *session, bool from_end, Error *err)
{
    const ptrdiff_t *shape = session->picture.place.shape;
    FigureCell cell = {0, 0, 0};
    int shown = session->picture.request.tensor, made = session->run.trace.tensors[shown].step;
    if (made < 0 || session_main_output(session, made) != shown)
        return error_set(err, TELL(PLAY_NO_CELLS), picture_tensor_name(session));
    ptrdiff_t batch = session->picture.request.batch;
    session->cursor.step = made;
    session_look_at(session, shown);
    if (from_end)
        cell = (FigureCell){shape[1] - 1, shape[2] - 1, shape[3] - 1};
    session_depth(session, &(Command){.kind = COMMAND_DEPTH, .name = "element"}, err);
    picture_put(session, batch, cell);
    picture_go_to(session, cell);
    return true;
}

// Plays small sequences cell by cell, large ones many cells at once.
static bool play_cells(Session *session, Error *err)
{
    SessionPlay *play = &session->play;
    ptrdiff_t cells = cells_of_sequence(session), rate = cells / SEQUENCE_SECONDS;
    if (play->on) {
        play->on = false;
        return true;
    }
    if (session->cursor.depth == DEPTH_STAGE && !begin(session, false, err))
        return false;
    rate = index_clamp(rate, CELLS_SLOWEST, CELLS_FASTEST);
    *play = (SessionPlay){.on = true,
                          .rate = (int)rate,
                          .to_sequence = true,
                          .stride = cells / (rate * SEQUENCE_SECONDS) + 1};
    return true;
}

bool session_cells(Session *session, const Command *command, Error *err)
{
    bool back = command->kind == COMMAND_CELL_PREVIOUS;
    bool begins = session->cursor.depth == DEPTH_STAGE;
    if (command->kind == COMMAND_CELLS_PLAY)
        return play_cells(session, err);
    session->play.on = false;
    if (begins && !begin(session, back, err))
        return false;
    ptrdiff_t cells = back ? command->number : command->number - begins;
    return cells <= 0 || session_walk(session, !back, cells, err);
}

// After the last cell, stops and shows all of them.
static bool session_play_on(Session *session, ptrdiff_t cells, Error *err)
{
    ptrdiff_t sequence = cells_of_sequence(session);
    ptrdiff_t left = sequence - 1 - session_element(session) % index_max(sequence, 1);
    if (left > 0)
        return session_walk(session, true, index_min(cells, left), err);
    session->play.on = session->play.to_sequence = false;
    return session_depth(session, &(Command){.kind = COMMAND_DEPTH, .name = "stage"}, err);
}

// --- which tensor of a step

// Shows another tensor of the same step. Below stage depth, the walk's position in the output and the term's
// position in each input stay.
static void look_within_step(Session *session, int tensor)
{
    SessionView *view = &session->cursor.views[tensor];
    bool is_output = tensor == session_main_output(session, session->cursor.step);
    bool stays = view->opened && (session->cursor.depth == DEPTH_TERM ||
                                  (session->cursor.depth == DEPTH_ELEMENT && is_output));
    SessionView before = *view;
    session_look_at(session, tensor);
    if (stays)
        *view = before;
}

static void look_around(Session *session, int by)
{
    int tensors[SESSION_TENSORS_MAX];
    int count = session_tensors(session, session->cursor.step, tensors);
    for (int i = 0; i < count; i++)
        if (tensors[i] == session->cursor.tensor) {
            look_within_step(session, tensors[(i + by + count) % count]);
            return;
        }
}

static bool look_by_name(Session *session, const char *name, Error *err)
{
    int tensors[SESSION_TENSORS_MAX];
    SessionNames names;
    session_tensors(session, session->cursor.step, tensors);
    session_names(session, COMMAND_TENSOR, &names);
    int place = name_index(names.known, name);
    if (place >= 0) {
        look_within_step(session, tensors[place]);
        return true;
    }
    const char *nearest = nearest_name(name, names.known);
    return error_set(err, TELL(LOOK_UNKNOWN), name, nearest ? nearest : names.known[0]);
}

bool session_look(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_TENSOR)
        return look_by_name(session, command->name, err);
    look_around(session, command->kind == COMMAND_TENSOR_NEXT ? 1 : -1);
    return true;
}

// --- moving the chosen element

typedef enum Distance { BY_COUNT, BY_PAGE, TO_THE_END } Distance;

typedef struct Move {
    bool through_rows;
    int direction; // 0: the command is not a move
    Distance distance;
} Move;

static const Move moves[COMMAND_COUNT] = {
    [COMMAND_UP] = {true, -1, BY_COUNT},
    [COMMAND_DOWN] = {true, 1, BY_COUNT},
    [COMMAND_PAGE_UP] = {true, -1, BY_PAGE},
    [COMMAND_PAGE_DOWN] = {true, 1, BY_PAGE},
    [COMMAND_TOP] = {true, -1, TO_THE_END},
    [COMMAND_BOTTOM] = {true, 1, TO_THE_END},
    [COMMAND_LEFT] = {false, -1, BY_COUNT},
    [COMMAND_RIGHT] = {false, 1, BY_COUNT},
    [COMMAND_LINE_START] = {false, -1, TO_THE_END},
    [COMMAND_LINE_END] = {false, 1, TO_THE_END},
};

static ptrdiff_t distance_of(const Session *session, const Command *command)
{
    Move move = moves[command->kind];
    ptrdiff_t page = index_max(session->room.rows, 1);
    ptrdiff_t distance = move.distance == BY_COUNT  ? command->number
                         : move.distance == BY_PAGE ? page
                                                    : PTRDIFF_MAX;
    return move.direction < 0 ? -distance : distance;
}

static bool go_to_element(Session *session, const Command *command, Error *err)
{
    if (!session_has_element(session, command, err))
        return false;
    memcpy(session->cursor.views[session->cursor.tensor].at, command->index, sizeof command->index);
    return true;
}

bool session_move(Session *session, const Command *command, Error *err)
{
    SessionView *view = &session->cursor.views[session->cursor.tensor];
    ptrdiff_t distance = distance_of(session, command);
    bool through_rows = moves[command->kind].through_rows;
    if (session->help.open) {
        if (through_rows)
            session->help.line =
                index_move(session->help.line, distance, help_page_lines() - session->room.rows);
        return true;
    }
    if (!session_has_values(session))
        return error_set(err, TELL(MOVE_NO_VALUES), session_tensor(session)->name);
    if (command->kind == COMMAND_ELEMENT)
        return go_to_element(session, command, err);
    session_view_move(view, &session_tensor(session)->tensor,
                      through_rows ? view->row_axis : view->column_axis, distance);
    return true;
}

// --- choosing axes

static bool mark_by_name(const Session *session, const char *name, SessionView *view, Error *err)
{
    int rank = session_tensor(session)->tensor.rank;
    char names[TENSOR_RANK_MAX][16];
    char *end;
    long number = strtol(name, &end, 10);
    for (int axis = 0; axis < rank; axis++) {
        trace_axis(&session->run.trace, session->cursor.tensor, axis, names[axis]);
        if (strcmp(names[axis], name) != 0 && (*end != '\0' || number != axis))
            continue;
        if (!session_axis_is_picked(session, axis))
            return error_set(err, TELL(AXIS_ON_SCREEN), names[axis],
                             axis == view->row_axis ? TELL(AXIS_AS_ROWS) : TELL(AXIS_AS_COLUMNS));
        view->marked_axis = axis;
        return true;
    }
    return error_set(err, TELL(AXIS_UNKNOWN), session_tensor(session)->name, name,
                     rank > 0 ? names[rank - 1] : "");
}

// Marks the next axis that is not on screen.
static void mark_next(const Session *session, SessionView *view)
{
    int rank = session_tensor(session)->tensor.rank, marked = view->marked_axis;
    for (int step = 1; step <= rank; step++)
        if (session_axis_is_picked(session, (marked + step) % rank)) {
            view->marked_axis = (marked + step) % rank;
            return;
        }
}

static bool pick(const Session *session, SessionView *view, ptrdiff_t index, Error *err)
{
    const TraceTensor *looked = session_tensor(session);
    ptrdiff_t length = looked->tensor.shape[view->marked_axis];
    if (index >= length)
        return error_set(err, TELL(AXIS_INDEX), view->marked_axis, looked->name, length - 1, index);
    view->at[view->marked_axis] = index;
    return true;
}

static void swap_axes(int *a, int *b)
{
    int axis = *a;
    *a = *b;
    *b = axis;
}

bool session_turn(Session *session, const Command *command, Error *err)
{
    SessionView *view = &session->cursor.views[session->cursor.tensor];
    const Tensor *tensor = &session_tensor(session)->tensor;
    if (command->kind == COMMAND_AXIS)
        return mark_by_name(session, command->name, view, err);
    if (command->kind != COMMAND_FLIP && view->marked_axis < 0)
        return error_set(err, TELL(AXES_NONE_OVER), session_tensor(session)->name);
    if (command->kind == COMMAND_AXIS_NEXT)
        mark_next(session, view);
    else if (command->kind == COMMAND_PICK_NEXT)
        session_view_move(view, tensor, view->marked_axis, command->number);
    else if (command->kind == COMMAND_PICK_PREVIOUS)
        session_view_move(view, tensor, view->marked_axis, -command->number);
    else if (command->kind == COMMAND_ROWS)
        swap_axes(&view->marked_axis, &view->row_axis);
    else if (command->kind == COMMAND_COLUMNS)
        swap_axes(&view->marked_axis, &view->column_axis);
    else if (command->kind == COMMAND_FLIP)
        swap_axes(&view->row_axis, &view->column_axis);
    else
        return pick(session, view, command->number, err);
    return true;
}

// --- how numbers are written

bool session_format(Session *session, const Command *command, Error *err)
{
    SessionNames names;
    if (command->kind == COMMAND_FORMAT_NEXT) {
        session->look.notation = (NumberNotation)((session->look.notation + 1) % NUMBER_NOTATIONS);
        return true;
    }
    session_names(session, COMMAND_FORMAT, &names);
    int notation = name_index(names.known, command->name);
    if (notation >= 0) {
        session->look.notation = (NumberNotation)notation;
        return true;
    }
    const char *nearest = nearest_word(command->name, names.known);
    return error_set(err, TELL(FORMAT_UNKNOWN), command->name, nearest ? TELL(DID_YOU_MEAN) : "",
                     nearest ? nearest : "", nearest ? TELL(MEANT_END) : "");
}
