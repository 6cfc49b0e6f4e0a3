// picture_view: see picture_view.h.
#include "picture_view.h"

#include <stdio.h>
#include <string.h>
#include "figure_origin.h"
#include "view_words.def"

// --- life cycle

// Whether a key means something else while an origin is shown.
static bool is_of_origin(const char *key)
{
    for (int i = 0; command_key_row(i); i++)
        if (command_key_row(i)->place == PLACE_ORIGIN && keymap_has(command_key_row(i)->keys, key))
            return true;
    return false;
}

// "Up k" is Up or k. Keyboards call the key Enter that SDL calls Return. Nothing where all are the origin's.
static void name_keys(const char *keys, bool but_of_origin, char text[32])
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *at = keys; *at && used < 32;) {
        char key[KEY_NAME_MAX];
        keymap_first(at, key);
        at += strcspn(at, " ");
        at += *at == ' ';
        if (!but_of_origin || !is_of_origin(key))
            used += (size_t)snprintf(text + used, 32 - used, "%s%s", used ? TELL(KEY_OR) : "",
                                     strcmp(key, "Return") == 0 ? "Enter" : key);
    }
}

// Adds the keys of a place, those of an origin left out where it has its own.
static int add_keys(PictureView *view, int used, KeyPlace place, bool but_of_origin)
{
    for (int i = 0; command_key_row(i) && used + 2 < PICTURE_HELP_MAX; i++) {
        const KeyRow *row = command_key_row(i);
        char *keys = view->help_keys[used / 2];
        if (row->place != place)
            continue;
        name_keys(row->keys, but_of_origin, keys);
        if (!keys[0])
            continue;
        view->help_page[used++] = keys;
        view->help_page[used++] = command_about((CommandKind)row->does);
    }
    return used;
}

// The page of keys names a command's keys in one column, what it does in the other; an origin's come first.
static const char *const *fill_help(PictureView *view, bool origin)
{
    int used = origin ? add_keys(view, 0, PLACE_ORIGIN, false) : 0;
    used = add_keys(view, used, PLACE_WINDOW, origin);
    view->help_page[used] = NULL;
    return view->help_page;
}

bool picture_view_open(PictureView *view, Error *err)
{
    *view = (PictureView){
        .width = 1280, .height = 960, .scale = 1.0, .metrics = font_metrics_usual, .stale = true};
    view->cache = figure_cache_open(err);
    return view->cache != NULL;
}

void picture_view_close(PictureView *view)
{
    display_list_finish(&view->list);
    figure_cache_close(view->cache);
    *view = (PictureView){.cache = NULL};
}

void picture_view_size(PictureView *view, int width, int height, double scale)
{
    enum { PIXELS_MAX = 1 << 15 }; // of a picture, as of any screen
    const double least = 0.25, most = 64.0;
    view->width = width < 1 ? 1 : width > PIXELS_MAX ? PIXELS_MAX : width;
    view->height = height < 1 ? 1 : height > PIXELS_MAX ? PIXELS_MAX : height;
    scale = scale > 0.0 ? scale : 1.0;
    view->scale = scale < least ? least : scale > most ? most : scale;
    view->stale = true;
}

// --- drawing

bool picture_view_is_stale(const PictureView *view, const Session *session)
{
    return view->stale || view->drawn != session->picture.revision;
}

static bool draw(PictureView *view, const Session *session, FigureRequest *request, Error *err)
{
    const Picture *picture = &session->picture;
    FigurePaper paper = {.width = view->width,
                         .height = view->height,
                         .scale = view->scale * picture->letters,
                         .letters = picture->letters,
                         .metrics = &view->metrics,
                         .cache = view->cache,
                         .list = &view->list};
    request->keys = view->keys;
    request->plays = session->play.on;
    request->hovered = view->keys ? view->hovered : NULL;
    request->notice = picture->tells && session->message.text[0] ? session->message.text : NULL;
    request->help = picture->help ? fill_help(view, request->origin) : NULL;
    if (request->compares && !request->origin)
        return figure_compare_draw(&session->run.trace, request, &picture->other, &paper,
                                   &view->figure, err);
    if (!request->origin)
        return figure_draw(picture_trace(session), request, &paper, &view->figure, err);
    return figure_origin_draw(&session->run.trace, request, &session->origin.explanation, &paper,
                              &view->figure, err);
}

