// The pointer in a picture: it looks, presses, drags and turns its wheel.
#include "looking.h"

#include <string.h>
#include "suite.h"

static Looking it;

static void open_shape(TinyShape shape)
{
    looking_open(&it, shape);
    looking_draw(&it);
}

// Two sequences, two heads of 3 x 3.
static void open_heatmap(void)
{
    open_shape(tiny_self(2, 2, 3));
}

static void close_heatmap(void)
{
    looking_close(&it);
}

static void apply(const char *words)
{
    looking_say(&it, words);
}

static void press(const char *key)
{
    looking_press(&it, key);
}

TEST(the_pointer_looks_and_a_press_opens_a_head_and_then_locks)
{
    const FigureMap *map = &it.view.figure.maps[1];
    looking_point(&it, map->x + it.view.figure.cell_width + 1,
                  map->y + 2 * it.view.figure.cell_height + 1);
    ck_assert_int_eq(it.session.picture.request.cursor.head, 1);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 1);
    press("Return");
    ck_assert_int_eq(it.session.picture.request.head, 1);
    press("Return");
    map = &it.view.figure.maps[1];
    looking_click(&it, map->x + it.view.figure.cell_width + 1,
                  map->y + 2 * it.view.figure.cell_height + 1);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.head, 1);
    looking_click(&it, it.view.figure.maps[0].x + 1, it.view.figure.maps[0].y + 1);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_CELL);
    looking_point(&it, 1, 1); // outside: what is locked stays
    ck_assert(it.session.picture.request.has_cursor);
    looking_click(&it, it.view.figure.maps[0].x + 1, it.view.figure.maps[0].y + 1);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_UNLOCKED);
    looking_point(&it, it.view.figure.maps[0].x + 1,
                  it.view.figure.maps[0].y + 2 * it.view.figure.cell_height + 1);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    looking_point(&it, 1, 1); // outside: what was pressed last is chosen
    ck_assert_int_eq(it.session.picture.request.cursor.row, 0);
    press("Escape"); // all heads
    press("Escape");
    ck_assert(!it.session.picture.request.has_cursor);
}

// Seven pixels above a map are words or its name: it opens, and no cell is chosen.
TEST(a_press_on_the_name_of_a_head_opens_it)
{
    int x = it.view.figure.maps[1].x + 20, y = it.view.figure.maps[1].y - 7;
    looking_point(&it, x, y);
    ck_assert(!it.session.picture.request.has_cursor);
    looking_click(&it, x, y);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.head, 1);
    ck_assert(!it.session.picture.request.has_cursor);
    looking_click(&it, x, y); // above one head alone there is nothing to open
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_UNLOCKED);
}

TEST(before_the_first_picture_there_is_nothing_to_point_at)
{
    PictureView *view = &it.view;
    Command command;
    close_heatmap();
    looking_open(&it, tiny_self(2, 2, 3));
    ck_assert(picture_view_point(view, &it.session, 600, 500, &command));
    ck_assert_int_eq(command.kind, COMMAND_POINT_AWAY);
    ck_assert(!picture_view_press(&it.view, &it.session, 600, 500, &command));
    ck_assert(!picture_view_wheel(&it.view, &it.session, 600, 500, 1, &command));
    ck_assert(!picture_view_drag(&it.view, &it.session, 60, 50, &command));
    ck_assert(!picture_view_next(view, &it.session, &command));
    ck_assert(looking_try(&it, "zoom-in"));
    ck_assert(looking_try(&it, "cell-left"));
    looking_draw(&it);
}

TEST(a_pointer_that_stays_in_its_cell_needs_no_new_picture)
{
    Command command;
    int x = it.view.figure.maps[0].x + 1, y = it.view.figure.maps[0].y + 1;
    unsigned long screen = it.session.revision;
    looking_point(&it, x, y);
    ck_assert(picture_view_point(&it.view, &it.session, x + 1, y, &command));
    ck_assert(session_apply(&it.session, &command, &it.err));
    ck_assert(!picture_view_is_stale(&it.view, &it.session));
    ck_assert(
        picture_view_point(&it.view, &it.session, x + it.view.figure.cell_width, y, &command));
    ck_assert(session_apply(&it.session, &command, &it.err));
    ck_assert(picture_view_is_stale(&it.view, &it.session));
    ck_assert_uint_eq(it.session.revision, screen); // nor does the terminal need a new screen
}

