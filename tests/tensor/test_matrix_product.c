// Every kernel that this machine can run: the bits of the plain loop, for shapes with every kind of
// tail, strides, and numbers that are not tame.
#include "matrix_product.h"

#include <math.h>
#include <string.h>
#include "suite.h"
#include "tiny.h"

enum { SIDE_MAX = 70, DEPTH_MAX = 1700, PANELS_MAX = (SIDE_MAX + 32) * DEPTH_MAX };

enum { APART = 3 }; // numbers that lie between the rows of a left matrix

static float left_numbers[SIDE_MAX * (DEPTH_MAX + APART)], right_numbers[SIDE_MAX * DEPTH_MAX];
static float panel_numbers[PANELS_MAX];
static float out_numbers[SIDE_MAX * (SIDE_MAX + 8)], bias_numbers[SIDE_MAX];

static void fill(float numbers[], size_t count, uint64_t *state)
{
    static const float wild[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-140f, 3e38f};
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t pick = tiny_index(state, 400);
        numbers[i] = pick < 7 ? wild[pick] : tiny_number(state);
    }
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

// Those that this machine can run, and the one for AVX-512 with its instructions as loops.
static const Kernel *kernel_to_test(int number)
{
    extern const Kernel kernel_avx512_in_c;
    const Kernel *kernel = kernel_get(number);
    return !kernel && kernel_get(number - 1) ? &kernel_avx512_in_c : kernel;
}

// A matrix over the numbers, sometimes lying on its side.
static Tensor matrix(float numbers[], ptrdiff_t rows, ptrdiff_t columns, bool turned)
{
    Tensor t = tensor_over(numbers, DTYPE_F32, 2,
                           turned ? (ptrdiff_t[]){columns, rows} : (ptrdiff_t[]){rows, columns});
    return turned ? tensor_transpose(&t, 0, 1) : t;
}

static void multiply(const Kernel *kernel, const Tensor *left, const Tensor *right,
                     const Tensor *bias, const Tensor *out)
{
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank = matrix_panels_shape(kernel, right, shape);
    Tensor panels = tensor_over(panel_numbers, DTYPE_F32, rank, shape);
    ck_assert_int_le(tensor_count(&panels), PANELS_MAX);
    matrix_pack(kernel, right, &panels);
    matrix_product(kernel, left, &panels, bias, out, NULL);
}

static void expect_loop(const char *name, const Tensor *left, const Tensor *right,
                        const float *bias, const Tensor *out)
{
    for (ptrdiff_t i = 0; i < out->shape[0]; i++)
        for (ptrdiff_t j = 0; j < out->shape[1]; j++) {
            float sum = 0.0f;
            for (ptrdiff_t k = 0; k < left->shape[1]; k++)
                sum = fmaf(*tensor_at2(left, i, k), *tensor_at2(right, k, j), sum);
            float want = bias ? sum + bias[j] : sum, got = *tensor_at2(out, i, j);
            if (!same_bits(got, want))
                ck_abort_msg("%s, %td x %td x %td, element %td %td: %a, the loop gives %a", name,
                             out->shape[0], left->shape[1], out->shape[1], i, j, (double)got,
                             (double)want);
        }
}

// What lies beside the rows of `out`, at a pitch of `columns` and `beside` more, is as it was.
static void expect_untouched(const char *name, const Tensor *out, ptrdiff_t beside)
{
    Tensor all = tensor_over(out_numbers, DTYPE_F32, 2,
                             (ptrdiff_t[]){out->shape[0], out->shape[1] + beside});
    for (ptrdiff_t i = 0; i < out->shape[0]; i++)
        for (ptrdiff_t j = out->shape[1]; j < all.shape[1]; j++)
            ck_assert_msg(*tensor_at2(&all, i, j) == 7.5f, "%s, row %td, %td beyond", name, i, j);
}

