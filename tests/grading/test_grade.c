// Tests of what the judge draws and lets pass: no two axes alike, and no other legal way of adding up
// is called wrong, let alone by a mistake's name.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "grade_internal.h"
#include "suite.h"
#include "tensor.h"

enum { TERMS_MAX = 1024, VARIANTS = 500 };

static uint64_t state;

// Any number: a linear congruential generator (Knuth, MMIX).
static unsigned any(unsigned limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % limit;
}

// --- correct variants

// Adds up in one of five legal ways: forwards, backwards, shuffled, pairwise, in double.
static float added(float terms[], int count, unsigned way)
{
    float sum = 0.0f;
    double wide = 0.0;
    for (int i = 0; i < count && way == 2; i++) {
        int other = i + (int)any((unsigned)(count - i));
        float kept = terms[i];
        terms[i] = terms[other];
        terms[other] = kept;
    }
    for (int width = 1; width < count && way == 3; width *= 2)
        for (int i = 0; i + width < count; i += 2 * width)
            terms[i] += terms[i + width];
    for (int i = 0; i < count; i++) {
        sum += way == 1 ? terms[count - 1 - i] : terms[i];
        wide += (double)terms[i];
    }
    return way == 3 ? terms[0] : way == 4 ? (float)wide : sum;
}

// out[b,l,o] = x[b,l,:] . weight[o,:] + bias[o], the bias first or last
static void vary_linear(StageArgs *args, unsigned way)
{
    const Tensor *x = &args->in[0], *weight = &args->in[1], *bias = &args->in[2];
    Tensor *out = &args->out[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        float terms[TERMS_MAX];
        int count = 0;
        for (ptrdiff_t d = 0; d < x->shape[2]; d++)
            terms[count++] = *tensor_at3(x, at[0], at[1], d) * *tensor_at2(weight, at[2], d);
        terms[count++] = *tensor_at1(bias, at[2]);
        *tensor_at3(out, at[0], at[1], at[2]) = added(terms, count, way);
    } while (tensor_next(out, at));
}

static void vary_score(StageArgs *args, unsigned way)
{
    Tensor *scores = &args->out[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        float terms[TERMS_MAX];
        int count = (int)args->in[0].shape[3];
        for (int d = 0; d < count; d++)
            terms[d] = *tensor_at4(&args->in[0], at[0], at[1], at[2], d) *
                       *tensor_at4(&args->in[1], at[0], at[1], at[3], d);
        *tensor_at4(scores, at[0], at[1], at[2], at[3]) = added(terms, count, way);
    } while (tensor_next(scores, at));
}

static void vary_weighted_sum(StageArgs *args, unsigned way)
{
    Tensor *context = &args->out[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        float terms[TERMS_MAX];
        int count = (int)args->in[1].shape[2];
        for (int j = 0; j < count; j++)
            terms[j] = *tensor_at4(&args->in[0], at[0], at[1], at[2], j) *
                       *tensor_at4(&args->in[1], at[0], at[1], j, at[3]);
        *tensor_at4(context, at[0], at[1], at[2], at[3]) = added(terms, count, way);
    } while (tensor_next(context, at));
}

// The C library's exp; minus the largest score or a little more; a division, a product, or a logarithm that is
// subtracted first.
static void vary_softmax(StageArgs *args, unsigned way)
{
    const Tensor *scores = &args->in[0];
    Tensor *weights = &args->out[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        float terms[TERMS_MAX], max = -INFINITY, extra = way == 1 ? 0.5f : 0.0f;
        int count = (int)scores->shape[3];
        for (int j = 0; j < count; j++)
            max = fmaxf(max, *tensor_at4(scores, at[0], at[1], at[2], j));
        for (int j = 0; j < count; j++)
            terms[j] = expf(*tensor_at4(scores, at[0], at[1], at[2], j) - max - extra);
        float own = terms[at[3]], sum = added(terms, count, way);
        float score = *tensor_at4(scores, at[0], at[1], at[2], at[3]);
        *tensor_at4(weights, at[0], at[1], at[2], at[3]) =
            way == 2   ? own * (1.0f / sum)
            : way == 3 ? expf(score - (max + extra + logf(sum)))
                       : own / sum;
    } while (tensor_next(weights, at));
}

// A product in the place of a division.
static void vary_scale(StageArgs *args, unsigned way)
{
    Tensor *scaled = &args->out[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    float factor = way < 3 ? 1.0f / args->options->scale : powf(args->options->scale, -1.0f);
    do
        *tensor_at4(scaled, at[0], at[1], at[2], at[3]) =
            *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]) * factor;
    while (tensor_next(scaled, at));
}

