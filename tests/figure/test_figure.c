// What a figure shows: every colour, mark, number and word worked out by hand from the tensor.
#include "drawn.h"
#include "listed.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Drawn drawn;

// Weights in fifteenths, so that viridis has their colours as published points. One sequence, two
// heads of 2 x 2:
//   head 0: 15 0    head 1: 6 9
//            3 12            8 7
static void two_heads(void)
{
    static const float fifteenths[] = {15, 0, 3, 12, 6, 9, 8, 7};
    drawn_open(&drawn, tiny_self(1, 2, 2));
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int i = 0; i < 8; i++)
        weights.storage.f32[weights.offset + i] = fifteenths[i] / 15.0f;
}

static void done(void)
{
    drawn_close(&drawn);
}

TEST(every_cell_has_the_colour_of_its_number)
{
    static const Colour points[] = {0xfde725, 0x440154, 0x414487, 0x7ad151,
                                    0x2a788e, 0x22a884, 0x1f988b, 0x23888e};
    two_heads();
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(drawn.figure.map_count, 2);
    for (int i = 0; i < 8; i++)
        ck_assert_uint_eq(drawn_cell(&drawn, i / 4, i % 4 / 2, i % 2), points[i]);
    done();
}

TEST(each_scale_gives_its_ends_the_ends_of_the_map)
{
    two_heads();
    drawn.request.scale = FIGURE_SCALE_HEAD; // head 1 goes from 6/15 to 9/15
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 1, 0, 0), 0x440154);
    ck_assert_uint_eq(drawn_cell(&drawn, 1, 0, 1), 0xfde725);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "of each head"));
    drawn.request.scale = FIGURE_SCALE_ALL; // all heads go from 0 to 1
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 1, 0, 0), 0x2a788e);
    drawn.request.mode = FIGURE_HEAD; // heads that are not shown count, too
    drawn.request.head = 1;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0), 0x2a788e);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "over all heads"));
    done();
}

TEST(the_mean_adds_heads_and_divides)
{
    // (15 + 6) / 30 = 0.7, (0 + 9) / 30 = 0.3
    two_heads();
    drawn.request.mean = true;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(drawn.figure.map_count, 1);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "mean of 2 heads"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.7000"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.3000"));
    done();
}

TEST(the_read_out_tells_everything_about_a_cell)
{
    // row 1 of head 0 is 0.2 and 0.8: entropy -0.2 log2 0.2 - 0.8 log2 0.8 = 0.7219 bits
    two_heads();
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 1, 0};
    Tensor scores = drawn_tensor(&drawn, "scores_scaled");
    *tensor_at4(&scores, 0, 0, 1, 0) = -1.25f;
    drawn_draw(&drawn, 1280, 800, 1.0);
    static const char *const words[] = {"0.2", "-1.25", "2 of 2", "1.000000",
                                        "0.722 of 1.000 bits"};
    for (int i = 0; i < 5; i++)
        ck_assert_msg(drawn_text(&drawn, words[i]) != NULL, "%s", words[i]);
    done();
}

TEST(rows_say_their_sum_and_heads_their_entropy)
{
    // head 0: row 0 is sure, 0 bits; row 1 has 0.7219; mean 0.36
    two_heads();
    drawn.request.mode = FIGURE_HEAD;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "0.36 of 1.00 bits"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "row sum"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "1.0000"));
    done();
}

// Of 1024 equal shares each is 1/1024: 10 bits. Half of them without the other half: 9 bits.
TEST(the_entropy_of_many_cells_comes_with_later_pictures)
{
    drawn_open(&drawn, tiny_self(1, 1, 1024));
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (int bits = 10; bits >= 9; bits--) {
        for (ptrdiff_t i = 0; i < 1024 * 1024; i++)
            weights.storage.f32[weights.offset + i] =
                i % 1024 < 1 << bits ? 1.0f / (float)(1 << bits) : 0.0f;
        drawn.request.version++;
        drawn_draw(&drawn, 800, 600, 1.0);
        ck_assert(drawn.figure.unfinished);
        ck_assert_ptr_null(drawn_part(&drawn, "entropy"));
        for (int more = 0; drawn.figure.unfinished && more < 100; more++)
            drawn_draw(&drawn, 800, 600, 1.0);
        ck_assert_ptr_nonnull(drawn_text(&drawn, bits == 10 ? "mean entropy 10.00 of 10.00 bits"
                                                            : "mean entropy 9.00 of 10.00 bits"));
    }
    done();
}

