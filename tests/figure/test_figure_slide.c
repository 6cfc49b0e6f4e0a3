// What a picture needs on a slide: it fills its paper, its letters grow with what they name, and its
// scale stands beside the maps with round numbers at the right places.
#include "drawn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"

static Drawn drawn;

static float *open_large(int heads, int tokens)
{
    return drawn_open_large(&drawn, heads, tokens);
}

static void done(void)
{
    drawn_close(&drawn);
}

// The colours of the scale: the one list of cells that is a single column of many rows.
static const DisplayItem *bar(void)
{
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        if (item->kind == DISPLAY_CELLS && item->columns == 1 && item->rows > 100)
            return item;
    }
    ck_abort_msg("there is no scale");
    return NULL;
}

// Viridis has these colours at 0, 3, 6, 9, 12 and 15 fifteenths, as published.
TEST(a_number_of_the_scale_stands_at_its_colour)
{
    static const char *const numbers[] = {"0", "0.2", "0.4", "0.6", "0.8", "1"};
    static const DisplayCell colours[] = {0x440154, 0x414487, 0x2a788e,
                                          0x22a884, 0x7ad151, 0xfde725};
    open_large(1, 4);
    drawn_draw(&drawn, 800, 600, 1.0);
    const DisplayItem *scale = bar();
    for (int i = 0; i < 6; i++) {
        const DisplayItem *number = NULL;
        for (size_t item = 0; item < drawn.list.item_count; item++)
            if (drawn.list.items[item].kind == DISPLAY_TEXT &&
                drawn.list.items[item].x > scale->x &&
                strcmp(drawn.list.texts + drawn.list.items[item].at, numbers[i]) == 0)
                number = &drawn.list.items[item];
        ck_assert_msg(number != NULL, "%s", numbers[i]);
        bool found = false; // a row of the bar is less than 1/256 of it
        for (int near = -2; near <= 2; near++) {
            int row = number->y - scale->y + near;
            if (row >= 0 && row < scale->rows)
                found = found || drawn.list.cells[scale->at + (size_t)row] == colours[i];
        }
        ck_assert_msg(found, "%s", numbers[i]);
    }
    done();
}

// The weights go from 1/15 = 0.0667 to 0.3, their scale from 0: round numbers between, none of them so near to an end that they touch.
TEST(a_scale_tells_its_ends_and_round_numbers_between)
{
    float *row = open_large(1, 4);
    row[2] = 0.3f;
    drawn.request.scale = FIGURE_SCALE_ALL;
    drawn_draw(&drawn, 800, 600, 1.0);
    static const char *const said[] = {"0.05", "0.10", "0.15", "0.20", "0.25", "0.3"};
    int last = drawn.list.height;
    for (int i = 0; i < 6; i++) {
        const DisplayItem *number = drawn_text(&drawn, said[i]);
        ck_assert_msg(number != NULL, "%s", said[i]);
        ck_assert_int_le(number->y, last - number->size);
        last = number->y;
    }
    done();
}

TEST(the_scale_stands_beside_the_maps_and_is_as_high)
{
    open_large(1, 11);
    drawn_draw(&drawn, 1600, 900, 1.0);
    const DisplayItem *scale = bar(), *map = drawn_map(&drawn, 0);
    int right = map->x + map->width;
    ck_assert_int_gt(scale->x, right);
    ck_assert_int_le(scale->x, right + 160); // the row sums lie between
    ck_assert_int_eq(scale->y, map->y);
    ck_assert_int_eq(scale->height, map->height);
    done();
}

// The smallest and the largest letters of the numbers in cells, and how high a cell is.
TEST(numbers_and_words_grow_with_their_cells)
{
    open_large(1, 11);
    drawn_draw(&drawn, 900, 620, 1.0);
    int small = drawn_part(&drawn, "0.0")->size, word = drawn_text(&drawn, "7")->size;
    drawn_draw(&drawn, 2200, 1500, 1.0);
    ck_assert_int_gt(drawn_part(&drawn, "0.0")->size, small + 4);
    ck_assert_int_gt(drawn_text(&drawn, "7")->size, word + 4);
    ck_assert_int_lt(drawn_text(&drawn, "7")->size * 2, drawn.figure.cell_height);
    done();
}

// Ids in cells of any size, then every so manieth number.
TEST(what_columns_are_called_stands_above_the_map)
{
    static const int tokens[] = {3, 20, 60, 200, 1000};
    for (int i = 0; i < 5; i++) {
        open_large(4, tokens[i]);
        drawn_draw(&drawn, 1280, 960, 1.0);
        const DisplayItem *first = drawn_map(&drawn, 0);
        int above = 0;
        for (size_t item = 0; item < drawn.list.item_count; item++) {
            const DisplayItem *text = &drawn.list.items[item];
            if (text->kind != DISPLAY_TEXT || text->upright || text->anchor != DISPLAY_CENTRE ||
                text->y > first->y + first->height / 2 || text->x < first->x)
                continue;
            bool is_number = text->y > first->y + 7; // in a cell
            ck_assert_msg(is_number || text->y + text->size / 2 <= first->y, "%d tokens: %s at %d",
                          tokens[i], drawn.list.texts + text->at, text->y - first->y);
            above += !is_number;
        }
        ck_assert_msg(above > 2 || tokens[i] == 60, "%d tokens", tokens[i]); // those stand upright
        done();
    }
}

