// Which mistake made these numbers: the right name for each, none for numbers that are right, and
// none for numbers that are wrong in some other way.
#include "mistake.h"
#include "suite.h"
#include "tiny.h"

#include <math.h>
#include <string.h>

// Everything there is, and no two sizes the same: ids and padding, positions, heads, bias, a causal
// mask, dropout.
static const TinyShape everything = {.batch = 4,
                                     .queries = 5,
                                     .keys = 5,
                                     .heads = 3,
                                     .d_k = 2,
                                     .d_v = 2,
                                     .d_in = 7,
                                     .d_out = 8,
                                     .vocabulary = 11,
                                     .bias = true,
                                     .padding = true,
                                     .positions = true,
                                     .causal = true,
                                     .dropout = true,
                                     .update = true};

// What a few mistakes need besides, to show.
static void provoke(Scenario *scenario, const char *mistake)
{
    Error err = {.text = ""};
    if (strcmp(mistake, "dropout-in-evaluation") == 0) {
        scenario->with_dropout = false;
        scenario->options.dropout_p = 0.0;
    }
    if (strcmp(mistake, "softmax-without-maximum") == 0) {
        const Tensor *weight = &scenario_tensor(scenario, "q_proj.weight")->tensor;
        for (ptrdiff_t i = 0; i < tensor_count(weight); i++)
            weight->storage.f32[i] *= 500.0f;
    }
    if (strcmp(mistake, "mask-gradient-leaks") == 0)
        scenario->options.mask_value = -2.0f;
    if (strcmp(mistake, "mask-ten-thousand") == 0) {
        Tensor mask;
        ck_assert(tensor_take(&scenario->arena, DTYPE_BOOL, 2, (ptrdiff_t[]){5, 5}, &mask, &err));
        for (ptrdiff_t j = 0; j < 5; j++)
            *tensor_flag2(&mask, 2, j) = 1;
        scenario_add(scenario, "mask", "mask", mask, "test");
    }
}

typedef struct Pair {
    Scenario scenario;
    Trace right, wrong;
} Pair;

static void open_pair(Pair *pair, uint64_t seed, const Mistake *mistake,
                      const TraceVariant *variant)
{
    Error err = {.text = ""};
    tiny_scenario(&pair->scenario, everything, seed);
    pair->scenario.backward = mistake && mistake_is_backward(mistake);
    if (mistake)
        provoke(&pair->scenario, mistake->name);
    ck_assert_msg(trace_open(&pair->right, &pair->scenario, &err) && trace_run(&pair->right, &err),
                  "%s", err.text);
    ck_assert_msg(trace_open_variant(&pair->wrong, &pair->scenario, variant, &err) &&
                      trace_run(&pair->wrong, &err),
                  "%s", err.text);
}

static void close_pair(Pair *pair)
{
    trace_close(&pair->wrong);
    trace_close(&pair->right);
    scenario_finish(&pair->scenario);
}

// A step of the right plan with the inputs and outputs that the other way has for it; false where
// that way has none.
static bool step_of_wrong(const Pair *pair, int step, StageArgs *args)
{
    Error err = {.text = ""};
    Trace mixed = pair->right;
    for (int i = 0; i < mixed.tensor_count; i++) {
        int other = trace_find(&pair->wrong, mixed.tensors[i].name);
        if (other < 0)
            return false;
        mixed.tensors[i].tensor = pair->wrong.tensors[other].tensor;
    }
    ck_assert_msg(trace_arguments(&mixed, step, args, &err), "%s", err.text);
    return true;
}

static int recognise(const Pair *pair, const char *tensor, const Mistake *found[MISTAKE_FOUND_MAX])
{
    Error err;
    const TraceTensor *wrong = &pair->wrong.tensors[trace_find(&pair->wrong, tensor)];
    return mistake_recognise_tensor(&pair->right, trace_find(&pair->right, tensor), &wrong->tensor,
                                    found, &err);
}

// Where a chain ends that has the mistake in it.
static const char *end_of_chain(const Mistake *mistake)
{
    bool is_bias = strcmp(mistake->name, "bias-gradient-of-one-sequence") == 0;
    return strcmp(mistake->name, "moments-not-corrected") == 0 ? "parameter_next"
           : is_bias                                           ? "grad.q_proj.bias"
           : mistake_is_backward(mistake)                      ? "grad.x"
                                                               : "output";
}

