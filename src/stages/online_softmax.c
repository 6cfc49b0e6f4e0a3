// The online softmax: softmax and weighted sum in one pass over blocks of keys, as in flash attention.
//
// Softmax needs the maximum and the sum of a whole row before it can produce one weight. These stages
// take the keys a block at a time and correct the results so far when a larger score turns up. So a
// program that only wants the output never holds a whole row: it needs Lq * block scores at a time, not
// Lq * Lk, and keeps a maximum, a sum and d_v numbers for each query. Here every state is kept so that it
// can be seen: the axis `blocks` counts them.
//
// The result equals that of softmax and weighted_sum up to rounding. The bits differ, because the sums
// run in another order and are multiplied by rescale on the way.
//
// A block without a visible key leaves the maximum at -inf, and -inf - -inf is NaN: such exponentials are
// set to 0. A row without any visible key ends in 0 / 0, NaN, as in softmax.
#include <math.h>
#include "fast.h"
#include "kernel.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// The keys of a block: first ... end - 1. The last block may be short.
typedef struct Block {
    ptrdiff_t first, end;
} Block;

static Block block_of(const StageOptions *options, ptrdiff_t t, ptrdiff_t keys)
{
    ptrdiff_t width = options->softmax_block, end = (t + 1) * width;
    return (Block){t * width, end < keys ? end : keys};
}

static float *tensor_at5(const Tensor *tensor, ptrdiff_t b, ptrdiff_t h, ptrdiff_t t, ptrdiff_t i,
                         ptrdiff_t d)
{
    const ptrdiff_t *stride = tensor->stride;
    return tensor->storage.f32 + tensor->offset + b * stride[0] + h * stride[1] + t * stride[2] +
           i * stride[3] + d * stride[4];
}

SHOW_OPTION(online_settings, softmax_block, "%td", ptrdiff_t)

// --- running_max
//
// Running maximum: the largest score of each row, up to and with block t.
//
//   running_max[b,h,t,i] = max(running_max[b,h,t-1,i], largest of scores[b,h,i,j] with j in block t)
//
// in    scores [B, H, Lq, Lk]  -inf marks a masked key
// out   running_max [B, H, blocks, Lq]  -inf while no key is visible
// cost  B * H * Lq * Lk comparisons
// from  Milakov and Gimelshein 2018, algorithm 3; Dao et al. 2022, algorithm 1

static float larger(float a, float b)
{
    // NaN stays, as in torch.max.
    return b > a || isnan(b) ? b : a;
}

static void running_max(const Tensor *scores, const StageOptions *options, Tensor *max)
{
    // t ascends: each block starts from the
    // maximum of the one before.
    for (ptrdiff_t b = 0; b < max->shape[0]; b++)
        for (ptrdiff_t h = 0; h < max->shape[1]; h++)
            for (ptrdiff_t t = 0; t < max->shape[2]; t++)
                for (ptrdiff_t i = 0; i < max->shape[3]; i++) {
                    Block block = block_of(options, t, scores->shape[3]);
                    float m = t > 0 ? *tensor_at4(max, b, h, t - 1, i) : -INFINITY;
                    for (ptrdiff_t j = block.first; j < block.end; j++)
                        m = larger(m, *tensor_at4(scores, b, h, i, j));
                    *tensor_at4(max, b, h, t, i) = m;
                }
}

static bool running_max_run(StageArgs *args, Error *err)
{
    running_max(&args->in[0], args->options, &args->out[0]);
    return true;
}

// The maximum so far, then the scores of this block alone.
static void running_max_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t b = at[0], h = at[1], t = at[2], i = at[3];
    Block block = block_of(args->options, t, args->in[0].shape[3]);
    terms->running = -INFINITY;
    if (t > 0)
        term_copy(terms, TERM_COPY, TELL(ONLINE_MAX_SO_FAR), SOURCE(SOURCE_OWN, b, h, t - 1, i));
    for (ptrdiff_t j = block.first; j < block.end; j++) {
        float score = *tensor_at4(&args->in[0], b, h, i, j);
        term_one(terms, TERM_MAXIMUM, NULL, SOURCE(0, b, h, i, j), score,
                 larger(terms->running, score));
    }
}

