// The picture of a session, its window, and what is saved of it; see picture_view.h.
#include "picture_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "figure.h"
#include "new_file.h"
#include "open_lecture.h"
#include "utf8.h"
#include "view_words.def"

// --- life cycle

// True if the key has another meaning while an origin is shown.
static bool is_of_origin(const char *key)
{
    for (int i = 0; command_key_row(i); i++)
        if (command_key_row(i)->place == PLACE_ORIGIN && keymap_has(command_key_row(i)->keys, key))
            return true;
    return false;
}

// Writes "Up k" as "Up or k", without the origin's own keys if asked. SDL's Return is called Enter.
static void name_keys(const char *keys, bool but_of_origin, char text[32])
{
    text[0] = '\0';
    for (const char *at = keys; *at;) {
        char key[KEY_NAME_MAX];
        keymap_first(at, key);
        at += strcspn(at, " ");
        at += *at == ' ';
        if (!but_of_origin || !is_of_origin(key))
            text_add(text, 32, "%s%s", *text ? TELL(KEY_OR) : "",
                     strcmp(key, "Return") == 0 ? "Enter" : key);
    }
}

// Adds the keys of a place, without the origin's own keys if asked.
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

// Pairs of keys and meaning; an origin's come first.
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
    enum { PIXELS_MAX = 1 << 15 }; // more than any screen has
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

// True for a place above a map, outside its cells.
static bool is_name(FigureCell cell)
{
    return cell.row < 0 && cell.column < 0;
}

// Moves the visible part so that the anchored cell is under the pointer again: its place is known only after
// drawing, because labels change size with cells. Returns true if another drawing is needed.
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

// --- reports to the session

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
    if (!is_behind && memcmp(room, view->reported, sizeof room) == 0)
        return false;
    *command = (Command){.kind = COMMAND_MAP_ROOM, .rank = PICTURE_ROOM_NUMBERS};
    memcpy(command->index, room, sizeof room);
    return true;
}

void picture_view_said(PictureView *view, const Command *command)
{
    if (command->kind == COMMAND_MAP_ROOM)
        memcpy(view->reported, command->index, sizeof view->reported);
    if (command->kind == COMMAND_CORNER)
        view->has_moved = false;
}

// --- the pointer

// Completes a cell from the cursor: a mean has no head, labels have no row or no column.
static FigureCell whole_cell(const Session *session, FigureCell cell)
{
    const FigureRequest *request = &session->picture.request;
    cell.head = cell.head < 0 ? request->cursor.head : cell.head;
    cell.row = cell.row < 0 ? request->cursor.row : cell.row;
    cell.column = cell.column < 0 ? request->cursor.column : cell.column;
    return cell;
}

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

// Takes whole cells from the dragged pixels; the rest stays for the next time.
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

bool picture_view_wheel(PictureView *view, const Session *session, int x, int y, int direction,
                        Command *command)
{
    FigureCell cell;
    if (direction == 0 || view->figure.map_count == 0)
        return false;
    bool hit = figure_hit(&view->figure, x, y, &cell) && !is_name(cell);
    *command = (Command){.kind = direction > 0 ? COMMAND_ZOOM_IN : COMMAND_ZOOM_OUT, .number = 1};
    if (view->figure.lines)
        cell = session->picture.request.cursor; // lines scroll wherever the pointer is
    else if (hit)
        view->anchor = (PictureAnchor){true, whole_cell(session, cell), x, y};
    if (hit || view->figure.lines)
        *command = index_command(direction > 0 ? COMMAND_ZOOM_IN_AT : COMMAND_ZOOM_OUT_AT,
                                 whole_cell(session, cell));
    return true;
}

enum { WIDTH = 1280, HEIGHT = 960, PATH_BYTES = 900 };

// --- files

static bool write_numbers(const void *session, FILE *out, Error *err)
{
    (void)err;
    picture_csv(session, out);
    return true;
}

bool picture_save_csv(const Session *session, const char *path, Error *err)
{
    return new_file_write(path, write_numbers, session, err);
}

