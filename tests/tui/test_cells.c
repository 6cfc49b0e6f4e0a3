// The grid of cells: text that does not fit, wide characters, and everything else that could leave
// half a character on screen.
#include "cells.h"
#include "screen.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Cells cells;
static Error err;

static void resize(int columns, int rows)
{
    ck_assert(cells_resize(&cells, columns, rows, &err));
}

static Area everything(void)
{
    return cells_area(&cells);
}

// A row as the text a terminal would show, in a static buffer.
static const char *row_text(int row)
{
    static char text[1024];
    text[0] = '\0';
    for (int column = 0; column < cells.columns; column++)
        strcat(text, cells_at(&cells, row, column)->text);
    return text;
}

FIXTURE(NULL, NULL)

TEST(text_lands_where_it_was_put)
{
    resize(10, 2);
    ck_assert_int_eq(cells_text(everything(), 1, 2, ROLE_TEXT, "abc"), 3);
    ck_assert_str_eq(row_text(0), "          ");
    ck_assert_str_eq(row_text(1), "  abc     ");
    cells_finish(&cells);
}

TEST(text_that_does_not_fit_ends_in_an_ellipsis_inside_its_area)
{
    resize(10, 1);
    Area area = area_part(everything(), 0, 2, 1, 5);
    ck_assert_int_eq(cells_text(area, 0, 1, ROLE_TEXT, "abcdefgh"), 4);
    ck_assert_str_eq(row_text(0), "   abc\u2026   ");
    cells_finish(&cells);
}

TEST(nothing_is_drawn_outside_the_area_or_the_screen)
{
    resize(4, 2);
    Area area = area_part(everything(), 1, 2, 9, 9);
    Area outside = area_part(everything(), 5, 5, 2, 2);
    cells_text(area, 1, 0, ROLE_TEXT, "below the screen");
    cells_text(area, -1, 0, ROLE_TEXT, "above the area");
    cells_text(outside, 0, 0, ROLE_TEXT, "nowhere");
    cells_fill(outside, 0, 0, 2, ROLE_TEXT, "x");
    ck_assert_str_eq(row_text(0), "    ");
    ck_assert_str_eq(row_text(1), "    ");
    cells_fill(area, 0, 0, 9, ROLE_TEXT, "x"); // two of its nine columns exist
    ck_assert_str_eq(row_text(1), "  xx");
    cells_finish(&cells);
}

TEST(a_wide_character_takes_two_columns_or_none)
{
    resize(5, 1);
    // two syllables of two columns each, the third would need columns 5 and 6
    ck_assert_int_eq(cells_text(everything(), 0, 0, ROLE_TEXT, "\uac00\ub098\ub2e4"), 5);
    ck_assert_str_eq(row_text(0), "\uac00\ub098\u2026");
    ck_assert_int_eq(cells_at(&cells, 0, 0)->columns, 2);
    ck_assert_int_eq(cells_at(&cells, 0, 1)->columns, 0);
    cells_clear(&cells);
    ck_assert_int_eq(cells_text(everything(), 0, 4, ROLE_TEXT, "\uac00"), 1);
    ck_assert_str_eq(row_text(0), "    \u2026");
    cells_finish(&cells);
}

TEST(overwriting_half_a_wide_character_leaves_a_space_for_the_other)
{
    resize(4, 1);
    cells_text(everything(), 0, 0, ROLE_TEXT, "\uac00\ub098");
    cells_text(everything(), 0, 1, ROLE_TEXT, "x"); // the right half of the first
    ck_assert_str_eq(row_text(0), " x\ub098");
    cells_text(everything(), 0, 2, ROLE_TEXT, "y"); // the left half of the second
    ck_assert_str_eq(row_text(0), " xy ");
    for (int column = 0; column < 4; column++)
        ck_assert_int_eq(cells_at(&cells, 0, column)->columns, 1);
    cells_finish(&cells);
}