// Hit was what stands above a map, and no cell of it.
static bool is_name(FigureCell cell)
{
    return cell.row < 0 && cell.column < 0;
}

// What lies around the map has another size at every size of cells, so only the picture tells where
// the cell has come to lie. True when another drawing is needed to have it under the pointer again.
static bool hold_anchor(PictureView *view, FigureRequest *request)
{
    const Figure *figure = &view->figure;
    PictureAnchor anchor = view->anchor;
    FigureCell now;
    view->anchor.holds = false;
    if (!anchor.holds || figure->all_visible || !figure_hit(figure, anchor.x, anchor.y, &now) ||
        is_name(now))
        return false;
    ptrdiff_t rows = (anchor.cell.row - now.row) / figure->block_rows;
    ptrdiff_t columns = (anchor.cell.column - now.column) / figure->block_columns;
    request->first_row += rows * figure->block_rows;
    request->first_column += columns * figure->block_columns;
    request->first_row = request->first_row > 0 ? request->first_row : 0;
    request->first_column = request->first_column > 0 ? request->first_column : 0;
    return rows != 0 || columns != 0;
}

bool picture_view_draw(PictureView *view, const Session *session, Error *err)
{
    FigureRequest request = session->picture.request;
    bool drawn = draw(view, session, &request, err);
    if (drawn && hold_anchor(view, &request)) {
        view->has_moved = true;
        drawn = draw(view, session, &request, err);
        view->row = view->figure.first_row;
        view->column = view->figure.first_column;
    }
    view->stale = drawn && view->figure.unfinished;
    view->drawn = session->picture.revision;
    return drawn;
}

bool picture_view_draw_whole(PictureView *view, const Session *session, Error *err)
{
    bool drawn;
    do
        drawn = picture_view_draw(view, session, err);
    while (drawn && view->figure.unfinished);
    return drawn;
}

// --- what the session is told

static void room_of(const Figure *figure, ptrdiff_t room[PICTURE_ROOM_NUMBERS])
{
    enum { PART = 1, LINES = 2 };
    room[0] = figure->rows;
    room[1] = figure->columns;
    room[2] = figure->block_rows;
    room[3] = figure->block_columns;
    bool flat = figure->lines || figure->cell_height < figure->cell_width;
    room[4] = flat ? figure->cell_height : figure->cell_width;
    room[5] = (figure->all_visible ? 0 : PART) + (figure->lines ? LINES : 0);
}

static Command index_command(CommandKind kind, FigureCell cell)
{
    return (Command){.kind = kind, .rank = 3, .index = {cell.head, cell.row, cell.column}};
}

static Command corner_command(CommandKind kind, ptrdiff_t row, ptrdiff_t column)
{
    return (Command){
        .kind = kind, .rank = 2, .index = {row > 0 ? row : 0, column > 0 ? column : 0}};
}

bool picture_view_next(const PictureView *view, const Session *session, Command *command)
{
    const FigureRequest *request = &session->picture.request;
    const Figure *figure = &view->figure;
    ptrdiff_t room[PICTURE_ROOM_NUMBERS];
    if (figure->map_count == 0 || view->drawn != session->picture.revision)
        return false;
    if (view->has_moved) {
        *command = corner_command(COMMAND_CORNER, view->row, view->column);
        return true;
    }
    room_of(figure, room);
    bool is_behind = !figure->all_visible && (request->first_row > figure->first_row ||
                                              request->first_column > figure->first_column);
    if (!is_behind && memcmp(room, view->told, sizeof room) == 0)
        return false;
    *command = (Command){.kind = COMMAND_MAP_ROOM, .rank = PICTURE_ROOM_NUMBERS};
    memcpy(command->index, room, sizeof room);
    return true;
}

void picture_view_said(PictureView *view, const Command *command)
{
    if (command->kind == COMMAND_MAP_ROOM)
        memcpy(view->told, command->index, sizeof view->told);
    if (command->kind == COMMAND_CORNER)
        view->has_moved = false;
}

// --- the pointer

