// The fast matrix product and the stages' fast ways: the bits of the plain loop, for shapes with
// every kind of tail, strides, and numbers that are not tame.
#include "matrix_product.h"

#include <math.h>
#include <string.h>
#include "suite.h"
#include "tiny.h"

enum { SIDE_MAX = 70 };

static float left_numbers[SIDE_MAX * SIDE_MAX], right_numbers[SIDE_MAX * SIDE_MAX];
static float out_numbers[SIDE_MAX * SIDE_MAX], bias_numbers[SIDE_MAX];

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

// A matrix over the numbers, sometimes lying on its side.
static Tensor matrix(float numbers[], ptrdiff_t rows, ptrdiff_t columns, bool turned)
{
    Tensor t = tensor_over(numbers, DTYPE_F32, 2,
                           turned ? (ptrdiff_t[]){columns, rows} : (ptrdiff_t[]){rows, columns});
    return turned ? tensor_transpose(&t, 0, 1) : t;
}

START_TEST(the_tiles_give_the_bits_of_the_plain_loop)
{
    uint64_t state = (uint64_t)_i;
    ptrdiff_t rows = 1 + tiny_index(&state, SIDE_MAX), columns = 1 + tiny_index(&state, SIDE_MAX);
    ptrdiff_t depth = 1 + tiny_index(&state, SIDE_MAX);
    fill(left_numbers, SIDE_MAX * SIDE_MAX, &state);
    fill(right_numbers, SIDE_MAX * SIDE_MAX, &state);
    fill(bias_numbers, SIDE_MAX, &state);
    Tensor left = matrix(left_numbers, rows, depth, tiny_index(&state, 2));
    Tensor right = matrix(right_numbers, depth, columns, tiny_index(&state, 2));
    Tensor out = matrix(out_numbers, rows, columns, tiny_index(&state, 2));
    Tensor bias = tensor_over(bias_numbers, DTYPE_F32, 1, (ptrdiff_t[]){columns});
    bool with_bias = tiny_index(&state, 2);

    matrix_product(&left, &right, with_bias ? &bias : NULL, &out);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            float sum = 0.0f;
            for (ptrdiff_t k = 0; k < depth; k++)
                sum = fmaf(*tensor_at2(&left, i, k), *tensor_at2(&right, k, j), sum);
            float want = with_bias ? sum + bias_numbers[j] : sum;
            ck_assert_msg(same_bits(*tensor_at2(&out, i, j), want),
                          "%td x %td x %td, element %td %td: %a, the loop gives %a", rows, depth,
                          columns, i, j, (double)*tensor_at2(&out, i, j), (double)want);
        }
}
END_TEST

START_TEST(a_stages_fast_way_gives_the_bits_of_its_definition)
{
    static float defined[SIDE_MAX * SIDE_MAX], fast[SIDE_MAX * SIDE_MAX];
    static const char *const names[] = {"project", "score", "weighted_sum", "output_projection"};
    const Stage *stage = stage_find(names[_i % 4]);
    ck_assert(stage->fast != NULL);
    uint64_t state = (uint64_t)_i;
    fill(left_numbers, SIDE_MAX * SIDE_MAX, &state);
    fill(right_numbers, SIDE_MAX * SIDE_MAX, &state);
    StageOptions options = {.heads = 2};
    StageArgs args = {.options = &options};
    Error err;
    ptrdiff_t rows = 1 + tiny_index(&state, 20), columns = 1 + tiny_index(&state, 20);
    ptrdiff_t depth = 1 + tiny_index(&state, 20);
    bool is_linear = _i % 4 == 0 || _i % 4 == 3, is_score = _i % 4 == 1;
    if (is_linear) {
        args.in[0] = tensor_over(left_numbers, DTYPE_F32, 3, (ptrdiff_t[]){2, rows, depth});
        args.in[1] = tensor_over(right_numbers, DTYPE_F32, 2, (ptrdiff_t[]){columns, depth});
        args.out[0] = tensor_over(defined, DTYPE_F32, 3, (ptrdiff_t[]){2, rows, columns});
    } else {
        // heads as transpose leaves them: the token axis steps over all heads
        Tensor a = tensor_over(left_numbers, DTYPE_F32, 4, (ptrdiff_t[]){2, rows, 2, depth});
        Tensor b = tensor_over(right_numbers, DTYPE_F32, 4,
                               is_score ? (ptrdiff_t[]){2, columns, 2, depth}
                                        : (ptrdiff_t[]){2, depth, 2, columns});
        args.in[0] = tensor_transpose(&a, 1, 2);
        args.in[1] = tensor_transpose(&b, 1, 2);
        args.out[0] = tensor_over(defined, DTYPE_F32, 4, (ptrdiff_t[]){2, 2, rows, columns});
    }
    ptrdiff_t count = tensor_count(&args.out[0]);
    ck_assert(stage->run(&args, &err));
    args.out[0].storage.f32 = fast;
    ck_assert(stage->fast(&args, &err));
    for (ptrdiff_t i = 0; i < count; i++)
        ck_assert_msg(same_bits(defined[i], fast[i]), "%s: element %td: %a and %a", stage->name, i,
                      (double)defined[i], (double)fast[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("matrix_product");
    TCase *cases = tcase_create("bits");
    tcase_add_loop_test(cases, the_tiles_give_the_bits_of_the_plain_loop, 0, 400);
    tcase_add_loop_test(cases, a_stages_fast_way_gives_the_bits_of_its_definition, 0, 200);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
