// Pictures of so many cells that threads share them: every cell of every piece, against loops over the
// numbers.
#include <math.h>
#include "drawn.h"
#include "suite.h"

// Neither is a multiple of the pieces or of the blocks.
enum { QUERIES = 773, KEYS = 701, HEADS = 2 };

static Drawn drawn;

static float number_of(ptrdiff_t head, ptrdiff_t i, ptrdiff_t j)
{
    return (float)((i * 7919 + j * 104729 + head * 31) % 1009) / 1009.0f;
}

static void open_many(void)
{
    drawn_open(&drawn, (TinyShape){.batch = 1,
                                   .queries = QUERIES,
                                   .keys = KEYS,
                                   .heads = HEADS,
                                   .d_k = 1,
                                   .d_v = 1,
                                   .d_in = 1,
                                   .d_out = 1});
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (ptrdiff_t head = 0; head < HEADS; head++)
        for (ptrdiff_t i = 0; i < QUERIES; i++)
            for (ptrdiff_t j = 0; j < KEYS; j++)
                *tensor_at4(&weights, 0, head, i, j) = number_of(head, i, j);
    drawn.request.map = COLOUR_MAGMA;
}

// Of a head, or of the mean over the two for head -1.
static float number_at(const Tensor *weights, int head, ptrdiff_t i, ptrdiff_t j)
{
    if (head >= 0)
        return *tensor_at4(weights, 0, head, i, j);
    return (*tensor_at4(weights, 0, 0, i, j) + *tensor_at4(weights, 0, 1, i, j)) / 2.0f;
}

// The largest number of a block, NaN where it has NaN.
static float largest_in(const Tensor *weights, int head, int row, int column)
{
    const Figure *figure = &drawn.figure;
    float largest = -INFINITY;
    for (ptrdiff_t i = row * figure->block_rows; i < (row + 1) * figure->block_rows; i++)
        for (ptrdiff_t j = column * figure->block_columns; j < (column + 1) * figure->block_columns;
             j++) {
            float number = i < QUERIES && j < KEYS ? number_at(weights, head, i, j) : largest;
            largest = isnan(number) || number > largest ? number : largest;
            if (isnan(largest))
                return largest;
        }
    return largest;
}

static void expect_cells(int map, int head, float low, float high)
{
    Tensor weights = drawn.trace.tensors[drawn.request.tensor].tensor;
    const DisplayItem *item = drawn_map(&drawn, map);
    const DisplayCell *cell = drawn.list.cells + item->at;
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_MAGMA, table);
    for (int row = 0; row < item->rows; row++)
        for (int column = 0; column < item->columns; column++, cell++) {
            float largest = largest_in(&weights, head, row, column);
            DisplayCell plain = table[colour_level(largest, low, high)];
            bool right = isnan(largest) ? *cell >> 24 == DISPLAY_NAN : *cell == plain;
            if (!right)
                ck_abort_msg("head %d, block %d, %d: %06x, its largest number is %g", head, row,
                             column, (unsigned)*cell, (double)largest);
        }
}

static void expect_every_cell(float low, float high)
{
    drawn_draw(&drawn, 1280, 960, 1.0);
    ck_assert_int_gt(drawn.figure.block_columns, 1);
    for (int head = 0; head < HEADS; head++)
        expect_cells(head, head, low, high);
}

TEST(every_block_has_the_colour_of_its_largest_number)
{
    open_many();
    expect_every_cell(0.0f, 1.0f);
    ck_assert_ptr_null(drawn_text(&drawn, "NaN"));
    drawn_close(&drawn);
}

// Both ends of the scale in one place each, in different pieces of different heads.
TEST(the_ends_of_the_scale_are_found_wherever_they_lie)
{
    static const ptrdiff_t places[] = {0, 200, 450, QUERIES - 1};
    open_many();
    drawn.request.scale = FIGURE_SCALE_ALL;
    for (int i = 0; i < 4; i++) {
        Tensor weights = drawn_tensor(&drawn, "attn_weights");
        *tensor_at4(&weights, 0, i % 2, places[i], KEYS - 1) = 3.0f;
        *tensor_at4(&weights, 0, 1 - i % 2, places[3 - i], 0) = -2.0f;
        expect_every_cell(-2.0f, 3.0f);
        for (int head = 0; head < HEADS; head++) {
            *tensor_at4(&weights, 0, head, places[i], KEYS - 1) = 0.5f;
            *tensor_at4(&weights, 0, head, places[3 - i], 0) = 0.5f;
        }
    }
    drawn_close(&drawn);
}

TEST(nan_is_marked_in_the_first_piece_and_in_the_last)
{
    static const ptrdiff_t places[] = {1, QUERIES - 1};
    for (int i = 0; i < 2; i++) {
        open_many();
        Tensor weights = drawn_tensor(&drawn, "attn_weights");
        *tensor_at4(&weights, 0, 1, places[i], 500) = NAN;
        expect_every_cell(0.0f, 1.0f);
        ck_assert_ptr_nonnull(drawn_text(&drawn, "NaN"));
        drawn_close(&drawn);
    }
}

TEST(the_mean_of_many_numbers_follows_them)
{
    open_many();
    drawn.request.mean = true;
    for (int round = 0; round < 3; round++) {
        Tensor weights = drawn_tensor(&drawn, "attn_weights");
        *tensor_at4(&weights, 0, 1, QUERIES - 1 - 300 * round, 5) = 2.0f;
        drawn_draw(&drawn, 1280, 960, 1.0);
        expect_cells(0, -1, 0.0f, 1.0f);
    }
    drawn.request.mean = false;
    drawn_draw(&drawn, 1280, 960, 1.0);
    drawn.request.mean = true;
    drawn.request.zoom = 3;
    drawn.request.first_row = 400;
    drawn_draw(&drawn, 1280, 960, 1.0);
    ck_assert_int_eq(drawn.figure.block_rows, 1);
    float first = number_at(&drawn.trace.tensors[drawn.request.tensor].tensor, -1,
                            drawn.figure.first_row, drawn.figure.first_column);
    Colour table[COLOUR_LEVELS];
    colour_table(COLOUR_MAGMA, table);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0), table[colour_level(first, 0.0f, 1.0f)]);
    drawn_close(&drawn);
}

SUITE("figure_pieces")