TEST(numbers_in_cells_are_written_in_black_or_white_to_be_read)
{
    two_heads();
    drawn.request.mode = FIGURE_HEAD;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_text(&drawn, "0.0000")->colour, 0xffffff); // on violet
    ck_assert_uint_eq(drawn_text(&drawn, "0.8000")->colour, 0x101418); // on light green
    done();
}

TEST(nan_and_infinities_have_marks_of_their_own)
{
    two_heads();
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, 0, 0, 0) = NAN;
    *tensor_at4(&weights, 0, 0, 0, 1) = INFINITY;
    *tensor_at4(&weights, 0, 0, 1, 0) = -INFINITY;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0) >> 24, DISPLAY_NAN);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1) >> 24, DISPLAY_INFINITY);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 1, 0) >> 24, DISPLAY_MINUS_INFINITY);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 1, 1), 0x7ad151);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "NaN"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "+infinity"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "-infinity"));
    done();
}

TEST(masked_cells_are_hatched_and_only_they)
{
    drawn_open(&drawn, tiny_causal(1, 1, 3));
    drawn_draw(&drawn, 800, 600, 1.0);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            ck_assert_uint_eq(drawn_cell(&drawn, 0, row, column) >> 24,
                              column > row ? DISPLAY_MASKED : DISPLAY_PLAIN);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "masked"));
    ck_assert_ptr_null(drawn_text(&drawn, "padding"));
    done();
}

TEST(a_masked_cell_that_leaks_shows_the_colour_of_its_number)
{
    drawn_open(&drawn, tiny_causal(1, 1, 3));
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    *tensor_at4(&weights, 0, 0, 0, 2) = 0.6f; // 9/15
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 2), display_cell(0x22a884, DISPLAY_MASKED));
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1), display_cell(0xeef0f3, DISPLAY_MASKED));
    done();
}

TEST(padding_is_hatched_the_other_way)
{
    TinyShape shape = tiny_self(3, 2, 4);
    shape.vocabulary = 7;
    drawn_open(&drawn, shape);
    Tensor padding = drawn_tensor(&drawn, "key_padding_mask");
    for (int token = 0; token < 4; token++)
        *tensor_flag2(&padding, 1, token) = token == 3;
    drawn.request.batch = 1;
    drawn_draw(&drawn, 800, 600, 1.0);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            ck_assert_uint_eq(drawn_cell(&drawn, 0, row, column) >> 24,
                              row == 3 || column == 3 ? DISPLAY_PADDED : DISPLAY_PLAIN);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "pad"));
    done();
}

TEST(cells_that_are_not_computed_yet_are_dotted)
{
    // 2 heads of 2 x 2; five numbers are there: head 0 and the first of head 1
    two_heads();
    drawn.request.computed = 5;
    drawn_draw(&drawn, 800, 600, 1.0);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(drawn_cell(&drawn, i / 4, i % 4 / 2, i % 2) >> 24 == DISPLAY_NOT_YET,
                         i >= 5);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "not yet"));
    ck_assert_ptr_nonnull(drawn_part(&drawn, "0.36 of 1.00 bits"));
    drawn.request.computed = 3; // row 1 is not whole, nor is head 0
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){0, 1, 0};
    drawn_draw(&drawn, 1280, 800, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.2"));
    ck_assert_ptr_null(drawn_part(&drawn, "entropy"));
    ck_assert_ptr_null(drawn_part(&drawn, "rank"));
    done();
}