static bool is_same(const Mistake *a, const Mistake *b)
{
    return a == b || (a->same_as && mistake_find(a->same_as) == b) ||
           (b->same_as && mistake_find(b->same_as) == a);
}

// Nothing is found but the mistake and what nothing tells from it. Whether it is among them.
static bool is_named(const Mistake *mistake, int count, const Mistake *const found[])
{
    bool named = false;
    for (int i = 0; i < count; i++) {
        named = named || found[i] == mistake;
        ck_assert_msg(is_same(found[i], mistake), "%s is taken for %s", mistake->name,
                      found[i]->name);
    }
    return named;
}

enum { SEEDS = 5 };

SLICE_TEST(at_the_end_of_the_chain_every_mistake_has_its_own_name, SEEDS, SEEDS)
{
    for (int i = 0; mistake_get(i); i++) {
        Pair pair;
        const Mistake *mistake = mistake_get(i), *found[MISTAKE_FOUND_MAX];
        open_pair(&pair, (uint64_t)_i, mistake, &(TraceVariant){.stages = mistake->stages});
        const Words *why = mistake_cannot_show(mistake, &pair.scenario);
        ck_assert_msg(!why, "%s: %s", mistake->name, words_tell(*why));
        ck_assert_msg(is_named(mistake, recognise(&pair, end_of_chain(mistake), found), found),
                      "%s is not recognised", mistake->name);
        close_pair(&pair);
    }
}

SLICE_TEST(at_its_own_step_every_mistake_has_its_own_name, SEEDS, SEEDS)
{
    for (int i = 0; mistake_get(i); i++) {
        Pair pair;
        Error err = {.text = ""};
        const Mistake *mistake = mistake_get(i), *found[MISTAKE_FOUND_MAX];
        open_pair(&pair, (uint64_t)_i, mistake, &(TraceVariant){.stages = mistake->stages});
        // One that makes a step more has none of the right plan; one that is whole only together
        // has none to itself.
        bool named = mistake->together || pair.wrong.step_count != pair.right.step_count;
        for (int step = 0; step < pair.right.step_count; step++) {
            StageArgs args;
            if (mistake->together || !step_of_wrong(&pair, step, &args))
                continue;
            int count = mistake_recognise_step(&pair.right, step, &args, found, &err);
            ck_assert_msg(count >= 0, "%s", err.text);
            named = is_named(mistake, count, found) || named;
        }
        ck_assert_msg(named, "%s is recognised at no step", mistake->name);
        close_pair(&pair);
    }
}

LOOP_TEST(other_wrong_numbers_have_no_name, SEEDS)
{
    Pair pair;
    Error err = {.text = ""};
    const Mistake *found[MISTAKE_FOUND_MAX];
    open_pair(&pair, (uint64_t)_i, NULL, NULL);
    for (int step = 0; step < pair.right.step_count; step++) {
        StageArgs args;
        ck_assert(trace_arguments(&pair.wrong, step, &args, &err));
        ck_assert_int_eq(mistake_recognise_step(&pair.right, step, &args, found, &err), 0);
        const Tensor *out = &args.out[pair.right.steps[step].stage->main_output];
        ptrdiff_t first[TENSOR_RANK_MAX] = {0};
        if (out->dtype != DTYPE_F32)
            continue;
        out->storage.f32[tensor_place(out, first)] += 0.25f;
        ck_assert_int_eq(mistake_recognise_step(&pair.right, step, &args, found, &err), 0);
        out->storage.f32[tensor_place(out, first)] -= 0.25f;
    }
    close_pair(&pair);
}

// --- right numbers that were added up otherwise

typedef enum Order { ORDER_BACKWARDS, ORDER_PAIRWISE, ORDER_DOUBLE, ORDER_UNFUSED, ORDERS } Order;

enum { TERMS_MAX = 16 };

// Sums of a right result in another order; `order` is what a person's loop may well do.
static float sum_of(Order order, int count, const float left[], const float right[])
{
    if (order == ORDER_PAIRWISE && count > 1)
        return sum_of(order, count / 2, left, right) +
               sum_of(order, count - count / 2, left + count / 2, right + count / 2);
    double wide = 0.0;
    float sum = 0.0f;
    for (int n = 0; n < count; n++) {
        int at = order == ORDER_BACKWARDS ? count - 1 - n : n;
        float product = left[at] * right[at];
        sum += product;
        wide += (double)left[at] * (double)right[at];
    }
    return order == ORDER_DOUBLE ? (float)wide : sum;
}

