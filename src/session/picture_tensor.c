// Which tensor, heads and cell the picture shows, and moving in it; see session.h.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_data.h"
#include "session.h"
#include "session_actions.h"
#include "session_words.def"

// --- an element as a cell, and back

static PictureAxes picture_axes(const Trace *trace, int tensor)
{
    int rank = trace->tensors[tensor].tensor.rank;
    PictureAxes axes = {-1, -1, rank - 2, rank - 1};
    char name[16];
    if (rank < 3)
        return axes;
    trace_axis(trace, tensor, 0, name);
    bool batch = rank == 4 || strcmp(name, "B") == 0 || strcmp(name, "layers") == 0;
    axes.batch = batch ? 0 : -1;
    axes.head = rank == 4 ? 1 : batch ? -1 : 0;
    return axes;
}

const Trace *picture_trace(const Session *session)
{
    return comparison_window_trace(session);
}

bool picture_is_there(const Session *session)
{
    return session->picture.place.tensor[0] != '\0';
}

bool picture_possible(const Session *session)
{
    const Tensor *tensor = &session_tensor(session)->tensor;
    FigureRequest request = {.tensor = session->cursor.tensor};
    Error err;
    return tensor->storage.bytes && tensor->rank >= 2 &&
           figure_can_show(&session->run.trace, &request, &err);
}

const char *picture_tensor_name(const Session *session)
{
    return session->picture.place.tensor;
}

// A missing axis (-1) has index 0.
static ptrdiff_t along(const ptrdiff_t *at, int axis)
{
    return axis >= 0 ? at[axis] : 0;
}

static void put_along(ptrdiff_t *at, int axis, ptrdiff_t index)
{
    if (axis >= 0)
        at[axis] = index;
}

FigureCell picture_chosen(const Session *session)
{
    int tensor = session->picture.request.tensor;
    PictureAxes axes = picture_axes(picture_trace(session), tensor);
    const ptrdiff_t *at = session->cursor.views[tensor].at;
    return (FigureCell){along(at, axes.head), along(at, axes.row), along(at, axes.column)};
}

void picture_put(Session *session, ptrdiff_t batch, FigureCell cell)
{
    TraceCell to = {.tensor = session->picture.request.tensor};
    PictureAxes axes = picture_axes(picture_trace(session), to.tensor);
    memcpy(to.at, session->cursor.views[to.tensor].at, sizeof to.at);
    put_along(to.at, axes.batch, batch);
    put_along(to.at, axes.head, cell.head);
    put_along(to.at, axes.row, cell.row);
    put_along(to.at, axes.column, cell.column);
    int step = to.tensor == session->cursor.tensor ? session->cursor.step
                                                   : session_step_with(session, to.tensor);
    session_show_cell(session, step, to);
}

// --- heads

bool picture_change(Session *session, FigureRequest request, FigureCell chosen, Error *err)
{
    if (!figure_can_show(picture_trace(session), &request, err))
        return false;
    session->picture.request = request;
    picture_put(session, request.batch, chosen);
    return true;
}

bool picture_choose_head(Session *session, ptrdiff_t head, Error *err)
{
    FigureRequest request = session->picture.request;
    FigureCell chosen = picture_chosen(session);
    request.head = request.cursor.head = chosen.head = head;
    if (figure_shows_every_head(&request))
        request.mode = figure_mode_of(request.mode, false);
    return picture_change(session, request, chosen, err);
}

// Keys may act on a head that is not shown; the cursor goes to the nearest of `count` heads that is.
static bool heads_mark(Session *session, ptrdiff_t head, ptrdiff_t count)
{
    FigureRequest *request = &session->picture.request;
    FigureCell chosen = picture_chosen(session);
    request->head = request->cursor.head = chosen.head = head;
    bool found = false;
    for (ptrdiff_t away = 0; away < count && !found; away++)
        for (int direction = -1; direction <= 1 && !found; direction += 2) {
            ptrdiff_t near = head + direction * away;
            found = near >= 0 && near < count && figure_shows_head(request, near);
            if (found)
                request->cursor.head = chosen.head = near;
        }
    picture_put(session, request->batch, chosen);
    return true;
}