TEST(a_locked_row_is_framed_and_said_to_be_locked)
{
    two_heads();
    drawn.request.mode = FIGURE_HEAD;
    drawn.request.has_cursor = true;
    drawn_draw(&drawn, 800, 600, 1.0);
    int frames = drawn_count(&drawn, DISPLAY_FRAME);
    ck_assert_ptr_null(drawn_text(&drawn, "locked"));
    drawn.request.lock = FIGURE_LOCKED_ROW;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "locked"));
    ck_assert_int_eq(drawn_count(&drawn, DISPLAY_FRAME), frames + 2);
    done();
}

// A line from word to word; the samples of the scale are narrower.
static bool is_line(const DisplayItem *item)
{
    return item->kind == DISPLAY_CURVE && item->width == drawn.figure.cell_width;
}

TEST(lines_are_as_thick_as_their_numbers_are_large)
{
    // head 0: three weights above 0, of 15, 3 and 12 fifteenths
    two_heads();
    drawn.request.mode = FIGURE_LINES;
    drawn_draw(&drawn, 800, 600, 1.0);
    const DisplayItem *curves[3] = {NULL};
    int count = 0;
    for (size_t i = 0; i < drawn.list.item_count; i++)
        if (is_line(&drawn.list.items[i]) && count++ < 3)
            curves[count - 1] = &drawn.list.items[i];
    ck_assert_int_eq(count, 3);
    ck_assert_int_gt(curves[0]->thickness, curves[2]->thickness);
    ck_assert_int_gt(curves[2]->thickness, curves[1]->thickness);
    ck_assert_int_eq(curves[0]->height, 0); // query 0 to key 0: level
    ck_assert_int_lt(curves[1]->height, 0); // query 1 to key 0: upwards
    ck_assert_int_eq(curves[2]->height, 0);
    done();
}

TEST(lines_of_every_head_have_a_place_and_a_name_each)
{
    two_heads();
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    int wanted[2] = {0, 0}, found[2] = {0, 0};
    for (int i = 0; i < 8; i++)
        wanted[i / 4] += *tensor_at4(&weights, 0, i / 4, i / 2 % 2, i % 2) > 0.0f;
    ck_assert_int_gt(wanted[0], 0);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1000, 700, 1.0);
    ck_assert_int_eq(drawn.figure.map_count, 2);
    const FigureMap *maps = drawn.figure.maps;
    for (size_t i = 0; i < drawn.list.item_count; i++)
        for (int head = 0; head < 2 && is_line(&drawn.list.items[i]); head++)
            found[head] += drawn.list.items[i].x == maps[head].x &&
                           drawn.list.items[i].y >= maps[head].y &&
                           drawn.list.items[i].y < maps[head].y + 2 * drawn.figure.cell_height;
    for (int head = 0; head < 2; head++) {
        const DisplayItem *name = drawn_text(&drawn, head == 0 ? "head 0" : "head 1");
        ck_assert_int_eq(found[head], wanted[head]);
        ck_assert_ptr_nonnull(name);
        ck_assert_int_eq(name->x, maps[head].x + drawn.figure.cell_width / 2);
        ck_assert_int_lt(name->y, maps[head].y);
    }
    done();
}

TEST(numbers_that_have_changed_are_seen)
{
    two_heads();
    drawn_draw(&drawn, 800, 600, 1.0);
    Tensor weights = drawn_tensor(&drawn, "attn_weights"); // another version
    *tensor_at4(&weights, 0, 1, 1, 1) = 1.0f;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 1, 1, 1), 0xfde725);
    done();
}

TEST(a_sequence_or_head_that_is_not_there_is_refused_in_words)
{
    two_heads();
    drawn.request.batch = 1;
    ck_assert(!figure_can_show(&drawn.trace, &drawn.request, &drawn.err));
    ck_assert_ptr_nonnull(strstr(drawn.err.text, "so sequence 1 does not"));
    drawn.request.batch = 0;
    drawn.request.head = 2;
    ck_assert(!figure_can_show(&drawn.trace, &drawn.request, &drawn.err));
    ck_assert_ptr_nonnull(strstr(drawn.err.text, "so head 2 does not"));
    done();
}

