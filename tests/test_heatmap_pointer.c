// The pointer in a heatmap: it looks, presses, drags and turns its wheel.
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

START_TEST(the_pointer_looks_and_a_press_opens_a_head_and_then_locks)
{
    char words[64];
    const FigureMap *map = &it.heatmap.figure.maps[1];
    snprintf(words, sizeof words, "point %d %d", map->x + it.heatmap.figure.cell_width + 1,
             map->y + 2 * it.heatmap.figure.cell_height + 1);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.cursor.head, 1);
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 1);
    press("Return");
    ck_assert_int_eq(it.heatmap.request.head, 1);
    press("Return");
    memcpy(words, "press", 5);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.heatmap.request.head, 1);
    snprintf(words, sizeof words, "press %d %d", it.heatmap.figure.maps[0].x + 1,
             it.heatmap.figure.maps[0].y + 1);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_LOCKED_CELL);
    apply("point 1 1"); // outside: what is locked stays
    ck_assert(it.heatmap.request.has_cursor);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_UNLOCKED);
    snprintf(words, sizeof words, "point %d %d", it.heatmap.figure.maps[0].x + 1,
             it.heatmap.figure.maps[0].y + 2 * it.heatmap.figure.cell_height + 1);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    apply("point 1 1"); // outside: what was pressed last is chosen
    ck_assert_int_eq(it.heatmap.request.cursor.row, 0);
    press("Escape"); // all heads
    press("Escape");
    ck_assert(!it.heatmap.request.has_cursor);
}
END_TEST

// Seven pixels above a map are words or its name: it opens, and no cell is chosen.
START_TEST(a_press_on_the_name_of_a_head_opens_it)
{
    char words[64];
    snprintf(words, sizeof words, "point %d %d", it.heatmap.figure.maps[1].x + 20,
             it.heatmap.figure.maps[1].y - 7);
    apply(words);
    ck_assert(!it.heatmap.request.has_cursor);
    memcpy(words, "press", 5);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.heatmap.request.head, 1);
    ck_assert(!it.heatmap.request.has_cursor);
    apply(words); // above one head alone there is nothing to open
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_UNLOCKED);
}
END_TEST

START_TEST(before_the_first_picture_there_is_nothing_to_point_at)
{
    heatmap_close(&it.heatmap);
    ck_assert(heatmap_open(&it.heatmap, &it.trace, NULL, &it.err));
    ck_assert(heatmap_apply(&it.heatmap, "point 600 500", &it.err));
    ck_assert(heatmap_apply(&it.heatmap, "press 600 500", &it.err));
    ck_assert(heatmap_apply(&it.heatmap, "wheel 600 500 1", &it.err));
    ck_assert(heatmap_apply(&it.heatmap, "drag 60 50", &it.err));
    ck_assert(!it.heatmap.request.has_cursor);
    ck_assert(heatmap_draw(&it.heatmap, &it.err));
}
END_TEST

START_TEST(a_pointer_that_stays_in_its_cell_needs_no_new_picture)
{
    char words[64];
    snprintf(words, sizeof words, "point %d %d", it.heatmap.figure.maps[0].x + 1,
             it.heatmap.figure.maps[0].y + 1);
    apply(words);
    ck_assert(heatmap_apply(&it.heatmap, words, &it.err));
    ck_assert(!it.heatmap.changed);
}
END_TEST

START_TEST(zooming_in_and_out_comes_back)
{
    press("Return");
    int cell = it.heatmap.figure.cell_width;
    press("-"); // everything is visible: no smaller
    ck_assert_int_eq(it.heatmap.figure.cell_width, cell);
    apply("size 200 200 1000");
    press("+");
    ck_assert_int_ne(it.heatmap.request.zoom, 0);
    press("0");
    ck_assert(it.heatmap.figure.all_visible);
}
END_TEST

// Where there is more than is visible a press may begin a drag: it chooses a cell, and the same cell
// pressed again opens its head.
START_TEST(in_larger_cells_of_all_heads_a_drag_moves_and_two_presses_open)
{
    char words[64];
    apply("size 500 400 1000");
    for (int i = 0; i < 20; i++)
        press("+");
    ck_assert(!it.heatmap.figure.all_visible);
    ptrdiff_t first = it.heatmap.figure.first_row;
    int cell = it.heatmap.figure.cell_height;
    snprintf(words, sizeof words, "press %d %d", it.heatmap.figure.maps[1].x + 5,
             it.heatmap.figure.maps[1].y + 5);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.heatmap.request.cursor.head, 1);
    ck_assert_int_ne(it.heatmap.request.zoom, 0);
    snprintf(words + 32, sizeof words - 32, "drag 0 %d", first > 0 ? cell : -cell);
    apply(words + 32);
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_GRID);
    ck_assert_int_eq(it.heatmap.figure.first_row, first > 0 ? first - 1 : first + 1);
    apply(words); // another cell is there now
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_GRID);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.mode, FIGURE_HEAD);
    ck_assert_int_eq(it.heatmap.request.head, 1);
}
END_TEST