bool picture_pick(Session *session, ptrdiff_t head, Error *err)
{
    FigureRequest *request = &session->picture.request;
    FigureHeads heads = request->heads;
    FigureData data;
    if (!figure_data(picture_trace(session), request, &data, err))
        return false;
    ptrdiff_t count = data.values.shape[1];
    if (count < 2 || head >= FIGURE_HEADS_MAX)
        return error_set(err, "%s: %s", session->picture.place.tensor,
                         count < 2 ? TELL(HEADS_ONE) : TELL(HEADS_MANY));
    bool is_one = !figure_shows_every_head(request), begins = !figure_heads_any(&heads);
    for (ptrdiff_t each = 0; begins && each < count; each++)
        figure_heads_put(&heads, each, !is_one || each == request->head);
    bool stays = begins && is_one && head == request->head;
    figure_heads_put(&heads, head, stays || !figure_heads_has(&heads, head));
    if (figure_heads_count(&heads, count) == 0)
        return error_set(err, TELL(HEADS_STAY),
                         figure_mode_of(request->mode, true) == FIGURE_GRID ? "g" : "L");
    request->heads = heads;
    request->mean = false;
    request->mode = figure_mode_of(request->mode, true);
    return heads_mark(session, head, count);
}

bool picture_show_heads(Session *session, const char *words, Error *err)
{
    FigureRequest request = session->picture.request;
    ptrdiff_t first = -1;
    int count = 0;
    if (!figure_heads_read(&request.heads, words, err))
        return false;
    for (ptrdiff_t head = 0; head < FIGURE_HEADS_MAX; head++) {
        if (!figure_heads_has(&request.heads, head))
            continue;
        first = first < 0 ? head : first;
        request.head = head; // the highest; if it exists, all do
        count++;
    }
    if (!figure_can_show(picture_trace(session), &request, err))
        return false;
    request.mean = false;
    request.mode = figure_mode_of(request.mode, count != 1);
    if (count == 1)
        request.heads = (FigureHeads){.bits = {0}};
    session->picture.request = request;
    return first < 0 || heads_mark(session, first, first + 1);
}

bool picture_mark_head(Session *session, int direction)
{
    FigureRequest *request = &session->picture.request;
    FigureData data;
    Error err;
    if (!figure_heads_any(&request->heads) || !figure_shows_every_head(request) ||
        !figure_data(picture_trace(session), request, &data, &err))
        return false;
    ptrdiff_t count = data.values.shape[1];
    return heads_mark(session, (request->head + direction + count) % count, count);
}

// --- cursor, pointer, zoom
//
// The view that draws the map tells how much of it is visible (PictureFit in session.h).

enum { LINES_A_NOTCH = 3 };

// The shape of the four axes shown; all 1 if nothing can be shown.
static void shape_of(const Session *session, ptrdiff_t shape[4])
{
    FigureData data;
    Error err;
    bool shown = figure_data(picture_trace(session), &session->picture.request, &data, &err);
    for (int axis = 0; axis < 4; axis++)
        shape[axis] = shown ? data.values.shape[axis] : 1;
}

static FigureCell cell_within(FigureCell cell, const ptrdiff_t shape[4])
{
    return (FigureCell){index_clamp(cell.head, 0, shape[1] - 1),
                        index_clamp(cell.row, 0, shape[2] - 1),
                        index_clamp(cell.column, 0, shape[3] - 1)};
}

// Moves cursor and corner into a tensor that may have another shape.
static void picture_keep_cursor(Session *session)
{
    FigureRequest *request = &session->picture.request;
    ptrdiff_t shape[4];
    shape_of(session, shape);
    request->cursor = cell_within(request->cursor, shape);
    request->first_row = index_clamp(request->first_row, 0, shape[2] - 1);
    request->first_column = index_clamp(request->first_column, 0, shape[3] - 1);
}

void picture_choose(Session *session)
{
    FigureRequest *request = &session->picture.request;
    session->picture.has_chosen = request->has_cursor = true;
    picture_put(session, request->batch, request->cursor);
}

void picture_show_cursor(Session *session)
{
    enum { BEFORE = 4 }; // words before it
    FigureRequest *request = &session->picture.request;
    if (!request->has_cursor || request->zoom != 0)
        return;
    request->first_row = index_max(request->cursor.row - BEFORE, 0);
    request->first_column = index_max(request->cursor.column - BEFORE, 0);
}