TEST(every_tensor_of_every_scenario_can_be_drawn)
{
    for (int i = 0; i < tiny_shape_count; i++) {
        drawn_open(&drawn, tiny_shapes[i]);
        for (int tensor = 0; tensor < drawn.trace.tensor_count; tensor++)
            for (int mode = 0; mode < FIGURE_MODE_COUNT; mode++) {
                drawn.request = figure_request(&drawn.trace, tensor);
                drawn.request.mode = (FigureMode)mode;
                if (!figure_can_show(&drawn.trace, &drawn.request, &drawn.err))
                    continue;
                drawn.request.has_cursor = true;
                drawn_draw(&drawn, 640, 480, 1.0);
            }
        drawn_close(&drawn);
    }
}

// --- Where things lie: nothing outside the picture, no map over another, at every size and for every
// number of heads and tokens.

static float *row_numbers;

static void open_large(int heads, int tokens)
{
    row_numbers = drawn_open_large(&drawn, heads, tokens);
}

static bool is_inside(const DisplayItem *item)
{
    int left = item->x, width = item->width;
    if (item->kind == DISPLAY_TEXT) {
        width = font_width(&font_metrics_usual, drawn.list.texts + item->at, item->size);
        left -= item->upright || item->anchor == DISPLAY_LEFT ? 0
                : item->anchor == DISPLAY_RIGHT               ? width
                                                              : width / 2;
        width = item->upright ? 0 : width;
    }
    return left >= 0 && left + width <= drawn.list.width && item->y >= 0 &&
           item->y <= drawn.list.height;
}

// The names of heads stand between maps, never on one.
static void check_names(const char *what)
{
    const DisplayItem *map = drawn_map(&drawn, 0);
    for (int a = 0; a < drawn.figure.map_count; a++) {
        char name[32];
        snprintf(name, sizeof name, "head %d", a);
        const DisplayItem *text = drawn_text(&drawn, name);
        for (int b = 0; text && b < drawn.figure.map_count; b++) {
            const FigureMap *other = &drawn.figure.maps[b];
            bool on_it = text->x >= other->x && text->x < other->x + map->width &&
                         text->y >= other->y && text->y < other->y + map->height;
            ck_assert_msg(!on_it, "%s: the name of head %d is on map %d", what, a, b);
        }
    }
}

static void check_layout(const char *what)
{
    for (size_t i = 0; i < drawn.list.item_count; i++)
        ck_assert_msg(is_inside(&drawn.list.items[i]), "%s at %dx%d: item %zu at %d,%d is outside",
                      what, drawn.list.width, drawn.list.height, i, drawn.list.items[i].x,
                      drawn.list.items[i].y);
    for (int a = 0; a < drawn.figure.map_count; a++)
        for (int b = 0; b < a; b++) {
            const FigureMap *one = &drawn.figure.maps[a], *other = &drawn.figure.maps[b];
            const DisplayItem *map = drawn_map(&drawn, a);
            bool apart = one->x >= other->x + map->width || other->x >= one->x + map->width ||
                         one->y >= other->y + map->height || other->y >= one->y + map->height;
            ck_assert_msg(apart, "%s: maps %d and %d overlap", what, a, b);
        }
    check_names(what);
}

TEST(everything_lies_inside_and_apart_at_every_size)
{
    static const int heads[] = {1, 2, 12, 40}, tokens[] = {1, 3, 20, 200};
    static const int sizes[][2] = {{480, 360}, {800, 600}, {1280, 960}, {1600, 1200}, {900, 1400}};
    for (int h = 0; h < 4; h++)
        for (int t = 0; t < 4; t++) {
            open_large(heads[h], tokens[t]);
            drawn.request.has_cursor = drawn.request.keys = true;
            for (int s = 0; s < 5; s++) {
                char what[64];
                snprintf(what, sizeof what, "%d heads of %d tokens", heads[h], tokens[t]);
                drawn_draw(&drawn, sizes[s][0], sizes[s][1], 1.0);
                ck_assert_int_eq(drawn.figure.map_count, heads[h]);
                check_layout(what);
            }
            drawn_close(&drawn);
        }
}