static const struct {
    const char *exercise;
    unsigned wishes;
    void (*vary)(StageArgs *args, unsigned way);
} variants[] = {
    {"project", GRADE_BIAS, vary_linear},
    {"score", GRADE_CROSS, vary_score},
    {"scale", GRADE_MASK_FIRST | GRADE_CAUSAL, vary_scale},
    {"softmax", GRADE_CAUSAL | GRADE_PADDING, vary_softmax},
    {"softmax", GRADE_CAUSAL | GRADE_LARGE, vary_softmax},
    {"weighted-sum", GRADE_CAUSAL, vary_weighted_sum},
    {"output-projection", GRADE_BIAS | GRADE_SQUARE, vary_linear},
};

LOOP_TEST(a_correct_variant_passes_and_is_called_nothing, sizeof variants / sizeof *variants)
{
    const GradeExercise *exercise = grade_find(variants[_i].exercise);
    ck_assert_ptr_nonnull(exercise);
    for (int i = 0; i < VARIANTS; i++) {
        GradeCase drawn;
        const char *names[VERDICT_MISTAKES_MAX];
        grade_case_open(&drawn, exercise, variants[_i].wishes, NULL,
                        i % 2 == 1 ? &grade_hidden : &grade_shown, (uint64_t)i);
        for (unsigned way = 0; way < 5; way++) {
            variants[_i].vary(&drawn.given, way);
            TensorDifference difference =
                grade_difference(&drawn, &drawn.given.out[0], &drawn.expected[0]);
            ck_assert_msg(difference.kind == DIFFERENCE_NONE,
                          "%s, seed %d, way %u: %td differ by %g", exercise->name, i, way,
                          difference.count, difference.worst);
        }
        ck_assert_int_eq(grade_case_mistakes(&drawn, exercise, names), 0);
        grade_case_close(&drawn);
    }
}

// A tenth more is no known mistake and no legal sum.
TEST(what_is_in_no_bank_is_wrong_and_called_nothing)
{
    const GradeExercise *exercise = grade_find("score");
    GradeCase drawn;
    const char *names[VERDICT_MISTAKES_MAX];
    grade_case_open(&drawn, exercise, GRADE_PLAIN, NULL, &grade_shown, 5);
    vary_score(&drawn.given, 0);
    Tensor *scores = &drawn.given.out[0];
    for (ptrdiff_t i = 0; i < tensor_count(scores); i++)
        scores->storage.f32[i] *= 1.1f;
    ck_assert_int_eq(tensor_difference(scores, &drawn.expected[0]).kind, DIFFERENCE_NUMBER);
    ck_assert_int_eq(grade_case_mistakes(&drawn, exercise, names), 0);
    grade_case_close(&drawn);
}

// A learner who fills with 0 has to see which id it was.
TEST(what_was_given_tells_the_numbers_that_are_no_tensors)
{
    GradeCase drawn;
    Arena arena = {0};
    char words[64];
    grade_case_open(&drawn, grade_find("pad"), GRADE_OTHER_PAD, NULL, &grade_shown, 5);
    snprintf(words, sizeof words, ", pad_id = %d", (int)drawn.scenario.options.pad_id);
    ck_assert_int_ne(drawn.scenario.options.pad_id, 0);
    ck_assert_ptr_nonnull(strstr(grade_given(&drawn, &arena), words));
    grade_case_close(&drawn);
    // score takes tensors and nothing else.
    grade_case_open(&drawn, grade_find("score"), GRADE_PLAIN, NULL, &grade_shown, 5);
    ck_assert_ptr_null(strchr(grade_given(&drawn, &arena), '='));
    grade_case_close(&drawn);
    arena_finish(&arena);
}

// --- draws

static const unsigned wishes[] = {
    GRADE_PLAIN,     GRADE_CAUSAL | GRADE_PADDING, GRADE_CROSS | GRADE_BIAS,
    GRADE_POSITIONS, GRADE_LARGE | GRADE_CAUSAL,   GRADE_OTHER_PAD | GRADE_DROPOUT,
    GRADE_MORE_KEYS,
};