SLICE_TEST(the_tiles_give_the_bits_of_the_plain_loop, 400, 4)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t rows = 1 + tiny_index(&state, SIDE_MAX), columns = 1 + tiny_index(&state, SIDE_MAX);
    // now and then so deep that the sums are stored and loaded again on the way
    ptrdiff_t depth = 1 + tiny_index(&state, _i % 16 == 0 ? DEPTH_MAX : SIDE_MAX);
    ptrdiff_t apart = tiny_index(&state, 2) * APART; // as the rows of a head lie
    fill(left_numbers, (size_t)(rows * (depth + apart)), &state);
    fill(right_numbers, (size_t)(depth * columns), &state);
    fill(bias_numbers, SIDE_MAX, &state);
    Tensor left = matrix(left_numbers, rows, depth + apart, tiny_index(&state, 2));
    left = tensor_narrow(&left, 1, 0, depth);
    Tensor right = matrix(right_numbers, depth, columns, tiny_index(&state, 2));
    ptrdiff_t beside = tiny_index(&state, 2) * 5;
    Tensor out = matrix(out_numbers, rows, columns + beside, beside == 0 && tiny_index(&state, 2));
    out = tensor_narrow(&out, 1, 0, columns);
    for (ptrdiff_t i = 0; i < rows * (columns + beside); i++)
        out_numbers[i] = 7.5f;
    Tensor bias = tensor_over(bias_numbers, DTYPE_F32, 1, (ptrdiff_t[]){columns});
    bool with_bias = tiny_index(&state, 2);

    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        multiply(kernel, &left, &right, with_bias ? &bias : NULL, &out);
        expect_loop(kernel->name, &left, &right, with_bias ? bias_numbers : NULL, &out);
        matrix_product_once(kernel, &left, &right, &out);
        expect_loop(kernel->name, &left, &right, NULL, &out);
        expect_untouched(kernel->name, &out, beside);
        Tensor in_place;
        if (matrix_panels_in_place(kernel, &right, &in_place)) {
            matrix_product(kernel, &left, &in_place, NULL, &out, NULL);
            expect_loop(kernel->name, &left, &right, NULL, &out);
        }
    }
}

// Two heads of 16 lie side by side in one matrix, where all kernels read them.
SLICE_TEST(panels_in_place_give_the_bits_of_the_plain_loop, 100, 4)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t rows = 1 + tiny_index(&state, SIDE_MAX), depth = 1 + tiny_index(&state, DEPTH_MAX);
    ptrdiff_t columns = 16 * (1 + tiny_index(&state, 3)), width = columns + 16;
    fill(left_numbers, (size_t)(rows * depth), &state);
    fill(right_numbers, (size_t)(depth * width), &state);
    Tensor left = matrix(left_numbers, rows, depth, tiny_index(&state, 2));
    Tensor both = matrix(right_numbers, depth, width, false), in_place;
    Tensor right = tensor_narrow(&both, 1, 16 * tiny_index(&state, 2), columns);
    Tensor out = matrix(out_numbers, rows, columns, false), lying = tensor_transpose(&both, 0, 1);
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        ck_assert(!matrix_panels_in_place(kernel, &lying, &in_place) || depth == 1);
        ck_assert(matrix_panels_in_place(kernel, &right, &in_place));
        matrix_product(kernel, &left, &in_place, NULL, &out, NULL);
        expect_loop(kernel->name, &left, &right, NULL, &out);
    }
}

// The stack's matrices follow each other in memory, or lie between those of another one, as a question's
// gradients do. One below the other they are a single matrix: its product is the one expected.
SLICE_TEST(a_stack_gives_the_bits_of_one_matrix, 300, 4)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t count = tiny_index(&state, 6), depth = 1 + tiny_index(&state, 20);
    ptrdiff_t rows = 1 + tiny_index(&state, SIDE_MAX), columns = 1 + tiny_index(&state, SIDE_MAX);
    ptrdiff_t apart = 1 + tiny_index(&state, 2);
    fill(left_numbers, (size_t)(count * apart * depth * rows), &state);
    fill(right_numbers, (size_t)(count * depth * columns), &state);
    Tensor spread =
        tensor_over(left_numbers, DTYPE_F32, 4, (ptrdiff_t[]){count, apart, depth, rows});
    Tensor stack = tensor_select(&spread, 1, apart - 1);
    static float below[SIDE_MAX * DEPTH_MAX];
    for (ptrdiff_t b = 0; b < count; b++)
        for (ptrdiff_t i = 0; i < depth * rows; i++)
            below[b * depth * rows + i] = left_numbers[(b * apart + apart - 1) * depth * rows + i];
    Tensor left = matrix(below, rows, count * depth, true);
    Tensor right = matrix(right_numbers, count * depth, columns, false);
    Tensor out = matrix(out_numbers, rows, columns, false);

    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        ptrdiff_t shape[TENSOR_RANK_MAX];
        int rank = matrix_panels_shape(kernel, &right, shape);
        Tensor panels = tensor_over(panel_numbers, DTYPE_F32, rank, shape);
        matrix_pack(kernel, &right, &panels);
        matrix_product_of_stack(kernel, &stack, &panels, false, &out);
        expect_loop(kernel->name, &left, &right, NULL, &out);

        // As threads do it: the first matrices, then those behind them.
        ptrdiff_t cut = tiny_index(&state, count + 1);
        Tensor some = tensor_narrow(&stack, 0, 0, cut);
        Tensor of_some = tensor_narrow(&panels, 1, 0, cut * depth);
        if (cut > 0)
            matrix_product_of_stack(kernel, &some, &of_some, false, &out);
        some = tensor_narrow(&stack, 0, cut, count - cut);
        of_some = tensor_narrow(&panels, 1, cut * depth, (count - cut) * depth);
        if (cut < count)
            matrix_product_of_stack(kernel, &some, &of_some, cut > 0, &out);
        expect_loop(kernel->name, &left, &right, NULL, &out);
    }
}