const Stage stage_running_max = {
    .name = "running_max",
    .formula = "running_max[b,h,t,i] = t = 0 ? m : max(running_max[b,h,t - 1,i], m); "
               "m = max_j (floor(j / softmax_block) = t ? scores[b,h,i,j] : -inf)",
    .torch = "m[t] = torch.maximum(m[t-1], scores_of_block.amax(-1))",
    .source = "Milakov and Gimelshein 2018, algorithm 3",
    .influence = INFLUENCE_BY_ORIGIN,
    .back_from = "normalise",
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk")},
        .writes = {NAMED_SLOT("running_max", "running_max", "B H blocks Lq")},
    }},
    .options = OPTION(softmax_block),
    .needs = OPTION(softmax_block),
    .settings = online_settings,
    .terms = {[TERM_MAXIMUM] = "larger(m,"},
    .run = running_max_run,
    .fast = fast_running_max,
    .origin = running_max_origin,
};

// --- block_weights
//
// Block weights: e^(score - maximum so far). Not divided by a sum yet, and early blocks use a maximum
// that may still grow; rescale corrects that.
//
//   block_weights[b,h,i,j] = e^(scores[b,h,i,j] - running_max[b,h,t,i])      t = the block of key j
//
// in    scores [B, H, Lq, Lk]   running_max [B, H, blocks, Lq]
// out   block_weights [B, H, Lq, Lk]  in [0, 1]; a masked key gets 0
// cost  B * H * Lq * Lk exponentials
// from  Dao et al. 2022, algorithm 1, line 10

enum { BLOCK_WEIGHTS_IN_SCORES, BLOCK_WEIGHTS_IN_MAX };

static void block_weights(const Tensor *scores, const Tensor *max, const StageOptions *options,
                          Tensor *weights)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    ptrdiff_t t = j / options->softmax_block;
                    float score = *tensor_at4(scores, b, h, i, j);
                    *tensor_at4(weights, b, h, i, j) =
                        score == -INFINITY ? 0.0f
                                           : exponential(score - *tensor_at4(max, b, h, t, i));
                }
}

static bool block_weights_run(StageArgs *args, Error *err)
{
    block_weights(&args->in[BLOCK_WEIGHTS_IN_SCORES], &args->in[BLOCK_WEIGHTS_IN_MAX],
                  args->options, &args->out[0]);
    return true;
}

static void block_weights_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t b = at[0], h = at[1], i = at[2], j = at[3];
    ptrdiff_t t = j / terms->args->options->softmax_block;
    Source score = SOURCE(BLOCK_WEIGHTS_IN_SCORES, b, h, i, j);
    Source max = SOURCE(BLOCK_WEIGHTS_IN_MAX, b, h, t, i);
    if (term_number(terms, score) == -INFINITY) {
        term_one(terms, TERM_RULE, TELL(ONLINE_MASKED), score, 0.0f, 0.0f);
        return;
    }
    float e = exponential(term_number(terms, score) - term_number(terms, max));
    term_two(terms, TERM_RULE, TELL(ONLINE_EXP), (SourcePair){score, max}, e, e);
}

const Stage stage_block_weights = {
    .name = "block_weights",
    .formula = "block_weights[b,h,i,j] = scores[b,h,i,j] = -inf ? 0 : exp(scores[b,h,i,j] - m); "
               "m = running_max[b,h,j / softmax_block,i]",
    .torch = "p = torch.exp(scores_of_block - m[t])",
    .source = "Dao et al. 2022, algorithm 1, line 10",
    .influence = INFLUENCE_BY_ORIGIN,
    .back_from = "normalise",
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk"), SLOT("running_max", "B H blocks Lq")},
        .writes = {NAMED_SLOT("block_weights", "block_weights", "B H Lq Lk")},
    }},
    .options = OPTION(softmax_block),
    .needs = OPTION(softmax_block),
    .settings = online_settings,
    .run = block_weights_run,
    .fast = fast_block_weights,
    .origin = block_weights_origin,
};

