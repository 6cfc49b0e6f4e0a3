// grade_scenario: a small scenario for an exercise, drawn from a seed.
//
// No two axes have the same length, so that a loop over the wrong one shows; every sequence but the
// longest is padded; no number is 0, and hardly two are equal.
#include "grade_internal.h"

#include <assert.h>
#include <math.h>

typedef struct Draw {
    Scenario *scenario;
    unsigned wishes;
    uint64_t state;
} Draw;

// splitmix64 (Steele, Lea, Flood 2014)
static uint64_t next(Draw *draw)
{
    uint64_t z = draw->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static ptrdiff_t between(Draw *draw, ptrdiff_t least, ptrdiff_t most)
{
    return least + (ptrdiff_t)(next(draw) % (uint64_t)(most - least + 1));
}

// In (-1.5, 1.5). For large scores a multiple of 1/4, so that sums of products are exact.
static float number(Draw *draw)
{
    if (draw->wishes & GRADE_LARGE)
        return (float)(between(draw, 0, 1) ? 1 : -1) * (float)between(draw, 1, 4) / 4.0f;
    int32_t whole = (int32_t)(next(draw) >> 41) - (1 << 22);
    return 1.5f * (float)(2 * whole + 1) * 0x1p-23f;
}

// --- sizes

static bool all_differ(const ptrdiff_t sizes[], int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (sizes[i] == sizes[j])
                return false;
    return true;
}

// Batches of 2 and sequences of 4 or 5; hidden: batches of 3 and longer ones.
static void draw_sizes(Draw *draw, bool hidden)
{
    ptrdiff_t *size = draw->scenario->size;
    do {
        size[SYMBOL_B] = hidden ? 3 : 2;
        size[SYMBOL_H] = hidden ? between(draw, 2, 4) : 3;
        size[SYMBOL_L] = size[SYMBOL_LK] = hidden ? between(draw, 6, 8) : between(draw, 4, 5);
        size[SYMBOL_LQ] = size[SYMBOL_L];
        if (draw->wishes & GRADE_CROSS)
            size[SYMBOL_LQ] += 3;
        size[SYMBOL_DIN] = between(draw, 5, 10);
        size[SYMBOL_DOUT] = between(draw, 5, 10);
        size[SYMBOL_D_K] = draw->wishes & GRADE_LARGE ? 4 : between(draw, 4, 7);
        size[SYMBOL_D_V] = between(draw, 4, 7);
        size[SYMBOL_V] = between(draw, 11, 13);
        size[SYMBOL_DK] = size[SYMBOL_H] * size[SYMBOL_D_K];
        size[SYMBOL_DV] = size[SYMBOL_H] * size[SYMBOL_D_V];
    } while (
        !all_differ((ptrdiff_t[]){size[SYMBOL_B], size[SYMBOL_H], size[SYMBOL_L], size[SYMBOL_DIN],
                                  size[SYMBOL_DOUT], size[SYMBOL_D_K], size[SYMBOL_D_V],
                                  size[SYMBOL_V], size[SYMBOL_DK], size[SYMBOL_DV]},
                    10));
}

// --- tensors

static Tensor take(Draw *draw, Dtype dtype, int rank, const ptrdiff_t shape[])
{
    Error err;
    Tensor tensor = {.rank = 0};
    bool taken = tensor_take(&draw->scenario->arena, dtype, rank, shape, &tensor, &err);
    assert(taken);
    return taken ? tensor : (Tensor){.rank = 0};
}

static void add_floats(Draw *draw, const char *role, float enlarge, int rank,
                       const ptrdiff_t shape[])
{
    Tensor tensor = take(draw, DTYPE_F32, rank, shape);
    for (ptrdiff_t i = 0; i < tensor_count(&tensor); i++)
        tensor.storage.f32[i] = enlarge * number(draw);
    scenario_add(draw->scenario, role, role, tensor, "drawn");
}

static void add_layer(Draw *draw, const char *weight, const char *bias, ptrdiff_t out, ptrdiff_t in,
                      float enlarge)
{
    add_floats(draw, weight, enlarge, 2, (ptrdiff_t[]){out, in});
    if (draw->wishes & GRADE_BIAS)
        add_floats(draw, bias, 1.0f, 1, (ptrdiff_t[]){out});
}

// The sequences are L, L-1, L-2 ... tokens long; any of them is the first.
static void add_tokens(Draw *draw)
{
    ptrdiff_t *size = draw->scenario->size, total = 0, turn = between(draw, 0, size[SYMBOL_B] - 1);
    int64_t pad_id = draw->scenario->options.pad_id;
    Tensor lengths = take(draw, DTYPE_I64, 1, &size[SYMBOL_B]);
    for (ptrdiff_t b = 0; b < size[SYMBOL_B]; b++) {
        ptrdiff_t shorter = draw->wishes & GRADE_FULL ? 0 : (b + turn) % size[SYMBOL_B];
        total += *tensor_id1(&lengths, b) = size[SYMBOL_L] - shorter;
    }
    size[SYMBOL_N] = total;
    Tensor tokens = take(draw, DTYPE_I64, 1, &total);
    for (ptrdiff_t n = 0; n < total; n++)
        do
            *tensor_id1(&tokens, n) = between(draw, 0, size[SYMBOL_V] - 1);
        while (*tensor_id1(&tokens, n) == pad_id);
    scenario_add(draw->scenario, "tokens", "tokens", tokens, "drawn");
    scenario_add(draw->scenario, "lengths", "lengths", lengths, "drawn");
    add_floats(draw, "embedding.weight", 1.0f, 2, (ptrdiff_t[]){size[SYMBOL_V], size[SYMBOL_DIN]});
}

static void add_vectors(Draw *draw)
{
    const ptrdiff_t *size = draw->scenario->size;
    add_floats(draw, "x", 1.0f, 3,
               (ptrdiff_t[]){size[SYMBOL_B], size[SYMBOL_LK], size[SYMBOL_DIN]});
    add_floats(draw, "x_query", 1.0f, 3,
               (ptrdiff_t[]){size[SYMBOL_B], size[SYMBOL_LQ], size[SYMBOL_DIN]});
}

static void set_options(Draw *draw)
{
    Scenario *scenario = draw->scenario;
    unsigned wishes = draw->wishes;
    scenario->options = (StageOptions){
        .pad_id = wishes & GRADE_OTHER_PAD ? between(draw, 3, 9) : 0,
        .heads = scenario->size[SYMBOL_H],
        .scale = sqrtf((float)scenario->size[SYMBOL_D_K]),
        .scale_name = "sqrt_d_k",
        .mask_value = -INFINITY,
        .causal = wishes & GRADE_CAUSAL,
        .mask_padding = wishes & GRADE_PADDING,
        .dropout_p = wishes & GRADE_KEEP_ALL  ? 0.0
                     : wishes & GRADE_DROPOUT ? 0.4
                                              : 0.0,
        .dropout_seed = next(draw) >> 40,
    };
    scenario->has_heads = scenario->scaled = true;
    scenario->masked = wishes & (GRADE_CAUSAL | GRADE_PADDING);
    scenario->mask_before_scale = wishes & GRADE_MASK_FIRST;
    scenario->with_dropout = wishes & (GRADE_DROPOUT | GRADE_KEEP_ALL);
    scenario->with_position = wishes & GRADE_POSITIONS;
}

void grade_scenario(Scenario *scenario, unsigned wishes, bool hidden, uint64_t seed)
{
    *scenario = (Scenario){.name = "drawn", .about = "numbers drawn for an exercise"};
    Draw draw = {scenario, wishes, seed};
    const ptrdiff_t *size = scenario->size;
    float enlarge = wishes & GRADE_LARGE ? 64.0f : 1.0f;
    draw_sizes(&draw, hidden);
    set_options(&draw);
    if (wishes & GRADE_CROSS)
        add_vectors(&draw);
    else
        add_tokens(&draw);
    add_layer(&draw, "q_proj.weight", "q_proj.bias", size[SYMBOL_DK], size[SYMBOL_DIN], enlarge);
    add_layer(&draw, "k_proj.weight", "k_proj.bias", size[SYMBOL_DK], size[SYMBOL_DIN], 1.0f);
    add_layer(&draw, "v_proj.weight", "v_proj.bias", size[SYMBOL_DV], size[SYMBOL_DIN], 1.0f);
    add_layer(&draw, "out_proj.weight", "out_proj.bias", size[SYMBOL_DOUT], size[SYMBOL_DV], 1.0f);
}