// Side by side on the left, and below each other on the right, the matrices are one.
SLICE_TEST(products_that_are_summed_give_the_bits_of_one_product, 300, 4)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t count = 1 + tiny_index(&state, 5), depth = 1 + tiny_index(&state, 20);
    ptrdiff_t rows = 1 + tiny_index(&state, SIDE_MAX), columns = 1 + tiny_index(&state, SIDE_MAX);
    fill(left_numbers, (size_t)(count * depth * rows), &state);
    fill(right_numbers, (size_t)(count * depth * columns), &state);
    Tensor stack = tensor_over(left_numbers, DTYPE_F32, 3, (ptrdiff_t[]){count, rows, depth});
    static float beside[SIDE_MAX * DEPTH_MAX];
    for (ptrdiff_t q = 0; q < count; q++)
        for (ptrdiff_t i = 0; i < rows; i++)
            for (ptrdiff_t k = 0; k < depth; k++)
                beside[(i * count + q) * depth + k] = left_numbers[(q * rows + i) * depth + k];
    Tensor left = matrix(beside, rows, count * depth, false);
    Tensor right = matrix(right_numbers, count * depth, columns, false);
    Tensor factors = tensor_over(right_numbers, DTYPE_F32, 3, (ptrdiff_t[]){count, depth, columns});
    Tensor out = matrix(out_numbers, rows, columns, false), panels;
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        ptrdiff_t shape[TENSOR_RANK_MAX];
        int rank = matrix_panels_shape(kernel, &factors, shape);
        panels = tensor_over(panel_numbers, DTYPE_F32, rank, shape);
        for (ptrdiff_t q = 0; q < count; q++) {
            Tensor factor = tensor_select(&factors, 0, q), own = tensor_select(&panels, 0, q);
            matrix_pack(kernel, &factor, &own);
        }
        matrix_product_summed(kernel, &stack, &panels, &out);
        expect_loop(kernel->name, &left, &right, NULL, &out);
        if (!matrix_panels_in_place(kernel, &factors, &panels))
            continue;
        matrix_product_summed(kernel, &stack, &panels, &out);
        expect_loop(kernel->name, &left, &right, NULL, &out);
    }
}

static void expect_rows(const char *what, const Kernel *kernel, ptrdiff_t rows, ptrdiff_t columns,
                        const float expected[])
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < SIDE_MAX; j++) {
            float wanted = j < columns ? expected[i * columns + j] : 7.0f; // not touched
            if (!same_bits(out_numbers[i * SIDE_MAX + j], wanted))
                ck_abort_msg("%s of %s, %td columns, row %td, element %td: %a, wanted %a", what,
                             kernel->name, columns, i, j, (double)out_numbers[i * SIDE_MAX + j],
                             (double)wanted);
        }
}

static void clear_rows(ptrdiff_t rows)
{
    for (ptrdiff_t i = 0; i < rows * SIDE_MAX; i++)
        out_numbers[i] = 7.0f;
}

// Rows that lie apart, on both sides, of every length.
SLICE_TEST(rows_in_lanes_give_the_bits_of_plain_loops, 300, 4)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t rows = 1 + tiny_index(&state, 9), columns = 1 + tiny_index(&state, SIDE_MAX - 1);
    ptrdiff_t pitch = columns + tiny_index(&state, 3), flags_row = _i % 2 ? columns : 0;
    unsigned char flags[9 * SIDE_MAX];
    float sums[9], masked[9 * SIDE_MAX], backward[9 * SIDE_MAX], copied[9 * SIDE_MAX];
    fill(left_numbers, (size_t)(rows * pitch), &state);
    fill(right_numbers, (size_t)(rows * pitch), &state);
    fill(sums, (size_t)rows, &state);
    for (ptrdiff_t i = 0; i < rows * columns; i++)
        flags[i] = (unsigned char)tiny_index(&state, 2);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            float a = left_numbers[i * pitch + j], b = right_numbers[i * pitch + j];
            copied[i * columns + j] = a;
            masked[i * columns + j] = flags[i * flags_row + j] ? -3.5f : a;
            backward[i * columns + j] = a * (b - sums[i]);
        }
    KernelRows left = {left_numbers, rows, columns, pitch};
    KernelRows right = {right_numbers, rows, columns, pitch};
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        clear_rows(rows);
        kernel->copy(&left, out_numbers, SIDE_MAX);
        expect_rows("copy", kernel, rows, columns, copied);
        clear_rows(rows);
        kernel->mask(&left, flags, flags_row, -3.5f, out_numbers, SIDE_MAX);
        expect_rows("mask", kernel, rows, columns, masked);
        clear_rows(rows);
        kernel->softmax_backward(&left, &right, sums, out_numbers, SIDE_MAX);
        expect_rows("softmax_backward", kernel, rows, columns, backward);
    }
}