// --- rescale
//
// Rescale: the factor for the sums so far when the maximum grows from one block to the next; 1 if it
// does not.
//
//   rescale[b,h,t,i] = e^(running_max[b,h,t-1,i] - running_max[b,h,t,i])      0 for t = 0
//
// in    running_max [B, H, blocks, Lq]
// out   rescale [B, H, blocks, Lq]  in [0, 1]
// cost  B * H * Lq * blocks exponentials
// from  Milakov and Gimelshein 2018, algorithm 3, line 5

// 0 before the first visible key: nothing has been summed.
static float rescale_between(float before, float after)
{
    return before == -INFINITY ? 0.0f : exponential(before - after);
}

static void rescale(const Tensor *max, Tensor *factor)
{
    for (ptrdiff_t b = 0; b < max->shape[0]; b++)
        for (ptrdiff_t h = 0; h < max->shape[1]; h++)
            for (ptrdiff_t t = 0; t < max->shape[2]; t++)
                for (ptrdiff_t i = 0; i < max->shape[3]; i++)
                    *tensor_at4(factor, b, h, t, i) =
                        t == 0 ? 0.0f
                               : rescale_between(*tensor_at4(max, b, h, t - 1, i),
                                                 *tensor_at4(max, b, h, t, i));
}

RUN_ON_ONE(rescale)

static void rescale_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t b = at[0], h = at[1], t = at[2], i = at[3];
    if (t == 0) {
        term_rule(terms, TELL(ONLINE_NOTHING_YET), 0.0f, 0.0f);
        return;
    }
    Source before = SOURCE(0, b, h, t - 1, i), now = SOURCE(0, b, h, t, i);
    float factor = rescale_between(term_number(terms, before), term_number(terms, now));
    if (term_number(terms, before) == -INFINITY)
        term_one(terms, TERM_RULE, TELL(ONLINE_NOTHING_YET), before, factor, factor);
    else
        term_two(terms, TERM_RULE, TELL(ONLINE_GROWTH), (SourcePair){before, now}, factor, factor);
}

const Stage stage_rescale = {
    .name = "rescale",
    .formula = "rescale[b,h,t,i] = t = 0 ? 0 : m = -inf ? 0 : exp(m - running_max[b,h,t,i]); "
               "m = running_max[b,h,t - 1,i]",
    .torch = "a = torch.exp(m[t-1] - m[t])",
    .source = "Milakov and Gimelshein 2018, algorithm 3, line 5",
    .influence = INFLUENCE_BY_ORIGIN,
    .back_from = "normalise",
    .calls = {{
        .reads = {SLOT("running_max", "B H blocks Lq")},
        .writes = {NAMED_SLOT("rescale", "rescale", "B H blocks Lq")},
    }},
    .needs = OPTION(softmax_block),
    .run = rescale_run,
    .fast = fast_rescale,
    .origin = rescale_origin,
};

// --- running_sum
//
// Running sum: the divisor of a row's weights, from the blocks up to t.
//
//   running_sum[b,h,t,i] = running_sum[b,h,t-1,i] * rescale[b,h,t,i] + sum over j in block t of
//                          block_weights[b,h,i,j]
//
// in    block_weights [B, H, Lq, Lk]   rescale [B, H, blocks, Lq]
// out   running_sum [B, H, blocks, Lq]  at least 1 once a key is visible
// cost  B * H * Lq * Lk additions
// from  Milakov and Gimelshein 2018, algorithm 3, line 5

enum { RUNNING_SUM_IN_WEIGHTS, RUNNING_SUM_IN_RESCALE };

