// A trace run by kernels, slices and threads has the bits of one run by the stages' definitions, and
// of the origin's running sum: for shapes of every size and form, with every kernel.
#include "suite.h"
#include "kernel.h"
#include "stage.h"
#include "tiny.h"
#include "trace.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};

// A form of tiny.h with sides of 1 to 70, of which few are large at the same time.
static TinyShape grown(int form, uint64_t *state)
{
    TinyShape shape = tiny_shapes[form % tiny_shape_count];
    ptrdiff_t large = 1 + tiny_index(state, 70), small = 1 + tiny_index(state, 12);
    if (tiny_index(state, 3) == 0) { // wide heads of a narrow input
        ptrdiff_t other = large;
        large = small;
        small = other;
    }
    bool is_self = shape.queries == shape.keys;
    shape.batch = 1 + tiny_index(state, 3);
    shape.queries = 1 + tiny_index(state, 70);
    shape.keys = is_self ? shape.queries : shape.queries + 1 + tiny_index(state, 40);
    shape.d_in = large;
    shape.d_k = shape.d_v =
        small + (shape.options.rope > 0.0f && small % 2 != 0); // pairs are turned
    if (shape.options.rope_width > shape.d_k)
        shape.options.rope_width = shape.d_k;
    shape.d_out = shape.d_out ? 1 + tiny_index(state, 70) : 0;
    shape.d_in = shape.residual ? shape.d_out : shape.d_in; // they are added up
    shape.context = shape.context ? shape.keys + small : 0;
    shape.given_mask = shape.given_mask || (shape.context && tiny_index(state, 2));
    return shape;
}

// Some inputs are NaN, infinite, subnormal or -0.
static void make_wild(Scenario *scenario, uint64_t *state)
{
    static const float wild[] = {NAN, INFINITY, -INFINITY, 0x1p-140f, -0x1p-149f, -0.0f, 3e38f};
    for (int i = 0; i < scenario->tensor_count; i++) {
        Tensor *tensor = &scenario->tensors[i].tensor;
        ptrdiff_t count = tensor_count(tensor);
        if (tensor->dtype == DTYPE_F32 && count > 0 && tiny_index(state, 3) == 0)
            tensor->storage.f32[tiny_index(state, count)] = wild[tiny_index(state, 7)];
    }
}

// The same numbers from the last axis to the first in memory.
static Tensor turned(const Tensor *tensor, Scenario *scenario)
{
    Error err;
    Tensor out;
    ptrdiff_t backwards[TENSOR_RANK_MAX];
    for (int axis = 0; axis < tensor->rank; axis++)
        backwards[axis] = tensor->shape[tensor->rank - 1 - axis];
    ck_assert(tensor_take(&scenario->arena, tensor->dtype, tensor->rank, backwards, &out, &err));
    for (int axis = 0; axis < tensor->rank / 2; axis++)
        out = tensor_transpose(&out, axis, tensor->rank - 1 - axis);
    tensor_copy(tensor, &out);
    return out;
}