// A linear layer whose weight has a row for each output.
static void linear(Order order, StageArgs *args)
{
    const Tensor *x = &args->in[0], *weight = &args->in[1], *bias = &args->in[2];
    const Tensor *out = &args->out[0];
    float left[TERMS_MAX], right[TERMS_MAX];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(out, at)) {
        for (int d = 0; d < (int)x->shape[2]; d++) {
            left[d] = *tensor_at3(x, at[0], at[1], d);
            right[d] = *tensor_at2(weight, at[2], d);
        }
        *tensor_at3(out, at[0], at[1], at[2]) =
            sum_of(order, (int)x->shape[2], left, right) + *tensor_at1(bias, at[2]);
    }
}

// scores from q and k, or the context from weights and v.
static void heads_product(Order order, StageArgs *args, bool k_by_rows)
{
    const Tensor *a = &args->in[0], *b = &args->in[1], *out = &args->out[0];
    float left[TERMS_MAX], right[TERMS_MAX];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(out, at)) {
        for (int n = 0; n < (int)a->shape[3]; n++) {
            left[n] = *tensor_at4(a, at[0], at[1], at[2], n);
            right[n] = k_by_rows ? *tensor_at4(b, at[0], at[1], at[3], n)
                                 : *tensor_at4(b, at[0], at[1], n, at[3]);
        }
        *tensor_at4(out, at[0], at[1], at[2], at[3]) = sum_of(order, (int)a->shape[3], left, right);
    }
}

static void softmax_rows(Order order, StageArgs *args)
{
    const Tensor *scores = &args->in[0], *weights = &args->out[0];
    int keys = (int)scores->shape[3];
    float e[TERMS_MAX], ones[TERMS_MAX];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(weights, at)) {
        float max = -INFINITY;
        for (int j = 0; j < keys; j++)
            max = fmaxf(max, *tensor_at4(scores, at[0], at[1], at[2], j));
        for (int j = 0; j < keys; j++) {
            e[j] = expf(*tensor_at4(scores, at[0], at[1], at[2], j) - max);
            ones[j] = 1.0f;
        }
        *tensor_at4(weights, at[0], at[1], at[2], at[3]) =
            e[at[3]] * (1.0f / sum_of(order, keys, e, ones));
    }
}

typedef struct Otherwise {
    Order order;
    int steps; // how many were computed so
} Otherwise;

static bool run_otherwise(void *context, const TraceStep *step, StageArgs *args, bool *done,
                          Error *err)
{
    Otherwise *otherwise = context;
    Order order = otherwise->order;
    const Stage *stage = step->stage;
    (void)err;
    *done = true;
    if (strcmp(stage->name, "project") == 0 || strcmp(stage->name, "output_projection") == 0)
        linear(order, args);
    else if (strcmp(stage->name, "score") == 0)
        heads_product(order, args, true);
    else if (strcmp(stage->name, "weighted_sum") == 0)
        heads_product(order, args, false);
    else if (strcmp(stage->name, "softmax") == 0)
        softmax_rows(order, args);
    else
        *done = false;
    otherwise->steps += *done;
    return true;
}

enum { VARIANTS = 1000 };

TEST(right_numbers_have_no_name_in_whatever_order_they_were_added)
{
    for (int seed = 0; seed < VARIANTS; seed++) {
        if (!suite_takes(seed / ORDERS, 10)) // each order in turn
            continue;
        Pair pair;
        Error err = {.text = ""};
        Otherwise otherwise = {.order = (Order)(seed % ORDERS)};
        const Mistake *found[MISTAKE_FOUND_MAX];
        open_pair(&pair, 1000 + (uint64_t)seed, NULL,
                  &(TraceVariant){.run = run_otherwise, .context = &otherwise});
        ck_assert_int_gt(otherwise.steps, 0);
        int count = recognise(&pair, "output", found);
        ck_assert_msg(count == 0, "seed %d: right numbers are taken for %s", seed, found[0]->name);
        for (int step = 0; step < pair.right.step_count; step++) {
            StageArgs args;
            ck_assert(trace_arguments(&pair.wrong, step, &args, &err));
            count = mistake_recognise_step(&pair.right, step, &args, found, &err);
            ck_assert_msg(count == 0, "seed %d, %s: right numbers are taken for %s", seed,
                          pair.right.steps[step].stage->name, found[0]->name);
        }
        close_pair(&pair);
    }
}

SUITE("mistake_recognise")