static void running_sum(const Tensor *weights, const Tensor *factor, const StageOptions *options,
                        Tensor *total)
{
    for (ptrdiff_t b = 0; b < total->shape[0]; b++)
        for (ptrdiff_t h = 0; h < total->shape[1]; h++)
            for (ptrdiff_t t = 0; t < total->shape[2]; t++)
                for (ptrdiff_t i = 0; i < total->shape[3]; i++) {
                    Block block = block_of(options, t, weights->shape[3]);
                    // One product turns all terms
                    // e^(s - old) into e^(s - new).
                    float kept =
                        t > 0 ? *tensor_at4(total, b, h, t - 1, i) * *tensor_at4(factor, b, h, t, i)
                              : 0.0f;
                    float sum = 0.0f;
                    for (ptrdiff_t j = block.first; j < block.end; j++)
                        sum += *tensor_at4(weights, b, h, i, j);
                    *tensor_at4(total, b, h, t, i) = kept + sum;
                }
}

static bool running_sum_run(StageArgs *args, Error *err)
{
    running_sum(&args->in[RUNNING_SUM_IN_WEIGHTS], &args->in[RUNNING_SUM_IN_RESCALE], args->options,
                &args->out[0]);
    return true;
}

// The last terms of a state: the previous block's state `own`, times `factor`, plus the block's
// sum.
static void emit_kept(Terms *terms, Source own, Source factor)
{
    float product = term_number(terms, own) * term_number(terms, factor);
    term_two(terms, TERM_RULE, TELL(ONLINE_KEPT), (SourcePair){own, factor}, product,
             product + terms->running);
}

static void running_sum_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t b = at[0], h = at[1], t = at[2], i = at[3];
    Block block =
        block_of(terms->args->options, t, terms->args->in[RUNNING_SUM_IN_WEIGHTS].shape[3]);
    for (ptrdiff_t j = block.first; j < block.end; j++)
        term_add(terms, TELL(ONLINE_WEIGHT), SOURCE(RUNNING_SUM_IN_WEIGHTS, b, h, i, j));
    if (t > 0)
        emit_kept(terms, SOURCE(SOURCE_OWN, b, h, t - 1, i),
                  SOURCE(RUNNING_SUM_IN_RESCALE, b, h, t, i));
}

const Stage stage_running_sum = {
    .name = "running_sum",
    .formula = "running_sum[b,h,t,i] = kept + sum_j p[j]; "
               "kept = t = 0 ? 0 : running_sum[b,h,t - 1,i] * rescale[b,h,t,i]; "
               "p[j] = floor(j / softmax_block) = t ? block_weights[b,h,i,j] : 0",
    .torch = "l[t] = l[t-1] * a + p.sum(-1)",
    .source = "Milakov and Gimelshein 2018, algorithm 3, line 5",
    .influence = INFLUENCE_BY_ORIGIN,
    .back_from = "normalise",
    .calls = {{
        .reads = {SLOT("block_weights", "B H Lq Lk"), SLOT("rescale", "B H blocks Lq")},
        .writes = {NAMED_SLOT("running_sum", "running_sum", "B H blocks Lq")},
    }},
    .options = OPTION(softmax_block),
    .needs = OPTION(softmax_block),
    .settings = online_settings,
    .terms = {[TERM_ADD] = "sum +="},
    .run = running_sum_run,
    .fast = fast_running_sum,
    .origin = running_sum_origin,
};

// --- running_output
//
// Running output: the weighted sum of the values so far, not yet divided by the weights' sum.
//
//   running_output[b,h,t,i,d] = running_output[b,h,t-1,i,d] * rescale[b,h,t,i] + sum over j in block t of
//                               block_weights[b,h,i,j] * v[b,h,j,d]
//
// in    block_weights [B, H, Lq, Lk]   v [B, H, Lk, d_v]   rescale [B, H, blocks, Lq]
// out   running_output [B, H, blocks, Lq, d_v]
// cost  B * H * Lq * Lk * d_v multiply-adds, and B * H * Lq * blocks * d_v for rescaling
// from  Dao et al. 2022, algorithm 1, line 12

enum { RUNNING_OUTPUT_IN_WEIGHTS, RUNNING_OUTPUT_IN_V, RUNNING_OUTPUT_IN_RESCALE };