TEST(a_picture_of_one_pixel_is_drawn_too)
{
    open_large(12, 20);
    for (int side = 1; side < 300; side += 23)
        drawn_draw(&drawn, side, side, 1.0);
    drawn_close(&drawn);
}

TEST(forty_heads_are_told_apart_by_label)
{
    open_large(40, 10);
    drawn_draw(&drawn, 1280, 960, 1.0);
    for (int head = 0; head < 40; head++) {
        char name[32];
        snprintf(name, sizeof name, "head %d", head);
        ck_assert_ptr_nonnull(drawn_text(&drawn, name));
    }
    drawn_close(&drawn);
}

// Four maps of 128 cells beside each other, 2 pixels each, are 1024 wide. Of 1270 pixels 24 at each side
// are free and 112 the scale's; "000" takes 3 x 0.62 x 12 = 23, and 10 more: 1077 are left, 1023 between
// three gaps of 18, 1053 between three of 8.
TEST(maps_come_closer_where_that_makes_their_cells_larger)
{
    static const struct {
        int width, pixels, gap;
    } cases[] = {{1300, 2, 18}, {1270, 2, 8}, {1230, 1, 18}};
    open_large(8, 128);
    for (int i = 0; i < 3; i++) {
        drawn_draw(&drawn, cases[i].width, 800, 1.0);
        const Figure *figure = &drawn.figure;
        ck_assert_int_eq(figure->cell_width, cases[i].pixels);
        ck_assert_int_eq(figure->maps[1].x - figure->maps[0].x,
                         128 * cases[i].pixels + cases[i].gap);
    }
    drawn_close(&drawn);
}

// Heads beside and below each other, each with its lines below its name.
static void check_panels(int heads, int width, int height)
{
    const Figure *figure = &drawn.figure;
    int high = (int)figure->rows * figure->cell_height;
    ck_assert_int_eq(figure->map_count, heads);
    for (int map = 0; map < heads; map++) {
        const FigureMap *at = &figure->maps[map];
        ck_assert_int_ge(at->x, 0);
        ck_assert_int_le(at->x + figure->cell_width, width);
        ck_assert_int_le(at->y + high, height);
        for (int other = 0; other < map; other++) {
            const FigureMap *was = &figure->maps[other];
            bool beside =
                was->x + figure->cell_width <= at->x || at->x + figure->cell_width <= was->x;
            ck_assert_msg(beside || was->y + high + 10 <= at->y, "%d heads at %dx%d: %d, %d", heads,
                          width, height, other, map);
        }
    }
}

TEST(lines_of_many_heads_lie_apart_at_every_size)
{
    static const int sizes[][2] = {{480, 360}, {640, 480}, {1280, 960}, {1600, 1200}};
    static const int heads[] = {3, 12, 40};
    for (int i = 0; i < 3; i++) {
        open_large(heads[i], 6);
        drawn.request.mode = FIGURE_ALL_LINES;
        for (int size = 0; size < 4; size++) {
            drawn_draw(&drawn, sizes[size][0], sizes[size][1], 1.0);
            check_panels(heads[i], sizes[size][0], sizes[size][1]);
        }
        drawn_close(&drawn);
    }
}

TEST(lines_of_three_heads_leave_no_quarter_empty)
{
    open_large(3, 6);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1280, 800, 1.0);
    ck_assert_int_eq(drawn.figure.map_count, 3);
    ck_assert_int_eq(drawn.figure.maps[2].y, drawn.figure.maps[0].y);
    drawn_close(&drawn);
}

// Heads lie all beside or all below each other: two and one below them would leave a quarter empty.
TEST(lines_of_three_heads_leave_no_quarter_empty_in_any_picture)
{
    open_large(3, 11);
    drawn.request.mode = FIGURE_ALL_LINES;
    for (int width = 300; width <= 1500; width += 100)
        for (int height = 300; height <= 1500; height += 100) {
            drawn_draw(&drawn, width, height, 1.0);
            const FigureMap *maps = drawn.figure.maps;
            bool beside = maps[0].y == maps[2].y, below = maps[0].x == maps[2].x;
            ck_assert_msg(beside || (below && maps[0].x == maps[1].x), "%dx%d", width, height);
        }
    drawn_close(&drawn);
}

