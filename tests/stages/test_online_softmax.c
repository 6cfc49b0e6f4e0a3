// The online softmax: its states by hand, its result against the plain softmax, with blocks of every width.
#include <math.h>
#include <string.h>
#include "stage.h"
#include "suite.h"
#include "tiny.h"
#include "trace.h"

enum { KEYS = 6, BLOCKS = 3 };

// --- by hand

// One query whose six scores come in blocks of two; the second block is masked. Values of one number.
//
//   block 0  scores 1, 3         max 3   weights e^-2, 1   sum 1 + e^-2    output 2 + e^-2
//   block 1  scores -inf, -inf   max 3   weights 0, 0      the same
//   block 2  scores 2, 5         max 5   rescale e^-2      weights e^-3, 1
//            sum    (1 + e^-2) e^-2 + 1 + e^-3      = 0.135335 + 0.018316 + 1 + 0.049787
//            output (2 + e^-2) e^-2 + 6 + 5 e^-3    = 0.270671 + 0.018316 + 6 + 0.248935
//   result   6.537921 / 1.203438 = 5.432703, what softmax([1, 3, 2, 5]) . [1, 2, 5, 6] is in PyTorch
static float scores[KEYS] = {1.0f, 3.0f, -INFINITY, -INFINITY, 2.0f, 5.0f};
static float v[KEYS] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
static float max[BLOCKS], weights[KEYS], rescale[BLOCKS], sum[BLOCKS], output[BLOCKS], context[1];

static Tensor row(float numbers[], int rank, ptrdiff_t blocks, ptrdiff_t columns)
{
    ptrdiff_t flat[] = {1, 1, blocks, columns}, deep[] = {1, 1, blocks, columns, 1};
    return tensor_over(numbers, DTYPE_F32, rank, rank == 5 ? deep : flat);
}

static void run(const char *name, StageArgs args, ptrdiff_t block)
{
    Error err;
    StageOptions options = {.softmax_block = block};
    args.options = &options;
    ck_assert(stage_find(name)->run(&args, &err));
}

static void run_all(ptrdiff_t block, ptrdiff_t blocks)
{
    Tensor s = row(scores, 4, 1, KEYS), p = row(weights, 4, 1, KEYS), values = row(v, 4, KEYS, 1);
    Tensor m = row(max, 4, blocks, 1), a = row(rescale, 4, blocks, 1), l = row(sum, 4, blocks, 1);
    Tensor o = row(output, 5, blocks, 1), result = row(context, 4, 1, 1);
    run("running_max", (StageArgs){.in = {s}, .out = {m}}, block);
    run("block_weights", (StageArgs){.in = {s, m}, .out = {p}}, block);
    run("rescale", (StageArgs){.in = {m}, .out = {a}}, block);
    run("running_sum", (StageArgs){.in = {p, a}, .out = {l}}, block);
    run("running_output", (StageArgs){.in = {p, values, a}, .out = {o}}, block);
    run("normalise", (StageArgs){.in = {o, l}, .out = {result}}, block);
}

static void check_numbers(const char *name, const float got[], const double want[], int count)
{
    for (int i = 0; i < count; i++)
        ck_assert_msg(fabs((double)got[i] - want[i]) < 1e-6, "%s[%d] is %.9g, not %.9g", name, i,
                      (double)got[i], want[i]);
}

START_TEST(states_are_those_by_hand)
{
    run_all(2, BLOCKS);
    check_numbers("running_max", max, (double[]){3, 3, 5}, BLOCKS);
    check_numbers("block_weights", weights, (double[]){0.13533528, 1, 0, 0, 0.04978707, 1}, KEYS);
    check_numbers("rescale", rescale, (double[]){0, 1, 0.13533528}, BLOCKS);
    check_numbers("running_sum", sum, (double[]){1.13533528, 1.13533528, 1.20343799}, BLOCKS);
    check_numbers("running_output", output, (double[]){2.13533528, 2.13533528, 6.53792127}, BLOCKS);
    check_numbers("context", context, (double[]){5.43270309}, 1);
}

// torch.softmax of a row of -inf is NaN; so is what one with a NaN gives.
START_TEST(rows_without_a_key_are_nan_as_in_pytorch)
{
    float kept[KEYS];
    memcpy(kept, scores, sizeof kept);
    for (int i = 0; i < KEYS; i++)
        scores[i] = -INFINITY;
    run_all(2, BLOCKS);
    ck_assert(sum[BLOCKS - 1] == 0.0f && isnan(context[0]));
    memcpy(scores, kept, sizeof kept);
    scores[2] = NAN;
    run_all(2, BLOCKS);
    ck_assert(!isnan(max[0]) && isnan(max[1]) && isnan(max[2]) && isnan(context[0]));
    memcpy(scores, kept, sizeof kept);
    scores[0] = scores[1] = -INFINITY; // the first block alone: no exponential of inf - inf
    run_all(2, BLOCKS);
    check_numbers("context", context, (double[]){5.95257413}, 1);
    memcpy(scores, kept, sizeof kept);
}

