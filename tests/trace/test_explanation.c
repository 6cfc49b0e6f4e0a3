// What the origin panel reads: the kept terms of one element. For every element of every stage of
// every tiny pipeline they are what trace_origin tells, and end in the stored bits.
#include "trace.h"

#include "suite.h"
#include "tiny.h"

#include <math.h>
#include <string.h>

static Error err;

static void open_tiny(int number, Scenario *scenario, Trace *trace)
{
    tiny_scenario(scenario, tiny_shapes[number], (uint64_t)number + 1);
    ck_assert_msg(trace_open(trace, scenario, &err) && trace_run(trace, &err), "%s", err.text);
}

static void close_all(Scenario *scenario, Trace *trace, Explanation *explanation)
{
    explanation_finish(explanation);
    trace_close(trace);
    scenario_finish(scenario);
}

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return isnan(number) ? 0x7fc00000 : bits;
}

static float stored(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    return tensor->dtype == DTYPE_F32   ? tensor->storage.f32[place]
           : tensor->dtype == DTYPE_I64 ? (float)tensor->storage.i64[place]
                                        : (float)tensor->storage.boolean[place];
}

// --- the law

// Compares what is told now with what was kept.
typedef struct Comparison {
    const Explanation *explanation;
    ptrdiff_t told;
} Comparison;

static void compare(void *context, const TraceTerm *term)
{
    Comparison *comparison = context;
    ck_assert_int_lt(comparison->told, comparison->explanation->count);
    const TraceTerm *kept = &comparison->explanation->terms[comparison->told++];
    ck_assert_int_eq(kept->kind, term->kind);
    ck_assert_int_eq(kept->source_count, term->source_count);
    for (int source = 0; source < term->source_count; source++) {
        ck_assert_int_eq(kept->sources[source].tensor, term->sources[source].tensor);
        ck_assert_mem_eq(kept->sources[source].at, term->sources[source].at,
                         sizeof term->sources[source].at);
    }
    ck_assert_uint_eq(bits_of(kept->running), bits_of(term->running));
}

// The sizes of all listed terms that some tensor holds: the count that a mean divides by has no share of the sum.
static double sizes_of(const Explanation *explanation)
{
    double together = 0.0;
    for (ptrdiff_t number = 0; number < explanation->listed; number++) {
        const TraceTerm *term = explanation_term(explanation, number);
        bool counts = term->source_count > 0 && !isnan(term->value);
        together += counts ? fabs((double)term->value) : 0.0;
    }
    return together;
}

SLICE_TEST(kept_terms_are_the_told_ones_and_end_in_the_stored_bits, tiny_shape_count, 1)
{
    Scenario scenario;
    Trace trace;
    Explanation explanation = {.count = 0};
    open_tiny(_i, &scenario, &trace);
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *tensor = &trace.tensors[number].tensor;
        bool given = trace.tensors[number].step < 0;
        TraceCell cell = {.tensor = number};
        for (bool more = true; more; more = tensor_next(tensor, cell.at)) {
            ck_assert(explanation_make(&explanation, &trace, cell, &err));
            ck_assert_int_eq(explanation.count == 0, given);
            if (given)
                continue;
            Comparison comparison = {&explanation, 0};
            trace_origin(&trace, cell, compare, &comparison);
            ck_assert_int_eq(comparison.told, explanation.count);
            float last = explanation.terms[explanation.count - 1].running;
            ck_assert_uint_eq(bits_of(last), bits_of(stored(tensor, cell.at)));
            ck_assert(explanation.exact);
            double sizes = sizes_of(&explanation);
            if (isfinite(sizes))
                ck_assert_double_le(fabs(sizes - explanation.together), 1e-9 * sizes);
        }
    }
    close_all(&scenario, &trace, &explanation);
}

// --- one query with head width 4 and one key: every number can be told by hand

enum { WIDTH = 4 };

static void open_scores(const float q[WIDTH], const float k[WIDTH], Scenario *scenario,
                        Trace *trace)
{
    static const Symbol widths[] = {SYMBOL_D_K, SYMBOL_D_V, SYMBOL_DK, SYMBOL_DV};
    static float numbers[3][WIDTH];
    static const char *const roles[] = {"q", "k", "v"};
    *scenario = (Scenario){.name = "by hand", .options = {.heads = 1, .scale = 1}};
    scenario->size[SYMBOL_B] = 1;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LQ] = scenario->size[SYMBOL_LK] = 1;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        scenario->size[widths[i]] = WIDTH;
    memcpy(numbers[0], q, sizeof numbers[0]);
    memcpy(numbers[1], k, sizeof numbers[1]);
    for (int i = 0; i < 3; i++)
        scenario_add(scenario, roles[i], roles[i],
                     tensor_over(numbers[i], DTYPE_F32, 3, (ptrdiff_t[]){1, 1, WIDTH}), "by hand");
    ck_assert_msg(trace_open(trace, scenario, &err) && trace_run(trace, &err), "%s", err.text);
}