TEST(zooming_in_and_out_comes_back)
{
    press("Return");
    int cell = it.view.figure.cell_width;
    press("-"); // everything is visible: no smaller
    ck_assert_int_eq(it.view.figure.cell_width, cell);
    looking_size(&it, 200, 200);
    press("+");
    ck_assert_int_ne(it.session.picture.request.zoom, 0);
    press("0");
    ck_assert(it.view.figure.all_visible);
}

// Where there is more than is visible a press may begin a drag: it chooses a cell, and the same cell
// pressed again opens its head.
TEST(in_larger_cells_of_all_heads_a_drag_moves_and_two_presses_open)
{
    looking_size(&it, 500, 400);
    for (int i = 0; i < 20; i++)
        press("+");
    ck_assert(!it.view.figure.all_visible);
    ptrdiff_t first = it.view.figure.first_row;
    int cell = it.view.figure.cell_height;
    int x = it.view.figure.maps[1].x + 5, y = it.view.figure.maps[1].y + 5;
    looking_click(&it, x, y);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.session.picture.request.cursor.head, 1);
    ck_assert_int_ne(it.session.picture.request.zoom, 0);
    looking_drag(&it, 0, first > 0 ? cell : -cell);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.view.figure.first_row, first > 0 ? first - 1 : first + 1);
    looking_click(&it, x, y); // another cell is there now
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    looking_click(&it, x, y);
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.session.picture.request.head, 1);
}

// Three rows of cells of 96 pixels in a window of 200: a cell is visible, or two.
TEST(dragging_moves_by_cells_however_small_its_steps_are)
{
    press("Return");
    looking_size(&it, 260, 200);
    for (int i = 0; i < 30; i++)
        press("+");
    ck_assert_int_eq(it.view.figure.cell_height, 96);
    apply("cell [0,0,0]");
    ck_assert_int_eq(it.view.figure.first_row, 0);
    looking_click(&it, it.view.figure.maps[0].x + 50, it.view.figure.maps[0].y + 50);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_CELL);
    for (int i = 0; i < 9; i++)
        looking_drag(&it, -1, -10); // 90 pixels
    ck_assert_int_eq(it.view.figure.first_row, 0);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_CELL);
    looking_drag(&it, 0, -10);
    ck_assert_int_eq(it.view.figure.first_row, 1);
    ck_assert_int_eq(it.view.figure.first_column, 0);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_UNLOCKED); // it was no click
    Command drag;                                                       // no picture between
    ck_assert(picture_view_drag(&it.view, &it.session, 0, 100, &drag));
    ck_assert(session_apply(&it.session, &drag, &it.err));
    looking_drag(&it, 0, -96);
    ck_assert_int_eq(it.view.figure.first_row, 1);
    looking_drag(&it, 0, -960);
    looking_drag(&it, 0, 96);
    ck_assert_int_lt(it.view.figure.first_row, 2); // from the end, not from behind it
}

static void open_hundred(void)
{
    close_heatmap();
    open_shape(tiny_self(1, 1, 100));
}

TEST(the_wheel_keeps_the_cell_under_the_pointer)
{
    FigureCell before, after;
    open_hundred();
    ck_assert(figure_hit(&it.view.figure, 500, 480, &before));
    for (int notch = 0; notch < 16; notch++) {
        looking_wheel(&it, 500, 480, notch < 8 ? 1 : -1);
        ck_assert(figure_hit(&it.view.figure, 500, 480, &after));
        if (it.view.figure.all_visible)
            continue;
        ck_assert_int_eq(after.row, before.row);
        if (it.view.figure.columns < 100) // else there is nowhere to move them
            ck_assert_int_eq(after.column, before.column);
    }
}

TEST(the_wheel_scrolls_lines)
{
    open_hundred();
    press("l");
    ck_assert(!it.view.figure.all_visible);
    looking_wheel(&it, 500, 480, -1);
    ck_assert_int_eq(it.view.figure.first_row, 3);
    ck_assert_int_eq(it.view.figure.first_column, 3);
    looking_wheel(&it, 500, 480, 1);
    looking_wheel(&it, 500, 480, 1);
    ck_assert_int_eq(it.view.figure.first_row, 0);
    for (int notch = 0; notch < 40; notch++)
        looking_wheel(&it, 500, 480, -1);
    ptrdiff_t last = 100 - it.view.figure.rows;
    looking_wheel(&it, 500, 480, 1);
    ck_assert_int_eq(it.view.figure.first_row, last - 3);
}

SUITE_WITH("heatmap_pointer", open_heatmap, close_heatmap)