SLICE_TEST(softmax_in_lanes_gives_the_bits_of_its_definition, 300, 4)
{
    uint64_t state = (uint64_t)_i;
    // Very short rows go together, as many as lanes, short ones by threes, long ones alone; some are left over.
    ptrdiff_t rows = 1 + tiny_index(&state, _i % 4 == 0 ? 4 : 40);
    ptrdiff_t count = 1 + tiny_index(&state, _i % 4 == 0 ? SIDE_MAX * SIDE_MAX / 4 : SIDE_MAX);
    ptrdiff_t shape[] = {1, 1, rows, count};
    fill(left_numbers, (size_t)(rows * count), &state);
    for (ptrdiff_t i = 0; i < rows * count; i++) // down to where e^x ends, and beyond
        left_numbers[i] *= _i % 3 == 0 ? 60.0f : _i % 3 == 1 ? 1.0f : 0x1p-130f;
    StageArgs args = {.in = {tensor_over(left_numbers, DTYPE_F32, 4, shape)},
                      .out = {tensor_over(right_numbers, DTYPE_F32, 4, shape)}};
    Error err;
    ck_assert(stage_find("softmax")->run(&args, &err));
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        kernel->softmax(rows, count, left_numbers, count, out_numbers, count);
        for (ptrdiff_t i = 0; i < rows * count; i++)
            if (!same_bits(out_numbers[i], right_numbers[i]))
                ck_abort_msg(
                    "%s, %td rows of %td, row %td, element %td: %a, the definition gives %a",
                    kernel->name, rows, count, i / count, i % count, (double)out_numbers[i],
                    (double)right_numbers[i]);
    }
}

SLICE_TEST(blocks_in_lanes_are_those_of_a_plain_loop, 300, 4)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t columns = 1 + tiny_index(&state, SIDE_MAX), rows = 1 + tiny_index(&state, 9);
    ptrdiff_t block = (ptrdiff_t)1 << _i % 3, count = (columns + block - 1) / block;
    fill(left_numbers, (size_t)(rows * columns), &state);
    bool is_odd = false;
    float highest[SIDE_MAX], found[SIDE_MAX], least = INFINITY, most = -INFINITY;
    for (ptrdiff_t c = 0; c < count; c++)
        highest[c] = -INFINITY;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            float number = left_numbers[i * columns + j];
            is_odd = is_odd || isnan(number) || number == INFINITY;
            highest[j / block] = fmaxf(highest[j / block], number);
            most = fmaxf(most, number);
            least = number == -INFINITY ? least : fminf(least, number);
        }
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        float low, top;
        KernelRows in = {left_numbers, rows, columns, columns};
        bool good = kernel->blocks(&in, block, found, &low, &top);
        ck_assert_msg(good == !is_odd, "%s, %td x %td", kernel->name, rows, columns);
        ck_assert_msg(!good || (low == least && top == most), "%s, %td x %td: %a to %a",
                      kernel->name, rows, columns, (double)low, (double)top);
        for (ptrdiff_t c = 0; good && c < count; c++)
            ck_assert_msg(found[c] == highest[c], "%s, %td x %td, %td columns at once, block %td",
                          kernel->name, rows, columns, block, c);
    }
}

SLICE_TEST(levels_in_lanes_are_those_of_a_plain_loop, 300, 4)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t count = 1 + tiny_index(&state, SIDE_MAX);
    int places[SIDE_MAX + 16];
    float low = -0.5f, high = 0.75f;
    fill(left_numbers, (size_t)count, &state);
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_to_test(number)) != NULL; number++) {
        bool good = kernel->levels(count, left_numbers, low, high, 10.0f, places);
        bool all_finite = true;
        for (ptrdiff_t i = 0; i < count; i++) {
            float share = (left_numbers[i] - low) / (high - low);
            int place = (int)(fminf(fmaxf(share, 0.0f), 1.0f) * 10.0f + 0.5f);
            all_finite = all_finite && isfinite(left_numbers[i]);
            ck_assert_msg(!isfinite(left_numbers[i]) || places[i] == place, "%s, place %td of %td",
                          kernel->name, i, count);
        }
        ck_assert_msg(good == all_finite, "%s, %td", kernel->name, count);
    }
}

SUITE("matrix_product")