// The first visible of `count` cells; scrolling stops at the last.
static ptrdiff_t first_of(ptrdiff_t first, ptrdiff_t count, ptrdiff_t visible, ptrdiff_t block)
{
    first = index_min(first, index_max(count - visible, 0));
    return block > 1 ? first - first % block : first;
}

// The current head, and its first visible cell.
static FigureCell corner(const Session *session)
{
    const FigureRequest *request = &session->picture.request;
    const PictureFit *room = &session->picture.room;
    FigureCell first = {.head = request->head};
    ptrdiff_t shape[4];
    shape_of(session, shape);
    if (room->is_part) {
        first.row = first_of(request->first_row, shape[2], room->rows, room->block_rows);
        first.column =
            first_of(request->first_column, shape[3], room->columns, room->block_columns);
    }
    return first;
}

// Scrolls until the cursor is visible.
static void scroll_to_cursor(Session *session)
{
    FigureRequest *request = &session->picture.request;
    const PictureFit *room = &session->picture.room;
    const FigureCell *at = &request->cursor;
    request->first_row = index_clamp(request->first_row, at->row - room->rows + 1, at->row);
    request->first_column =
        index_clamp(request->first_column, at->column - room->columns + 1, at->column);
}

void picture_go_to(Session *session, FigureCell cell)
{
    FigureRequest *request = &session->picture.request;
    request->cursor = cell;
    request->points = FIGURE_POINTS_NOWHERE;
    picture_keep_cursor(session);
    picture_choose(session);
    if (!request->mean)
        request->head = request->cursor.head;
    if (session->picture.room.is_part)
        scroll_to_cursor(session);
}

// --- by keys

static bool is_listed(const Session *session, const Command *command, Error *err)
{
    ptrdiff_t shape[4];
    shape_of(session, shape);
    bool fits = command->rank == 3;
    for (int axis = 0; fits && axis < 3; axis++)
        fits = command->index[axis] < shape[axis + 1];
    return fits || error_set(err, TELL(PICTURE_INDEX), command_info(command->kind)->word,
                             picture_tensor_name(session), shape[1], shape[2], shape[3]);
}

static FigureCell cell_of(const Command *command)
{
    return (FigureCell){command->index[0], command->index[1], command->index[2]};
}

static void step(Session *session, int rows, int columns)
{
    const FigureRequest *request = &session->picture.request;
    const PictureFit *room = &session->picture.room;
    FigureCell cell = request->cursor;
    if (!request->has_cursor) {
        picture_go_to(session, corner(session));
        return;
    }
    if (request->lock == FIGURE_LOCKED_CELL)
        return;
    if (request->lock != FIGURE_LOCKED_ROW)
        cell.row += rows * index_max(room->block_rows, 1);
    cell.column += columns * index_max(room->block_columns, 1);
    picture_go_to(session, cell);
}

bool session_picture_step(Session *session, const Command *command, Error *err)
{
    CommandKind kind = command->kind;
    if (kind != COMMAND_CELL) {
        step(session, (kind == COMMAND_CELL_DOWN) - (kind == COMMAND_CELL_UP),
             (kind == COMMAND_CELL_RIGHT) - (kind == COMMAND_CELL_LEFT));
        return true;
    }
    if (!is_listed(session, command, err))
        return false;
    picture_go_to(session, cell_of(command));
    return true;
}

// --- by the pointer

static bool is_same(FigureCell a, FigureCell b)
{
    return a.head == b.head && a.row == b.row && a.column == b.column;
}

static void forget(Session *session)
{
    FigureRequest *request = &session->picture.request;
    if (request->lock != FIGURE_UNLOCKED)
        return;
    request->has_cursor = session->picture.has_chosen;
    if (!session->picture.has_chosen)
        return;
    request->cursor = picture_chosen(session);
    if (figure_shows_every_head(request))
        request->head = request->cursor.head;
}

static void point_at(Session *session, FigureCell cell)
{
    FigureRequest *request = &session->picture.request;
    if (request->lock == FIGURE_LOCKED_CELL)
        return;
    if (request->lock == FIGURE_LOCKED_ROW) {
        cell.row = request->cursor.row;
        cell.head = request->cursor.head;
    }
    request->has_cursor = true;
    request->cursor = cell;
    if (figure_shows_every_head(request))
        request->head = cell.head; // for head-open
}