// One row of queries of one head: the d_v numbers of query i after block t.
static void running_output_row(const StageArgs *args, ptrdiff_t b, ptrdiff_t h, ptrdiff_t t,
                               ptrdiff_t i)
{
    const Tensor *weights = &args->in[RUNNING_OUTPUT_IN_WEIGHTS];
    const Tensor *v = &args->in[RUNNING_OUTPUT_IN_V], *output = &args->out[0];
    Block block = block_of(args->options, t, weights->shape[3]);
    float factor = *tensor_at4(&args->in[RUNNING_OUTPUT_IN_RESCALE], b, h, t, i);
    for (ptrdiff_t d = 0; d < v->shape[3]; d++) {
        float kept = t > 0 ? *tensor_at5(output, b, h, t - 1, i, d) * factor : 0.0f;
        float sum = 0.0f;
        for (ptrdiff_t j = block.first; j < block.end; j++)
            sum = fmaf(*tensor_at4(weights, b, h, i, j), *tensor_at4(v, b, h, j, d), sum);
        *tensor_at5(output, b, h, t, i, d) = kept + sum;
    }
}

static void running_output(const StageArgs *args)
{
    const ptrdiff_t *shape = args->out[0].shape;
    for (ptrdiff_t b = 0; b < shape[0]; b++)
        for (ptrdiff_t h = 0; h < shape[1]; h++)
            for (ptrdiff_t t = 0; t < shape[2]; t++)
                for (ptrdiff_t i = 0; i < shape[3]; i++)
                    running_output_row(args, b, h, t, i);
}

static bool running_output_run(StageArgs *args, Error *err)
{
    running_output(args);
    return true;
}

static void running_output_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t b = at[0], h = at[1], t = at[2], i = at[3], d = at[4];
    Block block =
        block_of(terms->args->options, t, terms->args->in[RUNNING_OUTPUT_IN_WEIGHTS].shape[3]);
    for (ptrdiff_t j = block.first; j < block.end; j++)
        term_product(terms, SOURCE(RUNNING_OUTPUT_IN_WEIGHTS, b, h, i, j),
                     SOURCE(RUNNING_OUTPUT_IN_V, b, h, j, d));
    if (t > 0)
        emit_kept(terms, SOURCE(SOURCE_OWN, b, h, t - 1, i, d),
                  SOURCE(RUNNING_OUTPUT_IN_RESCALE, b, h, t, i));
}

const Stage stage_running_output = {
    .name = "running_output",
    .formula = "running_output[b,h,t,i,d] = kept + sum_j p[j] * x[j]; "
               "kept = t = 0 ? 0 : running_output[b,h,t - 1,i,d] * rescale[b,h,t,i]; "
               "p[j] = floor(j / softmax_block) = t ? block_weights[b,h,i,j] : 0; "
               "x[j] = floor(j / softmax_block) = t ? v[b,h,j,d] : 0",
    .torch = "o[t] = o[t-1] * a[..., None] + p @ v_of_block",
    .source = "Dao et al. 2022, algorithm 1, line 12",
    .influence = INFLUENCE_BY_ORIGIN,
    .back_from = "normalise",
    .calls = {{
        .reads = {SLOT("block_weights", "B H Lq Lk"), SLOT("v", "B H Lk d_v"),
                  SLOT("rescale", "B H blocks Lq")},
        .writes = {NAMED_SLOT("running_output", "running_output", "B H blocks Lq d_v")},
    }},
    .options = OPTION(softmax_block),
    .needs = OPTION(softmax_block),
    .settings = online_settings,
    .loop = "running_output_row",
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = running_output_run,
    .fast = fast_running_output,
    .origin = running_output_origin,
};

// --- normalise
//
// Normalise: after the last block, the one division of softmax.
//
//   context[b,h,i,d] = running_output[b,h,last,i,d] / running_sum[b,h,last,i]
//
// in    running_output [B, H, blocks, Lq, d_v]   running_sum [B, H, blocks, Lq]
// out   context_heads [B, H, Lq, d_v]
// note  a row whose keys are all masked is 0 / 0, NaN, as in softmax
// cost  B * H * Lq * d_v divisions
// from  Dao 2023 (FlashAttention-2), section 3.1: divide once, at the end