// A mean has no head, words no row or no column: those of the cursor stay.
static FigureCell whole_cell(const Session *session, FigureCell cell)
{
    const FigureRequest *request = &session->picture.request;
    cell.head = cell.head < 0 ? request->cursor.head : cell.head;
    cell.row = cell.row < 0 ? request->cursor.row : cell.row;
    cell.column = cell.column < 0 ? request->cursor.column : cell.column;
    return cell;
}

// A button under the pointer is drawn otherwise.
static void hover(PictureView *view, const char *says)
{
    view->stale = view->stale || view->hovered != says;
    view->hovered = says;
}

void picture_view_leave(PictureView *view, Command *command)
{
    hover(view, NULL);
    *command = (Command){.kind = COMMAND_POINT_AWAY};
}

bool picture_view_point(PictureView *view, const Session *session, int x, int y, Command *command)
{
    FigureCell cell;
    hover(view, figure_hit_button(&view->figure, x, y));
    *command = (Command){.kind = COMMAND_POINT_AWAY};
    if (!figure_hit(&view->figure, x, y, &cell) || is_name(cell))
        return true;
    CommandKind kind = cell.column < 0 ? COMMAND_POINT_ROW
                       : cell.row < 0  ? COMMAND_POINT_COLUMN
                                       : COMMAND_POINT;
    *command = index_command(kind, whole_cell(session, cell));
    return true;
}

bool picture_view_press(PictureView *view, const Session *session, int x, int y, Command *command)
{
    FigureCell cell;
    ptrdiff_t layer;
    Error err;
    const char *button = figure_hit_button(&view->figure, x, y);
    view->drag_x = view->drag_y = 0;
    if (button)
        return command_parse(button, command, &err);
    if (figure_hit_head(&view->figure, x, y, &cell.head)) {
        *command = (Command){.kind = COMMAND_PICK_HEAD, .number = cell.head};
        return true;
    }
    if (figure_hit_layer(&view->figure, x, y, &layer)) {
        *command = (Command){.kind = COMMAND_SEQUENCE, .number = layer};
        return true;
    }
    if (!figure_hit(&view->figure, x, y, &cell))
        return false;
    bool named = is_name(cell);
    cell = whole_cell(session, cell);
    *command = named ? (Command){.kind = COMMAND_OPEN_HEAD, .number = cell.head}
                     : index_command(COMMAND_PRESS, cell);
    return true;
}

// Whole cells of what was dragged; the rest stays for the next time.
static ptrdiff_t take_cells(int *pixels, int cell, ptrdiff_t block)
{
    ptrdiff_t cells = *pixels / cell;
    *pixels %= cell;
    return cells * block;
}

bool picture_view_drag(PictureView *view, const Session *session, int x, int y, Command *command)
{
    const FigureRequest *request = &session->picture.request;
    const Figure *figure = &view->figure;
    if (figure->map_count == 0 || figure->all_visible || figure->cell_width <= 0 ||
        figure->cell_height <= 0)
        return false;
    view->drag_x += x;
    view->drag_y += y;
    ptrdiff_t rows = take_cells(&view->drag_y, figure->cell_height, figure->block_rows);
    ptrdiff_t columns =
        figure->lines ? rows : take_cells(&view->drag_x, figure->cell_width, figure->block_columns);
    *command =
        corner_command(COMMAND_DRAG, request->first_row - rows, request->first_column - columns);
    return rows != 0 || columns != 0;
}

bool picture_view_wheel(PictureView *view, const Session *session, int x, int y, int way,
                        Command *command)
{
    FigureCell cell;
    if (way == 0 || view->figure.map_count == 0)
        return false;
    bool hit = figure_hit(&view->figure, x, y, &cell) && !is_name(cell);
    *command = (Command){.kind = way > 0 ? COMMAND_ZOOM_IN : COMMAND_ZOOM_OUT, .number = 1};
    if (view->figure.lines)
        cell = session->picture.request.cursor; // lines scroll, wherever the pointer is
    else if (hit)
        view->anchor = (PictureAnchor){true, whole_cell(session, cell), x, y};
    if (hit || view->figure.lines)
        *command = index_command(way > 0 ? COMMAND_ZOOM_IN_AT : COMMAND_ZOOM_OUT_AT,
                                 whole_cell(session, cell));
    return true;
}