bool session_picture_point(Session *session, const Command *command, Error *err)
{
    session->picture.request.points = FIGURE_POINTS_NOWHERE;
    if (command->kind == COMMAND_POINT_AWAY) {
        forget(session);
        return true;
    }
    if (!is_listed(session, command, err))
        return false;
    point_at(session, cell_of(command));
    session->picture.request.points = command->kind == COMMAND_POINT_ROW      ? FIGURE_POINTS_ROW
                                      : command->kind == COMMAND_POINT_COLUMN ? FIGURE_POINTS_COLUMN
                                                                              : FIGURE_POINTS_CELL;
    return true;
}

// Enlarges one head, so that all of it is visible.
static bool open_head(Session *session, ptrdiff_t head, Error *err)
{
    bool good = picture_choose_head(session, head, err);
    session->picture.request.zoom = good ? 0 : session->picture.request.zoom;
    return good;
}

// If maps can be dragged, a press may begin a drag. Then only a second press, on the cell that the first one
// chose, opens the head.
static bool opens(const Session *session, FigureCell cell)
{
    return figure_shows_every_head(&session->picture.request) &&
           (!session->picture.room.is_part ||
            (session->picture.has_chosen && is_same(picture_chosen(session), cell)));
}

static void press(Session *session, FigureCell cell)
{
    FigureRequest *request = &session->picture.request;
    session->picture.lock_before = request->lock;
    Error unused; // the head is one of those shown
    if (opens(session, cell))
        open_head(session, cell.head, &unused);
    else if (!figure_shows_every_head(request))
        request->lock = request->lock == FIGURE_UNLOCKED ? FIGURE_LOCKED_CELL : FIGURE_UNLOCKED;
    picture_go_to(session, cell);
}

bool session_picture_press(Session *session, const Command *command, Error *err)
{
    if (command->kind == COMMAND_OPEN_HEAD)
        return open_head(session, command->number, err);
    if (!is_listed(session, command, err))
        return false;
    press(session, cell_of(command));
    return true;
}

// --- larger and smaller cells

// The next larger or smaller cell size.
static int next_zoom(int zoom, int direction)
{
    static const int sizes[] = {-64, -48, -32, -24, -16, -12, -8, -6, -4, -3, -2, 1,
                                2,   3,   4,   6,   8,   12,  16, 24, 32, 48, 64, 96};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    int next = 0;
    while (next < COUNT - 1 && (direction > 0 ? sizes[next] <= zoom : sizes[next + 1] < zoom))
        next++;
    return sizes[next];
}

static void scroll(Session *session, ptrdiff_t rows)
{
    FigureCell first = corner(session);
    if (!session->picture.room.is_part)
        return;
    session->picture.request.first_row = first.row + rows;
    session->picture.request.first_column = first.column + rows;
    picture_keep_cursor(session);
}

// Zooms while the cell stays at its place on screen.
static void zoom_around(Session *session, int direction, FigureCell cell)
{
    FigureRequest *request = &session->picture.request;
    FigureCell first = corner(session);
    int shown = session->picture.room.zoom;
    int zoom = next_zoom(shown, direction);
    if (direction < 0 && !session->picture.room.is_part)
        zoom = 0;
    double grows = (zoom > 0   ? zoom
                    : zoom < 0 ? -1.0 / zoom
                               : 1.0) /
                   (shown > 0 ? shown : -1.0 / shown);
    request->first_row = cell.row - (ptrdiff_t)((double)(cell.row - first.row) / grows + 0.5);
    request->first_column =
        cell.column - (ptrdiff_t)((double)(cell.column - first.column) / grows + 0.5);
    request->zoom = zoom;
    picture_keep_cursor(session);
}

static FigureCell middle(const Session *session)
{
    const PictureFit *room = &session->picture.room;
    FigureCell first = corner(session);
    return (FigureCell){0, first.row + room->rows / 2, first.column + room->columns / 2};
}