enum { NORMALISE_IN_OUTPUT, NORMALISE_IN_SUM };

static void normalise(const Tensor *output, const Tensor *total, Tensor *context)
{
    ptrdiff_t last = total->shape[2] - 1;
    for (ptrdiff_t b = 0; b < context->shape[0]; b++)
        for (ptrdiff_t h = 0; h < context->shape[1]; h++)
            for (ptrdiff_t i = 0; i < context->shape[2]; i++)
                for (ptrdiff_t d = 0; d < context->shape[3]; d++) {
                    float sum = *tensor_at4(total, b, h, last, i);
                    *tensor_at4(context, b, h, i, d) = *tensor_at5(output, b, h, last, i, d) / sum;
                }
}

RUN_ON_TWO(normalise)

static void normalise_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t b = at[0], h = at[1], i = at[2], d = at[3];
    ptrdiff_t last = args->in[NORMALISE_IN_SUM].shape[2] - 1;
    float output = *tensor_at5(&args->in[NORMALISE_IN_OUTPUT], b, h, last, i, d);
    float total = *tensor_at4(&args->in[NORMALISE_IN_SUM], b, h, last, i);
    term_two(terms, TERM_DIVIDE, TELL(ONLINE_DIVIDE),
             (SourcePair){SOURCE(NORMALISE_IN_OUTPUT, b, h, last, i, d),
                          SOURCE(NORMALISE_IN_SUM, b, h, last, i)},
             total, output / total);
}

const Stage stage_normalise = {
    .name = "normalise",
    .formula = "context[b,h,i,d] = running_output[b,h,blocks - 1,i,d] / "
               "running_sum[b,h,blocks - 1,i]",
    .torch = "context = o[-1] / l[-1][..., None]",
    .source = "Dao 2023, section 3.1",
    .influence = INFLUENCE_BY_ORIGIN,
    .calls = {{
        .reads = {SLOT("running_output", "B H blocks Lq d_v"),
                  SLOT("running_sum", "B H blocks Lq")},
        .writes = {NAMED_SLOT("context", "context_heads", "B H Lq d_v")},
    }},
    .needs = OPTION(softmax_block),
    .terms = {[TERM_DIVIDE] = "/ sum"},
    .run = normalise_run,
    .fast = fast_normalise,
    .origin = normalise_origin,
};

// --- weights_again
//
// Weights again: the backward pass needs softmax's weights, which were not kept. A row's scores, last
// maximum and last sum give them again.
//
//   weights[b,h,i,j] = e^(scores[b,h,i,j] - running_max[b,h,last,i]) / running_sum[b,h,last,i]
//
// in    scores [B, H, Lq, Lk]   running_max [B, H, blocks, Lq]   running_sum [B, H, blocks, Lq]
// out   weights_again [B, H, Lq, Lk]  softmax's weights up to rounding; a masked key gets 0
// cost  B * H * Lq * Lk exponentials and divisions: recomputed instead of stored
// from  Dao et al. 2022, algorithm 4, line 13

enum { WEIGHTS_AGAIN_IN_SCORES, WEIGHTS_AGAIN_IN_MAX, WEIGHTS_AGAIN_IN_SUM };

static void weights_again(const Tensor *scores, const Tensor *max, const Tensor *total,
                          Tensor *weights)
{
    ptrdiff_t last = max->shape[2] - 1;
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    float score = *tensor_at4(scores, b, h, i, j);
                    float e = score == -INFINITY
                                  ? 0.0f
                                  : exponential(score - *tensor_at4(max, b, h, last, i));
                    float sum = *tensor_at4(total, b, h, last, i);
                    *tensor_at4(weights, b, h, i, j) = e / sum;
                }
}

RUN_ON_THREE(weights_again)