TEST(terms_are_ranked_by_size_with_their_share_of_the_sum_of_sizes)
{
    // products 1, -6, 2, 1: sizes 6, 2, 1, 1 together 10, so 60 %, 80 %, 90 %, 100 %
    static const int order[] = {1, 2, 0, 3};
    static const double up_to[] = {6, 8, 9, 10};
    Scenario scenario;
    Trace trace;
    Explanation explanation = {.count = 0};
    open_scores((float[]){1, 2, -1, 1}, (float[]){1, -3, -2, 1}, &scenario, &trace);
    TraceCell score = {.tensor = trace_find(&trace, "scores")};
    ck_assert(explanation_make(&explanation, &trace, score, &err));
    ck_assert_int_eq(explanation.listed, WIDTH);
    for (int rank = 0; rank < WIDTH; rank++) {
        ck_assert_int_eq(explanation.by_size[rank].number, order[rank]);
        ck_assert_double_eq(explanation.by_size[rank].up_to, up_to[rank]);
    }
    ck_assert_double_eq(explanation.largest, 6.0);
    ck_assert_double_eq(explanation.together, 10.0);
    ck_assert_float_eq(explanation.terms[WIDTH - 1].running, -2.0f); // 1 - 6 + 2 + 1
    ck_assert_int_eq(explanation_axis(&explanation, 0), 2);
    ck_assert_int_eq(explanation_axis(&explanation, 1), 2);
    ck_assert_int_eq(explanation_axis(&explanation, 2), -1);
    ck_assert_int_eq(explanation.first_nan, -1);
    close_all(&scenario, &trace, &explanation);
}

TEST(the_first_term_that_makes_nan_is_known_and_ranks_first)
{
    // 1*1, then infinity * 0 = NaN, and NaN stays
    Scenario scenario;
    Trace trace;
    Explanation explanation = {.count = 0};
    open_scores((float[]){1, INFINITY, 9, 9}, (float[]){1, 0, 9, 9}, &scenario, &trace);
    TraceCell score = {.tensor = trace_find(&trace, "scores")};
    ck_assert(explanation_make(&explanation, &trace, score, &err));
    ck_assert_int_eq(explanation.first_nan, 1);
    ck_assert_int_eq(explanation.by_size[0].number, 1);
    ck_assert_double_eq(explanation.together, 163.0); // 1 + 81 + 81
    ck_assert(explanation.exact);
    close_all(&scenario, &trace, &explanation);
}

TEST(of_a_softmax_the_exps_are_listed_and_the_own_one_is_known)
{
    Scenario scenario;
    Trace trace;
    Explanation explanation = {.count = 0};
    open_tiny(0, &scenario, &trace); // 3 keys
    TraceCell weight = {trace_find(&trace, "attn_weights"), {1, 1, 2, 1}};
    ck_assert(explanation_make(&explanation, &trace, weight, &err));
    ck_assert_int_eq(explanation.count, 3 + 3 + 2);
    ck_assert_int_eq(explanation.first, 3);
    ck_assert_int_eq(explanation.listed, 3);
    ck_assert_int_eq(explanation.own, 1);
    for (ptrdiff_t j = 0; j < 3; j++) {
        const TraceTerm *term = explanation_term(&explanation, j);
        ck_assert_int_eq(term->kind, TERM_EXP);
        ck_assert_int_eq(term->sources[0].at[3], j);
    }
    ck_assert_int_eq(explanation_axis(&explanation, 0), 3);
    close_all(&scenario, &trace, &explanation);
}

TEST(an_input_has_no_terms_and_a_zeroed_explanation_can_be_finished)
{
    Scenario scenario;
    Trace trace;
    Explanation explanation = {.count = 0};
    explanation_finish(&explanation);
    open_tiny(0, &scenario, &trace);
    TraceCell weight = {trace_find(&trace, "q_proj.weight"), {1, 2}};
    ck_assert(explanation_make(&explanation, &trace, weight, &err));
    ck_assert_int_eq(explanation.count, 0);
    ck_assert_int_eq(explanation.listed, 0);
    ck_assert_int_eq(explanation_axis(&explanation, 0), -1);
    close_all(&scenario, &trace, &explanation);
}

SUITE("explanation")