bool session_picture_zoom(Session *session, const Command *command, Error *err)
{
    const Picture *picture = &session->picture;
    bool larger = command->kind == COMMAND_ZOOM_IN || command->kind == COMMAND_ZOOM_IN_AT;
    bool at = command->kind == COMMAND_ZOOM_IN_AT || command->kind == COMMAND_ZOOM_OUT_AT;
    if (command->kind == COMMAND_ZOOM_FIT) {
        session->picture.request.zoom = 0;
        return true;
    }
    if (at && !is_listed(session, command, err))
        return false;
    if (picture->room.rows == 0)
        return true; // no view
    if (picture->room.lines && at)
        scroll(session, larger ? -LINES_A_NOTCH : LINES_A_NOTCH);
    else if (!picture->room.lines)
        zoom_around(session, larger ? 1 : -1,
                    at                            ? cell_of(command)
                    : picture->request.has_cursor ? picture->request.cursor
                                                  : middle(session));
    return true;
}

bool session_picture_corner(Session *session, const Command *command, Error *err)
{
    FigureRequest *request = &session->picture.request;
    if (command->rank != 2)
        return error_set(err, TELL(PICTURE_TWO), command_info(command->kind)->word);
    if (command->kind == COMMAND_DRAG)
        request->lock = session->picture.lock_before; // the press began the drag
    request->first_row = command->index[0];
    request->first_column = command->index[1];
    picture_keep_cursor(session);
    return true;
}

// --- how much of the map is visible

bool session_picture_room(Session *session, const Command *command, Error *err)
{
    enum { NUMBERS = 6, PART = 1, LINES = 2, BLOCK_MAX = 1 << 24 };
    const ptrdiff_t *numbers = command->index;
    PictureFit *room = &session->picture.room;
    if (command->rank != NUMBERS)
        return error_set(err, TELL(MAP_ROOM));
    bool is_block = numbers[2] > 1;
    ptrdiff_t pixels = index_clamp(is_block ? numbers[2] : numbers[4], 1, BLOCK_MAX);
    *room = (PictureFit){numbers[0],
                         numbers[1],
                         numbers[2],
                         numbers[3],
                         is_block ? -(int)pixels : (int)pixels,
                         (numbers[5] & PART) != 0,
                         (numbers[5] & LINES) != 0};
    FigureCell first = corner(session);
    if (room->is_part) {
        session->picture.request.first_row = first.row;
        session->picture.request.first_column = first.column;
        picture_keep_cursor(session);
    }
    return true;
}

// --- the largest number

// Finds the first of equally large numbers, in the order of heads, rows, columns.
static bool largest_shown(const FigureRequest *request, const FigureData *data, FigureCell *cell)
{
    float most = -INFINITY;
    bool found = false;
    for (ptrdiff_t head = -1; head < data->values.shape[1]; head++)
        if (figure_shows_head(request, head))
            found = figure_largest(data, request, head, cell, &most) || found;
    return found;
}

bool session_picture_largest(Session *session, const Command *command, Error *err)
{
    const FigureRequest *request = &session->picture.request;
    FigureCell cell = request->cursor;
    FigureData data;
    (void)command;
    if (!figure_data(picture_trace(session), request, &data, err))
        return false;
    if (!largest_shown(request, &data, &cell))
        return error_set(err, TELL(PICTURE_NO_LARGEST), picture_tensor_name(session));
    cell.head = request->mean ? request->head : cell.head;
    picture_go_to(session, cell);
    return true;
}

// --- comparison with the other run

bool session_picture_compare(Session *session, const Command *command, Error *err)
{
    Picture *picture = &session->picture;
    (void)command;
    if (!picture->shows_compare && (!session->comparison.open || session->comparison.swapped))
        return error_set(err, TELL(COMPARE_NO_COMPARISON));
    picture->shows_compare = !picture->shows_compare;
    return true;
}

// Describes the other run, and where the two first differ.
static void describe(Session *session)
{
    const Comparison *comparison = &session->comparison;
    FigureOther *other = &session->picture.other;
    bool tells = comparison->mistake && !comparison->hidden;
    *other = (FigureOther){.trace = &comparison->trace, .name = comparison_title(session)};
    if (tells) {
        snprintf(session->picture.mistake, sizeof session->picture.mistake, TELL(MISTAKE_NAMED),
                 comparison->mistake->name);
        other->name = session->picture.mistake;
    }
    other->about = tells ? comparison->mistake->words[language_now()].title : NULL;
    other->differs = comparison_next_difference(session, true, &other->first);
}