// 220 pixels less margins, title and name are 118 for eleven words, 10 for each: still read.
TEST(lines_of_one_head_have_every_word_as_long_as_it_can_be_read)
{
    open_large(1, 11);
    drawn.request.mode = FIGURE_LINES;
    drawn_draw(&drawn, 300, 220, 1.0);
    ck_assert_int_eq(drawn.figure.rows, 11);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "10"));
    drawn_close(&drawn);
    open_large(1, 20);
    drawn.request.mode = FIGURE_LINES;
    drawn_draw(&drawn, 300, 220, 1.0);
    ck_assert_int_lt(drawn.figure.rows, 20);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "queries 0")); // to what is visible
    drawn_close(&drawn);
}

// Sentences of a thousand words: as many words of each head as can be read.
TEST(lines_of_long_sequences_are_a_part_of_them)
{
    open_large(12, 1024);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1280, 960, 1.0);
    check_panels(12, 1280, 960);
    ck_assert_int_ge(drawn.figure.rows, 12);
    ck_assert_int_ge(drawn.figure.cell_height, 9);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "queries left, keys right"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "11")); // the twelfth word
    drawn_close(&drawn);
}

TEST(shrinking_is_said_and_keeps_the_largest)
{
    // 4096 columns in at most 1280 pixels: blocks of 4 or more; only column 1000 is 1
    open_large(1, 4096);
    row_numbers[1000] = 1.0f;
    drawn_draw(&drawn, 1280, 960, 1.0);
    int block = (int)drawn.figure.block_columns;
    ck_assert_int_ge(block, 4);
    ck_assert_int_eq(drawn_map(&drawn, 0)->columns, (4096 + block - 1) / block);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1000 / block), 0xfde725);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1000 / block + 1), 0x481a6c);
    char said[64];
    snprintf(said, sizeof said, "the largest of %d x %d cells", block, block);
    ck_assert_ptr_nonnull(drawn_part(&drawn, said));
    drawn_close(&drawn);
}

TEST(zooming_shows_whole_cells_from_the_chosen_corner)
{
    open_large(1, 200);
    row_numbers[50] = 1.0f;
    drawn.request.mode = FIGURE_HEAD;
    drawn.request.zoom = 16;
    drawn.request.first_row = 120;
    drawn.request.first_column = 50;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(drawn.figure.cell_width, 16);
    ck_assert_int_eq(drawn.figure.first_column, 50);
    ck_assert_int_eq(drawn.figure.first_row, 120);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0), 0xfde725);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1), 0x481a6c);
    ck_assert(!drawn.figure.all_visible);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "of 200"));
    drawn_close(&drawn);
}

TEST(a_pixel_belongs_to_the_cell_that_is_drawn_there)
{
    open_large(12, 20);
    drawn_draw(&drawn, 1280, 960, 1.0);
    const FigureMap *map = &drawn.figure.maps[7];
    int wide = drawn.figure.cell_width, high = drawn.figure.cell_height;
    FigureCell cell;
    ck_assert(figure_hit(&drawn.figure, map->x + 3 * wide, map->y + 6 * high - 1, &cell));
    ck_assert_int_eq(cell.head, 7);
    ck_assert_int_eq(cell.row, 5);
    ck_assert_int_eq(cell.column, 3);
    ck_assert(!figure_hit(&drawn.figure, map->x - 1, map->y, &cell));
    ck_assert(!figure_hit(&drawn.figure, map->x + 20 * wide, map->y, &cell));
    drawn_close(&drawn);
}