// Row 1 of the causal map: 0.4 and 0.6, then masked. Its highest number has the highest colour, though
// another row has 1.
TEST(a_scale_of_each_row_shows_the_rows_of_few_large_numbers_and_of_many_small_ones)
{
    drawn_open(&drawn, tiny_causal(1, 1, 3));
    static const float rows[3][3] = {{1, 0, 0}, {0.4f, 0.6f, 0}, {0.25f, 0.25f, 0.5f}};
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int i = 0; i < 9; i++)
        *tensor_at4(&weights, 0, 0, i / 3, i % 3) = rows[i / 3][i % 3];
    drawn.request.scale = FIGURE_SCALE_ROW;
    drawn_draw(&drawn, 800, 600, 1.0);
    for (int row = 0; row < 3; row++)
        ck_assert_uint_eq(drawn_cell(&drawn, 0, row, row), 0xfde725);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 2, 0), 0x440154); // the lowest of its row
    drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, 0, 1, 0) = 0.12f; // of 0.6 a fifth
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 1, 0), 0x414487); // 3/15
    ck_assert_ptr_nonnull(drawn_text(&drawn, "of each row"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "highest"));
    drawn.request.has_cursor = true; // its row's ends, 1/4 and 1/2
    drawn.request.cursor = (FigureCell){0, 2, 1};
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "each row; 2"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.25"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.5"));
    ck_assert_ptr_null(drawn_text(&drawn, "highest"));
    done();
}

// Every row is 1 to 1000 thousandths; a block of rows has the range of its rows.
TEST(a_scale_of_each_row_holds_for_blocks_and_for_a_part_of_a_row)
{
    float *row = open_large(2, 1000);
    for (int i = 0; i < 1000; i++)
        row[i] = (float)(i + 1) / 1000.0f;
    drawn.request.scale = FIGURE_SCALE_ROW;
    drawn_draw(&drawn, 900, 700, 1.0);
    int blocks = drawn_map(&drawn, 0)->columns;
    ck_assert_int_gt(drawn.figure.block_columns, 1);
    ck_assert_uint_eq(drawn_cell(&drawn, 1, 3, blocks - 1), 0xfde725);
    drawn.request.zoom = 16;
    drawn.request.first_column = 0; // what is visible has low numbers, but the row goes on
    drawn_draw(&drawn, 900, 700, 1.0);
    ck_assert(!drawn.figure.all_visible);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0), 0x440154);
    ck_assert_uint_ne(drawn_cell(&drawn, 0, 0, drawn_map(&drawn, 0)->columns - 1), 0xfde725);
    done();
}

// 500 pixels less margins and scale are 340: the map takes them all.
TEST(a_narrow_picture_keeps_its_room_for_the_map)
{
    open_large(1, 11);
    drawn_draw(&drawn, 500, 900, 1.0);
    ck_assert_ptr_null(drawn_text(&drawn, "row sum"));
    ck_assert_int_gt(drawn_map(&drawn, 0)->width, 300);
    drawn_draw(&drawn, 700, 900, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "row sum"));
    done();
}

// Two colours have zero between them, and ends that are the largest number without its sign.
TEST(a_scale_of_each_row_in_two_colours_has_zero_in_its_middle)
{
    open_large(2, 4);
    drawn.request.scale = FIGURE_SCALE_ROW;
    drawn.request.map = COLOUR_DIVERGING;
    drawn_draw(&drawn, 800, 600, 1.0);
    const DisplayItem *high = drawn_text(&drawn, "+largest"), *low = drawn_text(&drawn, "-largest");
    ck_assert(high && low);
    ck_assert_ptr_null(drawn_text(&drawn, "lowest"));
    bool found = false;
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        found = found || (item->kind == DISPLAY_TEXT && item->x == high->x &&
                          strcmp(drawn.list.texts + item->at, "0") == 0 &&
                          abs(2 * item->y - high->y - low->y) <= 2);
    }
    ck_assert(found);
    done();
}