// After every command: decides whether the picture compares, and what.
static void picture_note_compare(Session *session, CommandKind kind)
{
    Picture *picture = &session->picture;
    FigureRequest *request = &picture->request;
    bool was = request->compares;
    int tensor = request->tensor;
    picture->shows_compare =
        picture->shows_compare && session->comparison.open && !session->comparison.swapped;
    request->compares = picture->shows_compare && comparison_tensor(session, tensor);
    if (!request->compares)
        return;
    if (!was || !command_is(kind, COMMAND_OF_PICTURE)) // numbers may have changed
        describe(session);
    picture->other.tensor =
        trace_find(&session->comparison.trace, session->run.trace.tensors[tensor].name);
}

bool picture_pair(const Session *session, FigureData *here, FigureData *there, FigureSidePair *pair)
{
    const Picture *picture = &session->picture;
    FigureRequest other = picture->request;
    Error err;
    *pair = (FigureSidePair){here, there, other.batch};
    if (!other.compares || !figure_data(&session->run.trace, &picture->request, here, &err))
        return false;
    other.tensor = picture->other.tensor;
    return figure_data(picture->other.trace, &other, there, &err);
}

// --- the tensor

static void name_axes(const Trace *trace, int tensor, PicturePlace *place)
{
    PictureAxes axes = picture_axes(trace, tensor);
    place->rows[0] = place->columns[0] = '\0';
    if (axes.row >= 0)
        trace_axis(trace, tensor, axes.row, place->rows);
    if (axes.column >= 0)
        trace_axis(trace, tensor, axes.column, place->columns);
}

// A locked row stays locked in another tensor if its rows have the same axis; a locked cell, if the columns
// have the same axis, too.
static bool keeps_lock(const FigureRequest *request, const PicturePlace *was,
                       const PicturePlace *now)
{
    FigureCell cell = request->cursor;
    bool row =
        strcmp(was->rows, now->rows) == 0 && cell.head < now->shape[1] && cell.row < now->shape[2];
    bool column = strcmp(was->columns, now->columns) == 0 && cell.column < now->shape[3];
    return row && (column || request->lock == FIGURE_LOCKED_ROW);
}

// Removes lock and zoom that do not fit another shape.
static void fit_view(FigureRequest *request, const PicturePlace *was, const PicturePlace *now)
{
    const ptrdiff_t *shape = now->shape;
    if (!keeps_lock(request, was, now))
        request->lock = FIGURE_UNLOCKED;
    if (was->shape[2] != shape[2] || was->shape[3] != shape[3])
        request->zoom = 0;
    request->batch = index_min(request->batch, shape[0] - 1);
    request->head = index_min(request->head, shape[1] - 1);
}

// Changes the tensor drawn, not the session's position.
static bool show(Session *session, int number, Error *err)
{
    Picture *picture = &session->picture;
    PicturePlace *place = &picture->place, was = *place;
    const Trace *trace = picture_trace(session);
    const char *name = trace->tensors[number].name;
    FigureRequest fresh = figure_request(trace, number);
    FigureData data;
    if (!figure_data(trace, &fresh, &data, err))
        return false;
    FigureRequest request = place->tensor[0] ? picture->request : fresh;
    request.tensor = number;
    request.version = picture->request.version;
    // Chosen colours stay while the numbers are of the same kind.
    request.map = fresh.map == place->usual ? request.map : fresh.map;
    request.scale = fresh.scale == place->usual_scale ? request.scale : fresh.scale;
    request.computed = -1;
    memcpy(place->shape, data.values.shape, sizeof place->shape);
    name_axes(trace, number, place);
    fit_view(&request, &was, place);
    picture->request = request;
    if (strcmp(place->tensor, name) == 0)
        place->chosen.tensor = number;
    place->usual = fresh.map;
    place->usual_scale = fresh.scale;
    snprintf(place->tensor, sizeof place->tensor, "%s", name);
    picture_keep_cursor(session);
    return true;
}

