// Contract: the second half of feed-forward: what was found is brought back to the width
// of a token.
//
//   ff_contracted[b,l,d] = sum over f of hidden[b,l,f] * weight[d,f]  + bias[d]
//
// in    hidden [B, Lq, Dff]
//       weight [Dout, Dff]   bias [Dout] or none
// out   ff_contracted [B, Lq, Dout]
// cost  B * Lq * Dff * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.3: ... W_2 + b_2
#include "stage.h"

#include <math.h>
#include "fast.h"
#include "stages_words.h"

enum { IN_HIDDEN, IN_WEIGHT, IN_BIAS };

static void contract(const Tensor *hidden, const Tensor *weight, const Tensor *bias,
                     Tensor *ff_contracted)
{
    for (ptrdiff_t b = 0; b < ff_contracted->shape[0]; b++)
        for (ptrdiff_t l = 0; l < ff_contracted->shape[1]; l++)
            for (ptrdiff_t d = 0; d < ff_contracted->shape[2]; d++) {
                // Hidden number f brings column f
                // of the weight into the token, as
                // far as it is on. At 0 it adds 0.
                float sum = 0.0f;
                for (ptrdiff_t f = 0; f < hidden->shape[2]; f++)
                    sum = fmaf(*tensor_at3(hidden, b, l, f), *tensor_at2(weight, d, f), sum);
                *tensor_at3(ff_contracted, b, l, d) = bias ? sum + *tensor_at1(bias, d) : sum;
            }
}

static bool contract_run(StageArgs *args, Error *err)
{
    (void)err;
    contract(&args->in[IN_HIDDEN], &args->in[IN_WEIGHT], stage_given(args, IN_BIAS), &args->out[0]);
    return true;
}

// Dff terms and a bias, if there is one: all hidden numbers of one token.
static void contract_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                            void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], l = at[1], d = at[2];
    float sum = 0.0f;
    for (ptrdiff_t f = 0; f < args->in[IN_HIDDEN].shape[2]; f++) {
        float left = *tensor_at3(&args->in[IN_HIDDEN], b, l, f);
        float right = *tensor_at2(&args->in[IN_WEIGHT], d, f);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_HIDDEN, {b, l, f}}, {IN_WEIGHT, {d, f}}},
                               .value = left * right,
                               .running = sum});
    }
    if (stage_given(args, IN_BIAS)) {
        float bias = *tensor_at1(stage_given(args, IN_BIAS), d);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(BIAS),
                               .source_count = 1,
                               .sources = {{IN_BIAS, {d}}},
                               .value = bias,
                               .running = sum + bias});
    }
}

const Stage stage_contract = {
    .name = "contract",
    .formula = "ff_contracted[b,l,d] = sum_f hidden[b,l,f] * weight[d,f]  (+ bias[d])",
    .torch = "output = $(x)",
    .source = "Vaswani et al. 2017, section 3.3",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "hidden", .axes = "B Lq Dff"},
                  {.role = "contract.weight", .axes = "Dout Dff", .factor = FACTOR_ROWS},
                  {.role = "contract.bias", .axes = "Dout", .optional = true}},
        .writes = {{.role = "output", .tensor = "ff_contracted", .axes = "B Lq Dout"}},
    }},
    .options = OPTION(feed_forward),
    .needs = OPTION(feed_forward),
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = contract_run,
    .fast = fast_linear,
    .origin = contract_origin,
};