TEST(lines_of_few_words_fill_the_picture)
{
    static const int words[] = {6, 11, 20};
    for (int i = 0; i < 3; i++) {
        open_large(1, words[i]);
        drawn.request.mode = FIGURE_LINES;
        drawn_draw(&drawn, 1280, 960, 1.0);
        const Figure *figure = &drawn.figure;
        int high = figure->cell_height * words[i];
        ck_assert_int_eq(figure->rows, words[i]);
        ck_assert_int_le(figure->maps[0].y + high, 960 - 24);
        ck_assert_msg(high >= 960 / 5 * (i == 0 ? 2 : 4), "%d words are %d high", words[i], high);
        const DisplayItem *word = drawn_text(&drawn, "5");
        ck_assert_int_gt(word->size, 14);
        ck_assert_int_lt(word->size, figure->cell_height);
        done();
    }
}

// Viridis at 0 is 0x440154; under a veil it is (150 * 255 + 105 * 0x44) / 255 = 178 of red, 150 of
// green, 184 of blue: light enough for black letters.
TEST(numbers_beside_a_locked_row_can_be_read)
{
    float *row = open_large(1, 3);
    row[1] = 0.0f;
    drawn.request.mode = FIGURE_HEAD;
    drawn.request.has_cursor = true;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_text(&drawn, "0.0000")->colour, 0xffffff);
    drawn.request.cursor.row = 2;
    drawn.request.lock = FIGURE_LOCKED_ROW;
    drawn_draw(&drawn, 800, 600, 1.0);
    int dark = 0, light = 0, veils = 0;
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        bool is_zero =
            item->kind == DISPLAY_TEXT && strcmp(drawn.list.texts + item->at, "0.0000") == 0;
        dark += is_zero && item->colour == 0x101418;
        light += is_zero && item->colour == 0xffffff;
        bool is_veil = item->kind == DISPLAY_RECTANGLE && item->alpha == 150;
        ck_assert_msg(!is_veil || dark + light == 0, "numbers are under a veil");
        veils += is_veil;
    }
    ck_assert_int_eq(dark, 2);
    ck_assert_int_eq(light, 1);
    ck_assert_int_eq(veils, 1); // nothing is below the last row
    done();
}

TEST(numbers_too_long_for_their_cells_have_a_power_of_ten)
{
    float *row = open_large(1, 3);
    row[0] = 3.2e37f;
    row[1] = INFINITY;
    drawn.request.scale = FIGURE_SCALE_ALL;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "3.2e+37"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "+inf"));
    done();
}

TEST(a_scale_without_numbers_says_so)
{
    float *row = open_large(1, 2);
    row[0] = row[1] = NAN;
    drawn.request.scale = FIGURE_SCALE_ALL;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "no numbers"));
    done();
}

TEST(what_is_visible_is_said_by_name)
{
    open_large(1, 200);
    drawn.request.mode = FIGURE_HEAD;
    drawn.request.zoom = 16;
    drawn.request.first_row = 120;
    drawn.request.first_column = 50;
    drawn_draw(&drawn, 1000, 700, 1.0);
    char said[96];
    snprintf(said, sizeof said,
             "queries 120\xe2\x80\x93%td, keys 50\xe2\x80\x93%td of 200 x 200 visible",
             119 + drawn.figure.rows, 49 + drawn.figure.columns);
    ck_assert_msg(drawn_part(&drawn, said) != NULL, "%s", said);
    done();
}

// Ids are short: the lines of twelve heads have more of the width than ids and gaps, and "queries" and
// "keys" are above the lines of one head only.
// Every weight is 1/15: a number for each of six keys of each head, where there is room beside them.
TEST(lines_of_few_heads_have_the_numbers_of_the_query_that_is_looked_at)
{
    static const int heads[] = {1, 3, 12}, wanted[] = {6, 18, 0};
    for (int i = 0; i < 3; i++) {
        open_large(heads[i], 6);
        drawn.request.mode = FIGURE_ALL_LINES;
        drawn.request.has_cursor = true;
        drawn_draw(&drawn, 1280, 960, 1.0);
        int found = 0;
        for (size_t item = 0; item < drawn.list.item_count; item++)
            found += drawn.list.items[item].kind == DISPLAY_TEXT &&
                     strcmp(drawn.list.texts + drawn.list.items[item].at, "0.0667") == 0;
        ck_assert_int_eq(found, wanted[i]);
        done();
    }
}

TEST(lines_of_many_heads_have_most_of_the_width)
{
    open_large(12, 10);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1600, 900, 1.5);
    int columns = 0;
    for (int map = 0; map < 12; map++)
        columns += drawn.figure.maps[map].y == drawn.figure.maps[0].y;
    ck_assert_int_gt(columns * drawn.figure.cell_width * 2, 1600 - 2 * 36 - 138); // margins, scale
    ck_assert_ptr_null(drawn_text(&drawn, "queries"));
    drawn.request.mode = FIGURE_LINES;
    drawn_draw(&drawn, 1600, 900, 1.5);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "queries"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "keys"));
    done();
}

SUITE("figure_slide")
