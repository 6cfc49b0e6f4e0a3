// picture_move: cursor, pointer, zoom; see picture_parts.h. What can be seen of the map comes from
// whoever draws it (picture.h: PictureRoom).
#include "picture_parts.h"

#include <stdio.h>
#include "figure_data.h"
#include "session_actions.h"
#include "session_words.h"

enum { LINES_A_NOTCH = 3 };

// The lengths of the four axes of what is shown; all 1 when it cannot be shown.
static void shape_of(const Session *session, ptrdiff_t shape[4])
{
    FigureData data;
    Error err;
    bool shown = figure_data(picture_trace(session), &session->picture.request, &data, &err);
    for (int axis = 0; axis < 4; axis++)
        shape[axis] = shown ? data.values.shape[axis] : 1;
}

static ptrdiff_t within(ptrdiff_t at, ptrdiff_t count)
{
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

static FigureCell within_shape(FigureCell cell, const ptrdiff_t shape[4])
{
    return (FigureCell){within(cell.head, shape[1]), within(cell.row, shape[2]),
                        within(cell.column, shape[3])};
}

void picture_keep_cursor(Session *session)
{
    FigureRequest *request = &session->picture.request;
    ptrdiff_t shape[4];
    shape_of(session, shape);
    request->cursor = within_shape(request->cursor, shape);
    request->first_row = within(request->first_row, shape[2]);
    request->first_column = within(request->first_column, shape[3]);
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
    ptrdiff_t row = request->cursor.row - BEFORE, column = request->cursor.column - BEFORE;
    request->first_row = row > 0 ? row : 0;
    request->first_column = column > 0 ? column : 0;
}

// The first visible of `count` cells; scrolling stops at the last.
static ptrdiff_t first_of(ptrdiff_t first, ptrdiff_t count, ptrdiff_t visible, ptrdiff_t block)
{
    ptrdiff_t last = count > visible ? count - visible : 0;
    first = first < last ? first : last;
    return block > 1 ? first - first % block : first;
}

// The head that is looked at, and the first cell of it that is visible.
static FigureCell corner(const Session *session)
{
    const FigureRequest *request = &session->picture.request;
    const PictureRoom *room = &session->picture.room;
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
    const PictureRoom *room = &session->picture.room;
    if (request->cursor.row < request->first_row)
        request->first_row = request->cursor.row;
    if (request->cursor.row >= request->first_row + room->rows)
        request->first_row = request->cursor.row - room->rows + 1;
    if (request->cursor.column < request->first_column)
        request->first_column = request->cursor.column;
    if (request->cursor.column >= request->first_column + room->columns)
        request->first_column = request->cursor.column - room->columns + 1;
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
    const PictureRoom *room = &session->picture.room;
    FigureCell cell = request->cursor;
    if (!request->has_cursor) {
        picture_go_to(session, corner(session));
        return;
    }
    if (request->lock == FIGURE_LOCKED_CELL)
        return;
    if (request->lock != FIGURE_LOCKED_ROW)
        cell.row += rows * (room->block_rows > 1 ? room->block_rows : 1);
    cell.column += columns * (room->block_columns > 1 ? room->block_columns : 1);
    picture_go_to(session, cell);
}

bool session_picture_step(Session *session, const Command *command, Error *err)
{
    if (command->kind != COMMAND_CELL) {
        int rows = command->kind == COMMAND_CELL_DOWN ? 1
                   : command->kind == COMMAND_CELL_UP ? -1
                                                      : 0;
        int columns = command->kind == COMMAND_CELL_RIGHT  ? 1
                      : command->kind == COMMAND_CELL_LEFT ? -1
                                                           : 0;
        step(session, rows, columns);
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
        request->head = cell.head; // the one that head-open shows
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

static void open_head(Session *session, ptrdiff_t head)
{
    FigureRequest *request = &session->picture.request;
    FigureCell chosen = picture_chosen(session);
    chosen.head = head;
    request->mode = request->mode == FIGURE_GRID ? FIGURE_HEAD : FIGURE_LINES;
    request->head = request->cursor.head = head;
    request->zoom = 0;
    picture_put(session, request->batch, chosen);
}

// Where maps can be dragged, a press may be the start of a drag. There only a second press, on the cell
// that the first one chose, opens the head.
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
    if (opens(session, cell))
        open_head(session, cell.head);
    else if (!figure_shows_every_head(request))
        request->lock = request->lock == FIGURE_UNLOCKED ? FIGURE_LOCKED_CELL : FIGURE_UNLOCKED;
    picture_go_to(session, cell);
}

bool session_picture_press(Session *session, const Command *command, Error *err)
{
    FigureRequest one = session->picture.request;
    if (command->kind == COMMAND_PRESS) {
        if (!is_listed(session, command, err))
            return false;
        press(session, cell_of(command));
        return true;
    }
    one.head = command->number;
    if (!figure_can_show(picture_trace(session), &one, err))
        return false;
    open_head(session, command->number);
    return true;
}

// --- larger and smaller cells

// The next larger or smaller size of cells.
static int next_zoom(int zoom, int way)
{
    static const int sizes[] = {-64, -48, -32, -24, -16, -12, -8, -6, -4, -3, -2, 1,
                                2,   3,   4,   6,   8,   12,  16, 24, 32, 48, 64, 96};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    int next = 0;
    while (next < COUNT - 1 && (way > 0 ? sizes[next] <= zoom : sizes[next + 1] < zoom))
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

// The cell stays where it is on screen while the cells around it grow or shrink.
static void zoom_around(Session *session, int way, FigureCell cell)
{
    FigureRequest *request = &session->picture.request;
    FigureCell first = corner(session);
    int shown = session->picture.room.zoom;
    int zoom = next_zoom(shown, way);
    if (way < 0 && !session->picture.room.is_part)
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
    const PictureRoom *room = &session->picture.room;
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
        return true; // nobody draws
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
        request->lock = session->picture.lock_before; // the press was meant for this
    request->first_row = command->index[0];
    request->first_column = command->index[1];
    picture_keep_cursor(session);
    return true;
}

// --- what the map has room for

bool session_picture_room(Session *session, const Command *command, Error *err)
{
    enum { NUMBERS = 6, PART = 1, LINES = 2, BLOCK_MAX = 1 << 24 };
    const ptrdiff_t *told = command->index;
    PictureRoom *room = &session->picture.room;
    if (command->rank != NUMBERS)
        return error_set(err, TELL(MAP_ROOM));
    bool is_block = told[2] > 1;
    ptrdiff_t pixels = is_block ? told[2] : told[4];
    pixels = pixels < 1 ? 1 : pixels > BLOCK_MAX ? BLOCK_MAX : pixels;
    *room = (PictureRoom){told[0],
                          told[1],
                          told[2],
                          told[3],
                          is_block ? -(int)pixels : (int)pixels,
                          (told[5] & PART) != 0,
                          (told[5] & LINES) != 0};
    FigureCell first = corner(session);
    if (room->is_part) {
        session->picture.request.first_row = first.row;
        session->picture.request.first_column = first.column;
        picture_keep_cursor(session);
    }
    return true;
}