// --- against softmax and weighted_sum

static const Tensor *context_of(Trace *trace, const Scenario *scenario)
{
    Error err;
    ck_assert_msg(trace_open(trace, scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(trace, &err), "%s", err.text);
    return &trace->tensors[trace_find(trace, "context_heads")].tensor;
}

static double largest_value(const Trace *trace)
{
    const Tensor *values = &trace->tensors[trace_find(trace, "v_heads")].tensor;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0;
    do
        largest = fmax(largest, fabs((double)values->storage.f32[tensor_place(values, at)]));
    while (tensor_next(values, at));
    return largest;
}

// Both are within rounding of the true mixture: each of the Lk terms, and each of the `blocks` rescalings,
// rounds by at most 2^-24 of a number that is at most max|v|; e^x and the quotient add a few more. So they
// are apart by at most this times max|v|:
static double bound(ptrdiff_t keys, ptrdiff_t blocks)
{
    return (double)(2 * keys + 3 * blocks + 12) * 0x1p-24;
}

START_TEST(the_result_is_that_of_softmax_up_to_rounding)
{
    TinyShape shape = tiny_causal(2, 2, 9);
    Scenario plain, online;
    Trace plainly, by_blocks;
    tiny_scenario(&plain, shape, 5);
    const Tensor *wanted = context_of(&plainly, &plain);
    shape.options.softmax_block = _i;
    tiny_scenario(&online, shape, 5);
    const Tensor *got = context_of(&by_blocks, &online);
    double most = bound(9, (9 + _i - 1) / _i) * largest_value(&plainly);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        double a = (double)wanted->storage.f32[tensor_place(wanted, at)];
        double b = (double)got->storage.f32[tensor_place(got, at)];
        ck_assert_msg(fabs(a - b) <= most, "blocks of %d: %.9g, not %.9g", _i, b, a);
    } while (tensor_next(wanted, at));
    trace_close(&plainly);
    trace_close(&by_blocks);
    scenario_finish(&plain);
    scenario_finish(&online);
}

// --- the way back

static double apart(const Trace *one, const Trace *other, const char *name, double *largest)
{
    const Tensor *a = &one->tensors[trace_find(one, name)].tensor;
    const Tensor *b = &other->tensors[trace_find(other, name)].tensor;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double most = 0.0;
    *largest = 0.0;
    do {
        double number = (double)a->storage.f32[tensor_place(a, at)];
        most = fmax(most, fabs(number - (double)b->storage.f32[tensor_place(b, at)]));
        *largest = fmax(*largest, fabs(number));
    } while (tensor_next(a, at));
    return most;
}

// Those of softmax over whole rows are PyTorch's (golden data, tests/torch/gradients.py).
START_TEST(gradients_are_those_of_softmax)
{
    static const char *const names[] = {"grad.q_proj.weight", "grad.k_proj.weight",
                                        "grad.v_proj.weight", "grad.x"};
    TinyShape shape = tiny_causal(2, 2, 7);
    Scenario plain, online;
    Trace plainly, by_blocks;
    shape.backward = true;
    tiny_scenario(&plain, shape, 5);
    context_of(&plainly, &plain);
    shape.options.softmax_block = _i;
    tiny_scenario(&online, shape, 5);
    context_of(&by_blocks, &online);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        double largest, most = apart(&plainly, &by_blocks, names[n], &largest);
        ck_assert_msg(largest > 0.0 && most <= 4e-6 * largest, "%s: %g of %g", names[n], most,
                      largest);
    }
    ck_assert_int_lt(trace_find(&by_blocks, "attn_weights"), 0);
    trace_close(&plainly);
    trace_close(&by_blocks);
    scenario_finish(&plain);
    scenario_finish(&online);
}

int main(void)
{
    Suite *suite = suite_create("online_softmax");
    TCase *cases = tcase_create("online_softmax");
    tcase_add_test(cases, states_are_those_by_hand);
    tcase_add_test(cases, rows_without_a_key_are_nan_as_in_pytorch);
    tcase_add_loop_test(cases, the_result_is_that_of_softmax_up_to_rounding, 1, 11);
    tcase_add_loop_test(cases, gradients_are_those_of_softmax, 1, 9);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