TEST(a_pixel_that_is_a_block_stands_for_its_first_cell)
{
    open_large(1, 4096);
    drawn_draw(&drawn, 1280, 960, 1.0);
    int block = (int)drawn.figure.block_rows;
    FigureCell cell;
    ck_assert(
        figure_hit(&drawn.figure, drawn.figure.maps[0].x + 10, drawn.figure.maps[0].y + 20, &cell));
    ck_assert_int_eq(cell.row, 20 * block);
    ck_assert_int_eq(cell.column, 10 * block);
    drawn_close(&drawn);
}

TEST(twice_the_density_is_twice_the_letters)
{
    open_large(2, 5);
    drawn_draw(&drawn, 800, 600, 1.0);
    int size = drawn_text(&drawn, "head 1")->size;
    drawn_draw(&drawn, 1600, 1200, 2.0);
    ck_assert_int_eq(drawn_text(&drawn, "head 1")->size, 2 * size);
    drawn_close(&drawn);
}

TEST(the_list_as_text_names_every_item)
{
    char *text = NULL;
    size_t bytes = 0;
    open_large(1, 1);
    row_numbers[0] = 1.0f;
    drawn_draw(&drawn, 480, 320, 1.0);
    FILE *out = open_memstream(&text, &bytes);
    display_list_print(&drawn.list, 4, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "480x320 ffffff\n"));
    ck_assert_ptr_nonnull(strstr(text, " of 1x1\n    fde725 \n"));
    ck_assert_ptr_nonnull(strstr(text, "\"1.0000\"\n"));
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    ck_assert_uint_eq(lines, 1 + drawn.list.item_count + 1); // a heading, and one row of cells
    free(text);
    drawn_close(&drawn);
}

// --- Letters larger than usual: what they leave of a picture.

// As drawn_draw, with letters that many times as large as usual.
static void draw_with_letters(int width, int height, double letters)
{
    FigurePaper paper = {.width = width,
                         .height = height,
                         .scale = letters,
                         .letters = letters,
                         .metrics = &font_metrics_usual,
                         .cache = drawn.cache,
                         .list = &drawn.list};
    ck_assert(figure_draw(&drawn.trace, &drawn.request, &paper, &drawn.figure, &drawn.err));
}

// Four digits of 8 pixels take 3 x 0.62 x 8 + 0.3 x 8 = 18 at most, and cells are wider.
TEST(larger_letters_leave_numbers_in_cells_that_can_hold_them)
{
    drawn_open_large(&drawn, 3, 11);
    for (double letters = 1.0; letters < 1.6; letters += 0.1) {
        draw_with_letters(1230, 770, letters);
        ck_assert_int_gt(drawn.figure.cell_width, 22);
        ck_assert_msg(drawn_part(&drawn, "0.07"), "letters %g", letters);
    }
    drawn_close(&drawn);
}

// Two pixels beside a number are enough of its cell to be seen.
TEST(a_number_is_in_a_cell_that_just_holds_it)
{
    int held = 0, needed = font_width(&font_metrics_usual, "-2.79", 9) + 4;
    drawn_open_large(&drawn, 3, 11)[3] = -2.787f;
    drawn.request.scale = FIGURE_SCALE_ALL;
    for (int width = 1000; width < 1500; width += 5) {
        draw_with_letters(width, 800, 1.0);
        if (drawn.figure.cell_width != needed)
            continue;
        held++;
        ck_assert_ptr_nonnull(drawn_text(&drawn, "-2.79"));
    }
    ck_assert_int_gt(held, 0);
    drawn_close(&drawn);
}

TEST(however_large_letters_are_nothing_is_lost_for_them)
{
    drawn_open_large(&drawn, 3, 11);
    drawn.request.has_cursor = true;
    for (int letters = 1; letters <= 8; letters++) {
        draw_with_letters(1230, 770, letters);
        ck_assert_ptr_nonnull(drawn_part(&drawn, "row sum"));       // of the read-out
        ck_assert_ptr_nonnull(drawn_text(&drawn, "7"));             // the word of row 7
        ck_assert_ptr_nonnull(drawn_text(&drawn, "fixed, 0 to 1")); // of the scale
    }
    drawn_close(&drawn);
}

SUITE("figure")