TEST(combining_marks_stay_with_their_character)
{
    resize(4, 1);
    ck_assert_int_eq(cells_text(everything(), 0, 0, ROLE_TEXT, "e\u0301x"), 2);
    ck_assert_str_eq(cells_at(&cells, 0, 0)->text, "e\u0301");
    ck_assert_str_eq(cells_at(&cells, 0, 1)->text, "x");
    // more marks than a cell holds are left out, and nothing is overrun
    char many[256] = "a";
    for (int i = 0; i < 100; i++)
        strcat(many, "\u0301");
    cells_text(everything(), 0, 0, ROLE_TEXT, many);
    ck_assert_uint_lt(strlen(cells_at(&cells, 0, 0)->text), CELL_TEXT_MAX);
    cells_finish(&cells);
}

TEST(control_characters_cannot_reach_the_terminal)
{
    resize(8, 1);
    cells_text(everything(), 0, 0, ROLE_TEXT, "a\033[2Jb\xff");
    ck_assert_str_eq(row_text(0), "a\uFFFD[2Jb\uFFFD ");
    cells_finish(&cells);
}

TEST(text_on_the_right_ends_where_it_should)
{
    resize(8, 1);
    cells_text_right(everything(), 0, 6, ROLE_TEXT, "\uac00b");
    ck_assert_str_eq(row_text(0), "   \uac00b  ");
    cells_finish(&cells);
}

TEST(a_paragraph_breaks_at_spaces_and_then_within_words)
{
    resize(10, 4);
    ck_assert_int_eq(
        cells_paragraph(everything(), 0, 4, 2, ROLE_TEXT, "one two three abcdefghijklmn"), 4);
    ck_assert_str_eq(row_text(0), "one two   ");
    ck_assert_str_eq(row_text(1), "  three   ");
    ck_assert_str_eq(row_text(2), "  abcdefgh"); // no space to break at
    ck_assert_str_eq(row_text(3), "  ijklmn  ");
    cells_clear(&cells);
    ck_assert_int_eq(cells_paragraph(everything(), 0, 4, 0, ROLE_TEXT, "one  three  four  nine  x"),
                     3);
    ck_assert_str_eq(row_text(0), "one  three"); // all columns, with two spaces behind
    ck_assert_str_eq(row_text(1), "four  nine");
    cells_clear(&cells);
    ck_assert_int_eq(cells_paragraph(everything(), 0, 1, 0, ROLE_TEXT, "one two three"), 1);
    ck_assert_str_eq(row_text(0), "one two t\u2026");
    cells_finish(&cells);
}

TEST(a_paragraph_drawn_on_nothing_counts_its_rows)
{
    Area area = {.rows = 9, .columns = 10};
    ck_assert_int_eq(cells_paragraph(area, 0, 9, 0, ROLE_TEXT, "one two three"), 2);
}

TEST(a_screen_is_printed_without_spaces_at_the_ends_of_lines)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    resize(6, 3);
    cells_text(everything(), 0, 1, ROLE_TEXT, "a\uac00");
    cells_text(everything(), 2, 0, ROLE_TEXT, "b");
    cells_print(&cells, out);
    fclose(out);
    ck_assert_str_eq(text, " a\uac00\n\nb\n");
    free(text);
    cells_finish(&cells);
}

TEST(a_screen_of_one_cell_is_a_screen)
{
    resize(1, 1);
    cells_text(everything(), 0, 0, ROLE_TEXT, "\uac00");
    ck_assert_int_eq(cells_at(&cells, 0, 0)->columns, 1);
    cells_finish(&cells);
}

// --- A screen as a picture: where characters, blocks and colours come to lie.

// Letters of 20 pixels: cells of 12 x 26, a margin of 20.
enum { LETTER = 20, WIDE = 12, HIGH = 26, MARGIN = 20 };

static DisplayList list;

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

FIXTURE(open_cells, close_cells)

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

SUITE("cells")