// Takes over the session's element: axes of the same name keep their index, so that a word stays the same word
// whether it is a row or a column.
static void follow_axes(Session *session)
{
    Picture *picture = &session->picture;
    FigureRequest *request = &picture->request;
    PictureAxes axes = picture_axes(picture_trace(session), request->tensor);
    const ptrdiff_t *at = session->cursor.views[request->tensor].at;
    FigureCell cell = cell_within(picture_chosen(session), picture->place.shape);
    if (axes.batch >= 0)
        request->batch = at[axes.batch];
    request->cursor = cell; // also in a locked row, which has other columns here
    picture_put(session, request->batch, cell);
}

bool picture_look_at(Session *session, int tensor, Error *err)
{
    const Trace *trace = &session->run.trace;
    FigureRequest fresh = {.tensor = tensor};
    if (!figure_can_show(trace, &fresh, err))
        return false;
    session->cursor.step = session_step_with(session, tensor);
    session->run.failed = false;
    session_look_at(session, tensor);
    if (!show(session, tensor, err))
        return false;
    follow_axes(session);
    return true;
}

bool picture_look_further(Session *session, int direction, Error *err)
{
    int count = session->run.trace.tensor_count;
    for (int step = 1; step < count; step++) {
        int number = ((session->picture.request.tensor + direction * step) % count + count) % count;
        if (session->run.trace.tensors[number].step >= 0 && picture_look_at(session, number, err))
            return true;
    }
    return error_set(err, TELL(PICTURE_NO_OTHER));
}

// --- after every command

// Shows the session's tensor, else the one shown before, else the first possible one.
static void renew(Session *session, bool possible)
{
    Picture *picture = &session->picture;
    const Trace *trace = picture_trace(session);
    int same = trace_find(trace, picture->place.tensor);
    Error unused;
    if (picture->run != session->run.number)
        picture->request.version++;
    picture->run = session->run.number;
    if ((possible && show(session, session->cursor.tensor, &unused)) ||
        (same >= 0 && show(session, same, &unused)))
        return;
    for (int number = 0; number < trace->tensor_count; number++)
        if (show(session, number, &unused))
            return;
    picture->place.tensor[0] = '\0';
}

// Marks the session's element and makes it visible.
static void tensor_mark(Session *session)
{
    Picture *picture = &session->picture;
    TraceCell cell = session_cell(session);
    if (session_same_cell(cell, picture->place.chosen))
        return;
    PictureAxes axes = picture_axes(picture_trace(session), cell.tensor);
    picture->request.batch = axes.batch >= 0 ? cell.at[axes.batch] : 0;
    picture_go_to(session, picture_chosen(session));
    picture->place.chosen = cell;
}

// Below stage depth, shows only the elements reached.
static void show_progress(Session *session)
{
    FigureRequest *request = &session->picture.request;
    int output = session_main_output(session, session->cursor.step);
    bool counts = session->cursor.depth != DEPTH_STAGE && request->tensor == output &&
                  session->cursor.tensor == output;
    request->computed = counts ? session_element(session) + 1 : -1;
}

static void note_source(Session *session)
{
    Picture *picture = &session->picture;
    session_picture_changed_by(session, picture->changed);
    picture->request.changed = picture->changed[0] ? picture->changed : NULL;
    picture->request.document = picture->changed[0] ? NULL : session_document(session);
    picture->request.weights = session_own_weights(session);
}

// Closing the session's origin panel closes the picture's.
static void note_origin(Session *session)
{
    Picture *picture = &session->picture;
    FigureRequest *request = &picture->request;
    picture->shows_origin = picture->shows_origin && session->look.detail == DETAIL_ORIGIN;
    request->origin = picture->shows_origin && session->origin.known;
    if (!request->origin)
        return;
    request->origin_cell = session->origin.explanation.cell;
    request->origin_marked = session->origin.marked;
}

void picture_follow(Session *session, CommandKind kind)
{
    Picture *picture = &session->picture;
    bool possible = picture_possible(session);
    if (picture->run != session->run.number ||
        (possible && picture->request.tensor != session->cursor.tensor))
        renew(session, possible);
    if (!picture_is_there(session))
        return;
    if (command_is(kind, COMMAND_OF_PICTURE))
        picture->place.chosen = session_cell(session);
    else if (possible)
        tensor_mark(session);
    show_progress(session);
    note_source(session);
    note_origin(session);
    picture_note_compare(session, kind);
    if (kind != COMMAND_PRESS && !command_is(kind, COMMAND_SILENT))
        picture->lock_before = picture->request.lock;
}