LOOP_TEST(no_two_axes_are_alike_and_no_two_sequences, sizeof wishes / sizeof *wishes)
{
    static const Symbol axes[] = {SYMBOL_B,  SYMBOL_H,   SYMBOL_LQ,  SYMBOL_LK,
                                  SYMBOL_V,  SYMBOL_DIN, SYMBOL_D_K, SYMBOL_D_V,
                                  SYMBOL_DK, SYMBOL_DV,  SYMBOL_DOUT};
    enum { AXES = sizeof axes / sizeof *axes };
    bool crosses = wishes[_i] & GRADE_CROSS;
    for (int seed = 0; seed < 200; seed++)
        for (int hidden = 0; hidden < 2; hidden++) {
            Scenario scenario;
            grade_scenario(&scenario, wishes[_i], hidden ? &grade_hidden : &grade_shown,
                           (uint64_t)seed);
            for (int i = 0; i < AXES; i++)
                for (int j = 0; j < i; j++)
                    if (crosses || axes[i] != SYMBOL_LK || axes[j] != SYMBOL_LQ)
                        ck_assert_int_ne(scenario.size[axes[i]], scenario.size[axes[j]]);
            ck_assert_int_ge(scenario.size[SYMBOL_H], 2);
            ck_assert_int_eq(scenario.size[SYMBOL_B], hidden ? 3 : 2);
            const ScenarioTensor *lengths = scenario_tensor(&scenario, "lengths");
            for (ptrdiff_t b = 1; lengths && b < scenario.size[SYMBOL_B]; b++)
                ck_assert_int_ne(lengths->tensor.storage.i64[b], lengths->tensor.storage.i64[0]);
            scenario_finish(&scenario);
        }
}

// In memory of its own a tensor has offset 0, and of axes longer than 1 the last one steps by 1.
TEST(inputs_that_are_spread_lie_in_no_order_of_their_own)
{
    static const char *const exercises[] = {"view", "score", "concat-backward"};
    for (int e = 0; e < 3; e++) {
        GradeCase drawn;
        grade_case_open(&drawn, grade_find(exercises[e]), GRADE_STRIDED | GRADE_BACKWARD, NULL,
                        &grade_shown, 7);
        const Tensor *in = &drawn.given.in[0];
        ck_assert_int_gt(in->offset, 0);
        ptrdiff_t usual = 1;
        for (int axis = in->rank - 1; axis >= 0; axis--) {
            ck_assert_int_ne(in->stride[axis], usual);
            usual *= in->shape[axis];
        }
        grade_case_close(&drawn);
    }
}

TEST(numbers_that_are_no_tensors_vary)
{
    double seen[2][200];
    int count[2] = {0, 0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        Scenario scenario;
        grade_scenario(&scenario, GRADE_DROPOUT | GRADE_UPDATE, &grade_shown, seed);
        const double now[] = {scenario.options.dropout_p, (double)scenario.options.rate};
        ck_assert(now[0] > 0.0 && now[0] < 1.0 && now[0] != 0.5);
        for (int which = 0; which < 2; which++) {
            bool is_new = true;
            for (int i = 0; i < count[which]; i++)
                is_new = is_new && seen[which][i] != now[which];
            if (is_new)
                seen[which][count[which]++] = now[which];
        }
        scenario_finish(&scenario);
    }
    ck_assert_int_ge(count[0], 4);
    ck_assert_int_ge(count[1], 4);
}

static float largest(const Tensor *tensor)
{
    float size = 0.0f;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        float number = fabsf(tensor->storage.f32[tensor_place(tensor, at)]);
        size = isfinite(number) ? fmaxf(size, number) : size;
    } while (tensor_next(tensor, at));
    return size;
}

// e^88.8 is more than a float holds.
TEST(large_scores_overflow_where_the_largest_is_not_subtracted)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        GradeCase drawn;
        grade_case_open(&drawn, grade_find("softmax"), GRADE_CAUSAL | GRADE_LARGE, NULL,
                        seed % 2 ? &grade_hidden : &grade_shown, seed);
        ck_assert_float_gt(largest(&drawn.given.in[0]), 89.0f);
        grade_case_close(&drawn);
    }
}

TEST(the_same_seed_draws_the_same_numbers_and_another_one_others)
{
    Scenario a, b, c;
    grade_scenario(&a, GRADE_PLAIN, &grade_shown, 3);
    grade_scenario(&b, GRADE_PLAIN, &grade_shown, 3);
    grade_scenario(&c, GRADE_PLAIN, &grade_shown, 4);
    const Tensor *first = &scenario_tensor(&a, "q_proj.weight")->tensor;
    const Tensor *second = &scenario_tensor(&b, "q_proj.weight")->tensor;
    const Tensor *third = &scenario_tensor(&c, "q_proj.weight")->tensor;
    ck_assert_int_eq(tensor_difference(first, second).kind, DIFFERENCE_NONE);
    ck_assert_int_ne(tensor_difference(first, third).kind, DIFFERENCE_NONE);
    scenario_finish(&a);
    scenario_finish(&b);
    scenario_finish(&c);
}

SUITE("grade")
