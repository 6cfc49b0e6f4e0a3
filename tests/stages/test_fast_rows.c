// Fast twins on tensors whose rows are no neighbours in memory, and on a mask with one flag for all keys:
// the bits of the definition.
#include "suite.h"

#include <string.h>
#include "kernel.h"
#include "stage.h"

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
    ptrdiff_t in[3][4], out[2][4];
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

SUITE("fast_rows")