static void weights_again_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t b = at[0], h = at[1], i = at[2], j = at[3];
    ptrdiff_t last = terms->args->in[WEIGHTS_AGAIN_IN_MAX].shape[2] - 1;
    Source score = SOURCE(WEIGHTS_AGAIN_IN_SCORES, b, h, i, j);
    Source max = SOURCE(WEIGHTS_AGAIN_IN_MAX, b, h, last, i);
    Source sum = SOURCE(WEIGHTS_AGAIN_IN_SUM, b, h, last, i);
    if (term_number(terms, score) == -INFINITY) {
        term_one(terms, TERM_RULE, TELL(ONLINE_MASKED), score, 0.0f, 0.0f);
    } else {
        float e = exponential(term_number(terms, score) - term_number(terms, max));
        term_two(terms, TERM_RULE, TELL(ONLINE_EXP_LAST), (SourcePair){score, max}, e, e);
    }
    float total = term_number(terms, sum);
    term_one(terms, TERM_DIVIDE, TELL(ONLINE_DIVIDE), sum, total, terms->running / total);
}

const Stage stage_weights_again = {
    .name = "weights_again",
    .formula = "weights[b,h,i,j] = e / running_sum[b,h,blocks - 1,i]; "
               "e = scores[b,h,i,j] = -inf ? 0 : exp(scores[b,h,i,j] - m); "
               "m = running_max[b,h,blocks - 1,i]",
    .torch = "weights = torch.exp(scores - m[-1][..., None]) / l[-1][..., None]",
    .source = "Dao et al. 2022, algorithm 4, line 13",
    .influence = INFLUENCE_BY_ORIGIN,
    .calls = {{
        .of = "normalise",
        .reads = {SLOT("scores", "B H Lq Lk", .from_before = true),
                  SLOT("running_max", "B H blocks Lq", .from_before = true),
                  SLOT("running_sum", "B H blocks Lq")},
        .writes = {NAMED_SLOT("weights", "weights_again", "B H Lq Lk")},
    }},
    .terms = {[TERM_DIVIDE] = "/ sum"},
    .run = weights_again_run,
    .fast = fast_weights_again,
    .origin = weights_again_origin,
};

// --- normalise_backward_sum
//
// Normalise, backward: how much the gradients of a row would lift all its weights at once, from its d_v
// numbers alone. softmax_backward_sum has the same sum over the Lk weights of the row:
// sum over j of w[j] * (grad . v[j]) = grad . (sum over j of w[j] * v[j]) = grad . context.
//
//   row_sums[b,h,i] = sum over d of context[b,h,i,d] * grad.context[b,h,i,d]
//
// in    context [B, H, Lq, d_v]   grad.context [B, H, Lq, d_v]
// out   row_sums [B, H, Lq]
// cost  B * H * Lq * d_v multiply-adds
// from  Dao et al. 2022, appendix B.2, eq. 4

static void normalise_backward_sum(const Tensor *context, const Tensor *grad_context,
                                   Tensor *row_sums)
{
    for (ptrdiff_t b = 0; b < row_sums->shape[0]; b++)
        for (ptrdiff_t h = 0; h < row_sums->shape[1]; h++)
            for (ptrdiff_t i = 0; i < row_sums->shape[2]; i++) {
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < context->shape[3]; d++)
                    sum = fmaf(*tensor_at4(context, b, h, i, d),
                               *tensor_at4(grad_context, b, h, i, d), sum);
                *tensor_at3(row_sums, b, h, i) = sum;
            }
}

RUN_ON_TWO(normalise_backward_sum)

const Stage stage_normalise_backward_sum = {
    .name = "normalise_backward_sum",
    .formula = "row_sums[b,h,i] = sum_d context[b,h,i,d] * grad_context[b,h,i,d]",
    .torch = "row_sums = (context * grad_context).sum(-1)",
    .source = "Dao et al. 2022, appendix B.2, eq. 4",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "normalise",
        .reads = {SLOT("context", "B H Lq d_v"), SLOT("grad.context", "B H Lq d_v")},
        .writes = {NAMED_SLOT("row_sums", "row_sums", "B H Lq")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = normalise_backward_sum_run,
    .fast = fast_softmax_backward_sum,
};
