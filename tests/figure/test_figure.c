// What a figure shows: every colour, mark, number and word worked out by hand from the tensor.
#include "drawn.h"

#include <math.h>
#include <string.h>
#include "suite.h"

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

SUITE("figure")
