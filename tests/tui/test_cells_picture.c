// A screen as a picture: where characters, blocks and colours come to lie.
#include "screen.h"

#include "suite.h"

// Letters of 20 pixels: cells of 12 x 26, a margin of 20.
enum { LETTER = 20, WIDE = 12, HIGH = 26, MARGIN = 20 };

static Cells cells;
static DisplayList list;
static Error err;

static void open_cells(void)
{
    cells = (Cells){.colours = 1 << 24};
    ck_assert(cells_resize(&cells, 10, 4, &err));
}

static void close_cells(void)
{
    cells_finish(&cells);
    display_list_finish(&list);
}

// The items of one kind, in order.
static const DisplayItem *item(DisplayKind kind, int number)
{
    for (size_t i = 0; i < list.item_count; i++)
        if (list.items[i].kind == kind && number-- == 0)
            return &list.items[i];
    return NULL;
}

static void check_box(const DisplayItem *rectangle, int x, int y, int width, int height)
{
    ck_assert_ptr_nonnull(rectangle);
    ck_assert_int_eq(rectangle->x, x);
    ck_assert_int_eq(rectangle->y, y);
    ck_assert_int_eq(rectangle->width, width);
    ck_assert_int_eq(rectangle->height, height);
}

TEST(every_character_stands_in_the_middle_of_its_cell)
{
    cells_text(cells_area(&cells), 2, 3, ROLE_TEXT, "a \uAC00");
    cells_picture(&cells, LETTER, false, &list);
    ck_assert_int_eq(list.width, 10 * WIDE + 2 * MARGIN);
    ck_assert_int_eq(list.height, 4 * HIGH + 2 * MARGIN);
    const DisplayItem *latin = item(DISPLAY_TEXT, 0), *korean = item(DISPLAY_TEXT, 1);
    ck_assert_str_eq(list.texts + latin->at, "a");
    ck_assert_int_eq(latin->x, MARGIN + 3 * WIDE + WIDE / 2);
    ck_assert_int_eq(latin->y, MARGIN + 2 * HIGH + HIGH / 2);
    ck_assert(latin->fixed);
    ck_assert_str_eq(list.texts + korean->at, "\uAC00");
    ck_assert_int_eq(korean->x, MARGIN + 5 * WIDE + WIDE); // two columns
    ck_assert_int_eq(korean->size, LETTER * 115 / 100);    // words of them stay together
    ck_assert_ptr_null(item(DISPLAY_TEXT, 2));             // a space is nothing
}

TEST(a_shade_colours_its_cell_and_a_current_one_is_reversed)
{
    cells_text(cells_area(&cells), 0, 0, ROLE_TEXT, "7");
    cells_shade(cells_area(&cells), 0, 0, 1, (Shade){SHADE_SET | 0x102030, SHADE_SET | 0xfde725});
    cells_text(cells_area(&cells), 1, 0, ROLE_CURRENT, "8");
    cells_picture(&cells, LETTER, false, &list);
    check_box(item(DISPLAY_RECTANGLE, 0), MARGIN, MARGIN, WIDE, HIGH);
    ck_assert_uint_eq(item(DISPLAY_RECTANGLE, 0)->colour, 0xfde725);
    ck_assert_uint_eq(item(DISPLAY_TEXT, 0)->colour, 0x102030);
    check_box(item(DISPLAY_RECTANGLE, 1), MARGIN, MARGIN + HIGH, WIDE, HIGH);
    ck_assert_uint_eq(item(DISPLAY_TEXT, 1)->colour, list.background);
    ck_assert_uint_ne(item(DISPLAY_RECTANGLE, 1)->colour, list.background);
}

TEST(blocks_and_rules_are_rectangles_that_join)
{
    cells_text(cells_area(&cells), 0, 0, ROLE_TEXT, "\u2588\u2580\u2584\u258C\u2500\u2502");
    cells_picture(&cells, LETTER, true, &list);
    int x = MARGIN, y = MARGIN;
    check_box(item(DISPLAY_RECTANGLE, 0), x, y, WIDE, HIGH);
    check_box(item(DISPLAY_RECTANGLE, 1), x + WIDE, y, WIDE, HIGH / 2);
    check_box(item(DISPLAY_RECTANGLE, 2), x + 2 * WIDE, y + HIGH / 2, WIDE, HIGH / 2);
    check_box(item(DISPLAY_RECTANGLE, 3), x + 3 * WIDE, y, WIDE / 2, HIGH);
    check_box(item(DISPLAY_RECTANGLE, 4), x + 4 * WIDE, y + 12, WIDE, 2);
    check_box(item(DISPLAY_RECTANGLE, 5), x + 5 * WIDE + 5, y, 2, HIGH);
    ck_assert_ptr_null(item(DISPLAY_TEXT, 0));
}

SUITE_WITH("cells_picture", open_cells, close_cells)