// A free name for a file saved with a key: "causal-attn_weights.png", then "causal-attn_weights-2.png". Has
// the folder, because the user may not know where the program started.
static void name_file(const Session *session, const char *ending, char path[PATH_BYTES])
{
    const Scenario *scenario = session->run.trace.scenario;
    char folder[PATH_BYTES - 300], name[256];
    snprintf(name, sizeof name, "%.120s-%.64s", path_name(scenario->name),
             picture_tensor_name(session));
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    if (!getcwd(folder, sizeof folder))
        snprintf(folder, sizeof folder, ".");
    snprintf(path, PATH_BYTES, "%s/%s.%s", folder, name, ending);
    for (int number = 2; access(path, F_OK) == 0 && number < 10000; number++)
        snprintf(path, PATH_BYTES, "%s/%s-%d.%s", folder, name, number, ending);
}

// "the picture is causal-attn_weights.png, in /home/somebody": the name comes first, because narrow windows
// cut the end.
static void report_saved(PictureWindow *window, bool numbers, const char *path)
{
    const char *slash = strrchr(path, '/');
    words_format(window->report, sizeof window->report,
                 numbers ? TELL(NUMBERS_SAVED) : TELL(PICTURE_SAVED), slash ? slash + 1 : path,
                 slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static void write_csv(PictureWindow *window, const Session *session)
{
    char path[PATH_BYTES];
    Error err = {.text = ""};
    window->csvs = session->picture.csvs;
    name_file(session, "csv", path);
    if (picture_save_csv(session, path, &err))
        report_saved(window, true, path);
    else
        snprintf(window->report, sizeof window->report, "%.511s", err.text);
}

// Sends the picture, without the line of keys, to be saved. The result comes as an event.
static bool send_picture(PictureWindow *window, const Session *session, Error *err)
{
    char path[PATH_BYTES];
    window->saves = session->picture.saves;
    name_file(session, "png", path);
    window->view.keys = false;
    bool drawn = picture_view_draw_whole(&window->view, session, err);
    window->view.keys = window->view.stale = true;
    if (drawn)
        window_save(&window->window, &window->view.list, path); // window_next reports the result
    return drawn;
}

// --- following the session

static void forget(PictureWindow *window, const char *why)
{
    snprintf(window->gone, sizeof window->gone, "%.511s", why[0] ? why : "-");
    picture_window_close(window);
}

static void take_size(PictureWindow *window)
{
    picture_view_size(&window->view, window->window.width, window->window.height,
                      window->window.scale);
}

// Sets the title: the scenario, and whether it was edited. Returns true if it changed.
static bool take_title(PictureWindow *window, const Session *session)
{
    char title[PICTURE_TITLE_MAX];
    bool changed = session->picture.request.changed != NULL;
    snprintf(title, sizeof title, changed ? TELL(WINDOW_TITLE_CHANGED) : TELL(WINDOW_TITLE),
             session->run.trace.scenario->name);
    bool same = strcmp(title, window->title) == 0;
    memcpy(window->title, title, sizeof title);
    return !same;
}

static void open_window(PictureWindow *window, const Session *session)
{
    Error err = {.text = ""};
    if (!picture_possible(session)) {
        forget(window, TELL(NO_NUMBERS_YET));
        return;
    }
    take_title(window, session);
    window->saves = session->picture.saves;
    window->csvs = session->picture.csvs;
    window->open = picture_view_open(&window->view, &err) &&
                   window_open(&window->window, window->title, WIDTH, HEIGHT, &err);
    if (!window->open) {
        forget(window, err.text);
        return;
    }
    window_lend(&window->window, &window->view.list);
    window->view.metrics = window->window.metrics;
    window->view.keys = true;
    take_size(window);
}

static bool show(PictureWindow *window, const Session *session, Error *err)
{
    if (session->picture.csvs != window->csvs)
        write_csv(window, session);
    if (!window_is_ready(&window->window))
        return true;
    if (session->picture.saves != window->saves)
        return send_picture(window, session, err);
    if (!picture_view_is_stale(&window->view, session))
        return true;
    if (!picture_view_draw(&window->view, session, err))
        return false;
    if (take_title(window, session))
        window_call(&window->window, window->title);
    window_show(&window->window, &window->view.list);
    return true;
}

void picture_window_follow(PictureWindow *window, const Session *session)
{
    Error err = {.text = ""};
    Command command;
    if (!session->window && window->open)
        picture_window_close(window);
    if (session->window && !window->open && window->gone[0] == '\0')
        open_window(window, session);
    if (window->open && !picture_is_there(session))
        forget(window, TELL(NO_NUMBERS_NOW));
    if (window->open && !show(window, session, &err))
        forget(window, err.text);
    window->restless = window->gone[0] || window->report[0] ||
                       (window->open && picture_view_next(&window->view, session, &command));
}

// --- events of the window

static Command say(CommandKind kind, char words[COMMAND_NAME_MAX])
{
    Command command = {.kind = kind};
    snprintf(command.name, sizeof command.name, "%s", words);
    words[0] = '\0';
    return command;
}

static void notice_hangul(PictureWindow *window, const Session *session, const char *key)
{
    if (window->hangul_said || !hangul_key(key))
        return;
    window->hangul_said = true;
    snprintf(window->report, sizeof window->report, "%s",
             open_lecture_session_word(session, WORD_HANGUL_KEYS));
}

// Turns an event into a command; false if it has none.
static bool take_event(PictureWindow *window, const Session *session, const WindowEvent *event,
                       Command *command)
{
    PictureView *view = &window->view;
    switch (event->kind) {
    case WINDOW_KEY:
        notice_hangul(window, session, event->word);
        return (session->picture.request.origin &&
                command_for_key_in(PLACE_ORIGIN, event->word, command)) ||
               command_for_key_in(PLACE_WINDOW, event->word, command);
    case WINDOW_MOVE:
        return picture_view_point(view, session, event->x, event->y, command);
    case WINDOW_PRESS:
        return picture_view_press(view, session, event->x, event->y, command);
    case WINDOW_DRAG:
        return picture_view_drag(view, session, event->x, event->y, command);
    case WINDOW_WHEEL:
        return picture_view_wheel(view, session, event->x, event->y, event->number, command);
    case WINDOW_LEAVE:
        picture_view_leave(view, command);
        return true;
    case WINDOW_SIZE:
        take_size(window);
        return false;
    case WINDOW_SAVED:
        report_saved(window, false, event->word);
        return false;
    case WINDOW_NOTE:
    case WINDOW_FAILED:
        snprintf(window->report, sizeof window->report, "%.511s", event->word);
        return false;
    default:
        return false;
    }
}

static bool next_of_window(PictureWindow *window, const Session *session, Command *command)
{
    WindowEvent event;
    while (window->open && window->report[0] == '\0' && window_next(&window->window, &event))
        if (event.kind == WINDOW_LOST || event.kind == WINDOW_CLOSED)
            forget(window, event.kind == WINDOW_LOST ? event.word : "-");
        else if (take_event(window, session, &event, command))
            return true;
    return false;
}

bool picture_window_next(PictureWindow *window, const Session *session, Command *command)
{
    if (next_of_window(window, session, command))
        return true;
    if (window->gone[0] || window->report[0]) {
        *command = window->gone[0] ? say(COMMAND_WINDOW_GONE, window->gone)
                                   : say(COMMAND_TELL, window->report);
        return true;
    }
    if (!window->open || !picture_view_next(&window->view, session, command))
        return false;
    picture_view_said(&window->view, command);
    return true;
}

// --- waiting

int picture_window_descriptor(const PictureWindow *window)
{
    return window->open ? window->window.fd : -1;
}

int picture_window_wait(const PictureWindow *window)
{
    return window->restless ? 0 : -1;
}

void picture_window_close(PictureWindow *window)
{
    window_close(&window->window);
    picture_view_close(&window->view);
    window->open = false;
}
