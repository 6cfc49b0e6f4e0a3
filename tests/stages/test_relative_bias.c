// T5's relative bias (relative_bias.c): which row of the weight each distance has, worked out by hand.
#include "stage.h"
#include "suite.h"

static Tensor floats(float numbers[], ptrdiff_t heads, ptrdiff_t rows, ptrdiff_t columns)
{
    return tensor_over(numbers, DTYPE_F32, 4, (ptrdiff_t[]){1, heads, rows, columns});
}

static void run_stage(StageArgs *args)
{
    Error err;
    const Stage *stage = stage_find("relative_bias");
    ck_assert_msg(stage->shapes(args, &err) && stage->run(args, &err), "%s", err.text);
}

// Row r of the weight is r for one head, and 100 + r for the other: what is added names the row.
static void check_rows(StageOptions options, ptrdiff_t queries, ptrdiff_t keys, const int want[])
{
    float weight[2 * 32], scores[2 * 300] = {0}, out[2 * 300];
    ck_assert_int_le(queries * keys, 300);
    for (int i = 0; i < 2 * options.relative_buckets; i++)
        weight[i] = (float)(i / 2 + 100 * (i % 2));
    StageArgs args = {
        .in = {floats(scores, 2, queries, keys),
               tensor_over(weight, DTYPE_F32, 2, (ptrdiff_t[]){options.relative_buckets, 2})},
        .out = {floats(out, 2, queries, keys)},
        .options = &options};
    run_stage(&args);
    for (int i = 0; i < queries * keys; i++) {
        ck_assert_msg(out[i] == (float)want[i], "number %d has row %g, not %d", i, (double)out[i],
                      want[i]);
        ck_assert_float_eq(out[queries * keys + i], (float)(100 + want[i]));
    }
}

// Raffel et al. 2020, section 2.1, and the formula that its code makes of it. Eight rows, from a distance
// of 16 on all alike. Causal: distances 0 to 3 have rows 0 to 3, and longer ones, since log(16/4) = 2 log 2,
// 4 + 4 log2(d/4)/2 cut: 4 for d = 4 and 5 (log2(5/4) = 0.32), 5 for 6 and 7 (log2(6/4) = 0.58: 1.17), 6 for
// 8 to 11 (2.0; log2(11/4) = 1.46: 2.92), 7 from 12 (log2 3 = 1.58: 3.17) on. Keys after the query: row 0.
TEST(relative_bias_counts_near_keys_one_by_one)
{
    static const int want[] = {7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 5, 5, 4, 4, 3, 2, 1, 0, 0, 0};
    int rows[17 * 20];
    StageOptions options = {.relative_buckets = 8, .relative_distance = 16, .causal = true};
    for (int i = 0; i < 15; i++) // a query at i sees what the one at 17 sees 17 - i places on
        for (int j = 0; j < 20; j++)
            rows[i * 20 + j] = j > i ? 0 : want[17 - i + j];
    check_rows(options, 15, 20, rows);
}

// Both ways: four rows each, 0 to 3 behind and 4 to 7 ahead. Distances 0 and 1 have rows 0 and 1; longer
// ones 2 + 2 log(d/2)/log(16/2) cut: 2 for 2 to 5 (log2(5/2) = 1.32 of 3: 0.88), 3 from 6 (1.58 of 3: 1.06) on.
TEST(relative_bias_tells_ahead_from_behind)
{
    static const int want[] = {0, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
                               1, 0, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    static const int back[] = {3, 3, 3, 2, 2, 2, 2, 1, 0, 5};
    StageOptions options = {.relative_buckets = 8, .relative_distance = 16};
    check_rows(options, 2, 20, want);
    int rows[9 * 10];
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 10; j++)
            rows[i * 10 + j] = j > i ? want[j - i] : back[8 - i + j];
    check_rows(options, 9, 10, rows);
}

// T5's own sizes, 32 and 128. Both ways distances below 8 have a row each; then 8 + 8 log(d/8)/log 16 cut:
// 16 is 2 of 8 steps on (row 10), 32 4 (12), 64 6 (14), 128 and more the last (15); ahead 16 more.
TEST(relative_bias_has_the_steps_of_t5)
{
    static const int rows[][2] = {{7, 7},    {8, 8},    {11, 8},  {12, 9},  {15, 9},
                                  {16, 10},  {31, 11},  {32, 12}, {63, 13}, {64, 14},
                                  {127, 15}, {128, 15}, {299, 15}};
    int want[300];
    float out[300];
    float scores[300] = {0}, weight[32];
    StageOptions options = {.relative_buckets = 32, .relative_distance = 128};
    for (int i = 0; i < 32; i++)
        weight[i] = (float)i;
    StageArgs args = {
        .in = {floats(scores, 1, 1, 300), tensor_over(weight, DTYPE_F32, 2, (ptrdiff_t[]){32, 1})},
        .out = {floats(out, 1, 1, 300)},
        .options = &options};
    run_stage(&args);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        want[i] = 16 + rows[i][1];
        ck_assert_msg(out[rows[i][0]] == (float)want[i], "distance %d has row %g, not %d",
                      rows[i][0], (double)out[rows[i][0]], want[i]);
    }
}

TEST(relative_bias_needs_room_for_its_steps)
{
    Error err;
    StageOptions options = {.relative_buckets = 32, .relative_distance = 16, .causal = true};
    StageArgs args = {.options = &options};
    ck_assert(!stage_find("relative_bias")->shapes(&args, &err));
    ck_assert_str_eq(
        err.text, "relative_bias: relative_distance is 16, but the first 16 distances have a row "
                  "each; take a larger one, or fewer relative_buckets");
}

SUITE("relative_bias")
