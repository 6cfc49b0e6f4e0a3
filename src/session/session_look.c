// Which tensor is shown, and which of its elements is chosen.
#include <stdlib.h>
#include <string.h>
#include "session.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"

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