// Some inputs are not contiguous: an axis that repeats one element (stride 0), or numbers that lie in
// another order.
static void make_views(Scenario *scenario, uint64_t *state)
{
    for (int i = 0; i < scenario->tensor_count; i++) {
        Tensor *tensor = &scenario->tensors[i].tensor;
        ptrdiff_t pick = tiny_index(state, 4);
        if (pick == 0 && tensor->rank > 1) // lengths have one axis, and must add up
            tensor->stride[tiny_index(state, tensor->rank)] = 0;
        if (pick == 1)
            *tensor = turned(tensor, scenario);
    }
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool same_element(const Tensor *a, const Tensor *b, const ptrdiff_t at[])
{
    ptrdiff_t i = tensor_place(a, at), j = tensor_place(b, at);
    switch (a->dtype) {
    case DTYPE_F32:
        return same_bits(a->storage.f32[i], b->storage.f32[j]);
    case DTYPE_I64:
        return a->storage.i64[i] == b->storage.i64[j];
    case DTYPE_BOOL:
        return a->storage.boolean[i] == b->storage.boolean[j];
    }
    return false;
}

static void expect_equal(const Trace *fast, const Trace *defined, int threads)
{
    for (int number = 0; number < defined->tensor_count; number++) {
        const Tensor *want = &defined->tensors[number].tensor, *got = &fast->tensors[number].tensor;
        char shape[TENSOR_TEXT_MAX];
        ck_assert_msg(tensor_same_shape(want, got), "%s", defined->tensors[number].name);
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        for (bool more = tensor_count(want) > 0; more; more = tensor_next(want, at))
            if (!same_element(got, want,
                              at)) // an assertion for each would take far longer than the run
                ck_abort_msg("%s %s differs at %s with %d threads", defined->tensors[number].name,
                             tensor_shape_text(want->rank, want->shape, shape), fast->kernel->name,
                             threads);
    }
}

static void run(Trace *trace, Scenario *scenario, int threads, const Kernel *kernel)
{
    Error err = {.text = ""};
    scenario->threads = threads;
    ck_assert_msg(trace_open(trace, scenario, &err), "%s", err.text);
    trace->kernel = kernel;
    ck_assert_msg(trace_run(trace, &err), "%s", err.text);
}

SLICE_TEST(kernels_slices_and_threads_give_the_bits_of_the_definitions, 96, 1)
{
    uint64_t state = (uint64_t)_i;
    Scenario scenario;
    Trace defined, fast;
    tiny_scenario(&scenario, grown(_i, &state), state);
    make_wild(&scenario, &state);
    make_views(&scenario, &state);
    run(&defined, &scenario, 1, NULL);
    const Kernel *kernel;
    for (int number = 0; (kernel = kernel_get(number)) != NULL; number++) {
        int threads = thread_counts[(_i + number) % 4];
        run(&fast, &scenario, threads, kernel);
        expect_equal(&fast, &defined, threads);
        Error err;
        trace_rewind(&fast);
        ck_assert(trace_run(&fast, &err));
        expect_equal(&fast, &defined, threads);
        trace_close(&fast);
    }
    trace_close(&defined);
    scenario_finish(&scenario);
}

static void keep_running(void *context, const TraceTerm *term)
{
    float *running = context;
    *running = term->running;
}

SLICE_TEST(the_running_sum_of_the_origin_ends_in_the_bits_of_the_kernel, 48, 1)
{
    uint64_t state = (uint64_t)_i + 1000;
    Scenario scenario;
    Trace trace;
    tiny_scenario(&scenario, grown(_i, &state), state);
    make_wild(&scenario, &state);
    make_views(&scenario, &state);
    run(&trace, &scenario, 2, kernel_get(0));
    for (int number = 0; number < trace.tensor_count; number++) {
        const Tensor *tensor = &trace.tensors[number].tensor;
        if (tensor->dtype != DTYPE_F32 || trace.tensors[number].step < 0)
            continue;
        TraceCell cell = {.tensor = number};
        tensor_unravel(tensor, tiny_index(&state, tensor_count(tensor)), cell.at);
        float stored = tensor->storage.f32[tensor_place(tensor, cell.at)], running = 0.0f;
        trace_origin(&trace, cell, keep_running, &running);
        ck_assert_msg(same_bits(stored, running), "%s: %a is stored, the origin ends in %a",
                      trace.tensors[number].name, (double)stored, (double)running);
    }
    trace_close(&trace);
    scenario_finish(&scenario);
}

SLICE_TEST(one_step_at_a_time_gives_the_same_bits, 16, 1)
{
    uint64_t state = (uint64_t)_i + 2000;
    Scenario scenario;
    Trace together, alone;
    Error err;
    tiny_scenario(&scenario, grown(_i, &state), state);
    run(&together, &scenario, 3, kernel_get(0));
    ck_assert(trace_open(&alone, &scenario, &err));
    while (alone.steps_done < alone.step_count)
        ck_assert_msg(trace_step(&alone, &err), "%s", err.text);
    expect_equal(&together, &alone, 3);
    trace_close(&alone);
    trace_close(&together);
    scenario_finish(&scenario);
}

// --- Fast twins on tensors whose rows are not neighbours in memory, and on a mask with one flag for all keys:
// the bits of the definition.

enum { NUMBERS = 1024, APART = 2 };

static uint32_t state;

static uint32_t next(void)
{
    return state = state * 1664525u + 1013904223u;
}

// Tensors of `dtype` whose last axis steps over every second element.
static Tensor apart(void *bytes, Dtype dtype, int rank, const ptrdiff_t shape[])
{
    Tensor tensor = tensor_over(bytes, dtype, rank, shape);
    for (int axis = 0; axis < rank; axis++)
        tensor.stride[axis] *= APART;
    return tensor;
}

typedef struct RowsCase {
    const char *stage;
    int in_rank[3], out_rank[2];
    ptrdiff_t in[3][5], out[2][5];
    Dtype in_dtype[3];
    int main_output;
} RowsCase;

static const RowsCase rows_cases[] = {
    {.stage = "softmax",
     .in_rank = {4},
     .in = {{2, 2, 3, 5}},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "prediction",
     .in_rank = {4},
     .in = {{2, 2, 3, 5}},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "rescale",
     .in_rank = {4},
     .in = {{2, 2, 3, 5}},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "normalise",
     .in_rank = {5, 4},
     .in = {{2, 2, 4, 3, 5}, {2, 2, 4, 3}},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "scale",
     .in_rank = {4},
     .in = {{2, 2, 3, 5}},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "scale_backward",
     .in_rank = {4},
     .in = {{2, 2, 3, 5}},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "concat",
     .in_rank = {4},
     .in = {{2, 3, 4, 5}},
     .out_rank = {4, 3},
     .out = {{2, 4, 3, 5}, {2, 4, 15}},
     .main_output = 1},
    {.stage = "view_backward",
     .in_rank = {4},
     .in = {{2, 4, 3, 5}},
     .out_rank = {3},
     .out = {{2, 4, 15}}},
    {.stage = "mask_backward",
     .in_rank = {4, 2},
     .in = {{2, 2, 3, 5}, {3, 1}},
     .in_dtype = {DTYPE_F32, DTYPE_BOOL},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "embed",
     .in_rank = {2, 2},
     .in = {{2, 3}, {4, 5}},
     .in_dtype = {DTYPE_I64, DTYPE_F32},
     .out_rank = {3},
     .out = {{2, 3, 5}}},
    {.stage = "gradient_sum",
     .in_rank = {3, 3},
     .in = {{2, 3, 5}, {2, 3, 5}},
     .out_rank = {3},
     .out = {{2, 3, 5}}},
    {.stage = "softmax_backward",
     .in_rank = {4, 4, 3},
     .in = {{2, 2, 3, 5}, {2, 2, 3, 5}, {2, 2, 3}},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
    {.stage = "cross_entropy_backward",
     .in_rank = {4, 3, 1},
     .in = {{2, 2, 3, 5}, {2, 2, 3}, {1}},
     .in_dtype = {DTYPE_F32, DTYPE_I64, DTYPE_F32},
     .out_rank = {4},
     .out = {{2, 2, 3, 5}}},
};

static void fill(const Tensor *tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(tensor, at)) {
        ptrdiff_t place = tensor_place(tensor, at);
        if (tensor->dtype == DTYPE_I64)
            tensor->storage.i64[place] = next() >> 30; // 0 to 3
        else if (tensor->dtype == DTYPE_BOOL)
            tensor->storage.boolean[place] = next() >> 31;
        else
            tensor->storage.f32[place] = (float)(int32_t)next() * 0x1p-30f;
    }
}

LOOP_TEST(rows_that_lie_apart_give_the_bits_of_the_definition,
          sizeof rows_cases / sizeof *rows_cases)
{
    static int64_t in[3][NUMBERS], defined[2][NUMBERS], fast[2][NUMBERS];
    const RowsCase *at = &rows_cases[_i];
    const Stage *stage = stage_find(at->stage);
    StageOptions options = {.scale = 1.7f};
    StageArgs args = {.options = &options, .kernel = kernel_get(0)};
    Error err = {.text = ""};
    state = (uint32_t)_i + 1;
    memset(defined, 0, sizeof defined);
    memset(fast, 0, sizeof fast);
    for (int slot = 0; slot < 3 && at->in_rank[slot]; slot++) {
        args.in[slot] = apart(in[slot], at->in_dtype[slot], at->in_rank[slot], at->in[slot]);
        fill(&args.in[slot]);
    }
    for (int slot = 0; slot < 2 && at->out_rank[slot]; slot++)
        args.out[slot] = apart(defined[slot], DTYPE_F32, at->out_rank[slot], at->out[slot]);
    StageArgs again = args;
    for (int slot = 0; slot < 2; slot++)
        again.out[slot].storage.bytes = again.out[slot].storage.bytes ? (void *)fast[slot] : NULL;
    ck_assert_msg(stage->run(&args, &err), "%s", err.text);
    ck_assert_msg(!stage->prepare || stage->prepare(&again, &err), "%s", err.text);
    stage->fast(&again);
    ck_assert_msg(memcmp(defined[at->main_output], fast[at->main_output], sizeof *fast) == 0, "%s",
                  at->stage);
}

SUITE("fast")