// Three rows of cells of 96 pixels in a window of 200: a cell is visible, or two.
START_TEST(dragging_moves_by_cells_however_small_its_steps_are)
{
    char words[64];
    press("Return");
    apply("size 260 200 1000");
    for (int i = 0; i < 30; i++)
        press("+");
    ck_assert_int_eq(it.heatmap.figure.cell_height, 96);
    apply("cursor 0 0 0");
    ck_assert_int_eq(it.heatmap.figure.first_row, 0);
    snprintf(words, sizeof words, "press %d %d", it.heatmap.figure.maps[0].x + 50,
             it.heatmap.figure.maps[0].y + 50);
    apply(words);
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_LOCKED_CELL);
    for (int i = 0; i < 9; i++)
        apply("drag -1 -10"); // 90 pixels
    ck_assert_int_eq(it.heatmap.figure.first_row, 0);
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_LOCKED_CELL);
    apply("drag 0 -10");
    ck_assert_int_eq(it.heatmap.figure.first_row, 1);
    ck_assert_int_eq(it.heatmap.figure.first_column, 0);
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_UNLOCKED);   // it was no click
    ck_assert(heatmap_apply(&it.heatmap, "drag 0 100", &it.err)); // no picture between
    apply("drag 0 -96");
    ck_assert_int_eq(it.heatmap.figure.first_row, 1);
    apply("drag 0 -960");
    apply("drag 0 96");
    ck_assert_int_lt(it.heatmap.figure.first_row, 2); // from the end, not from behind it
}
END_TEST

static void open_hundred(void)
{
    close_heatmap();
    open_shape(tiny_self(1, 1, 100));
}

START_TEST(the_wheel_keeps_the_cell_under_the_pointer)
{
    FigureCell before, after;
    open_hundred();
    ck_assert(figure_hit(&it.heatmap.figure, 500, 480, &before));
    for (int notch = 0; notch < 16; notch++) {
        apply(notch < 8 ? "wheel 500 480 1" : "wheel 500 480 -1");
        ck_assert(figure_hit(&it.heatmap.figure, 500, 480, &after));
        if (it.heatmap.figure.all_visible)
            continue;
        ck_assert_int_eq(after.row, before.row);
        ck_assert_int_eq(after.column, before.column);
    }
}
END_TEST

START_TEST(the_wheel_scrolls_lines)
{
    open_hundred();
    press("l");
    ck_assert(!it.heatmap.figure.all_visible);
    apply("wheel 500 480 -1");
    ck_assert_int_eq(it.heatmap.figure.first_row, 3);
    ck_assert_int_eq(it.heatmap.figure.first_column, 3);
    apply("wheel 500 480 1");
    apply("wheel 500 480 1");
    ck_assert_int_eq(it.heatmap.figure.first_row, 0);
    for (int notch = 0; notch < 40; notch++)
        apply("wheel 500 480 -1");
    ptrdiff_t last = 100 - it.heatmap.figure.rows;
    apply("wheel 500 480 1");
    ck_assert_int_eq(it.heatmap.figure.first_row, last - 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("heatmap_pointer");
    TCase *tcase = tcase_create("pointer");
    tcase_add_checked_fixture(tcase, open_heatmap, close_heatmap);
    tcase_add_test(tcase, the_pointer_looks_and_a_press_opens_a_head_and_then_locks);
    tcase_add_test(tcase, a_press_on_the_name_of_a_head_opens_it);
    tcase_add_test(tcase, before_the_first_picture_there_is_nothing_to_point_at);
    tcase_add_test(tcase, a_pointer_that_stays_in_its_cell_needs_no_new_picture);
    tcase_add_test(tcase, zooming_in_and_out_comes_back);
    tcase_add_test(tcase, in_larger_cells_of_all_heads_a_drag_moves_and_two_presses_open);
    tcase_add_test(tcase, dragging_moves_by_cells_however_small_its_steps_are);
    tcase_add_test(tcase, the_wheel_keeps_the_cell_under_the_pointer);
    tcase_add_test(tcase, the_wheel_scrolls_lines);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
