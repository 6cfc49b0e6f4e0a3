// Adds numbers to the scores for the distance between query and key.
#include <math.h>
#include <stdio.h>
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- alibi
//
// ALiBi: subtracts from every score the distance of its key, times a slope for each head, so that near
// keys are preferred and tokens need no positions (attention with linear biases).
//
//   scores_biased[b,h,i,j] = scores[b,h,i,j] - slope[h] * |i - j|
//   slope[h] = 2^(-8 (h+1) / H)     for H = 2, 4, 8, ... heads
//
// in    scores [B, H, Lq, Lk]
// out   scores_biased [B, H, Lq, Lk]
// cost  B * H * Lq * Lk multiplications and subtractions
// from  Press et al. 2022 (ALiBi), section 3; slopes for other numbers of heads as in its code
//
// With P the largest power of two up to H, the first P heads have the slopes of P heads, the others
// every second slope of 2P heads. Under a causal mask no key follows the query, so the distance is the
// paper's i - j. The power is libm's in double precision, narrowed to float once.

static float slope(ptrdiff_t h, ptrdiff_t heads)
{
    ptrdiff_t power = 1;
    while (2 * power <= heads)
        power *= 2;
    // 8 heads: 1/2, 1/4, ... 1/256. A steep
    // slope sees neighbours, a flat one sees
    // far.
    double exponent = h < power ? 8.0 * (double)(h + 1) / (double)power
                                : 8.0 * (double)(2 * (h - power) + 1) / (double)(2 * power);
    return (float)exp2(-exponent);
}

static float bias(ptrdiff_t h, ptrdiff_t heads, ptrdiff_t i, ptrdiff_t j)
{
    return slope(h, heads) * (float)(i > j ? i - j : j - i);
}

static void alibi(const Tensor *scores, ptrdiff_t shift, Tensor *scores_biased)
{
    ptrdiff_t heads = scores->shape[1];
    // The same for every b: it depends on
    // positions, not on words. A token that
    // looks at itself loses nothing: query
    // i's own key is i, or i + shift if
    // earlier keys were kept.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < heads; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_biased, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) - bias(h, heads, i + shift, j);
}

static bool alibi_run(StageArgs *args, Error *err)
{
    alibi(&args->in[0], args->options->causal_shift, &args->out[0]);
    return true;
}

static void alibi_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    float taken = bias(at[1], args->in[0].shape[1], at[2] + args->options->causal_shift, at[3]);
    term_copy(terms, TERM_COPY, TELL(ALIBI_SCORE), term_here(terms, 0, at));
    term_rule(terms, TELL(ALIBI_TAKEN), taken, terms->running - taken);
}

const Stage stage_alibi = {
    .name = "alibi",
    .formula = "scores_biased[b,h,i,j] = scores[b,h,i,j] - slope[h] * |i + causal_shift - j|",
    .where = "slope[h] = float32(2^(-8 * (h < power ? (h + 1)/power : (h - power + 1/2)/power))); "
             "power = 2^floor(log2(H))",
    .torch = "scores = scores - slopes[:, None, None] * (i - j).abs()",
    .source = "Press et al. 2022 (ALiBi), section 3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk")},
        .writes = {NAMED_SLOT("scores", "scores_biased", "B H Lq Lk")},
    }},
    .options = OPTION(alibi) | OPTION(causal_shift),
    .needs = OPTION(alibi),
    .run = alibi_run,
    .origin = alibi_origin,
};

// --- relative_bias
//
// Relative bias: adds to every score a learned number for the distance from query to key, one for each
// head, so that tokens need no positions (T5).
//
//   scores_relative[b,h,i,j] = scores[b,h,i,j] + weight[bucket(j - i), h]
//
// Distances share the relative_buckets rows of the weight. Under a causal mask the distance is i - j,
// and keys after the query count as 0. Otherwise keys before the query use the first half of the rows
// and keys after it the second, by |i - j|. Half of these rows are for the distances 0, 1, 2 ..., the
// others for ever wider ranges:
//
//   bucket = near + (rows - near) * log(distance / near) / log(relative_distance / near)
//
// rounded down, and at most rows - 1; near = rows / 2
//
// in    scores [B, H, Lq, Lk]   weight [buckets, H]
//       relative_buckets, relative_distance: all longer distances share one bucket; causal
// out   scores_relative [B, H, Lq, Lk]
// error relative_distance is not above `near`
// cost  B * H * Lq * Lk logarithms and additions
// from  Raffel et al. 2020 (T5), section 2.1; the buckets as in its code
//
// Logarithm, quotient and product are each narrowed to float32, as in PyTorch: rounding the product
// down depends on its last bit. This holds in both precisions of this file (widen.h), since a row
// number cannot be more exact.

enum { RELATIVE_BIAS_IN_SCORES, RELATIVE_BIAS_IN_WEIGHT };

// The float32 nearest to x.
static double narrowed(double x)
{
    int exponent;
    double part = frexp(x, &exponent);
    return ldexp(rint(ldexp(part, 24)), exponent - 24);
}

// The number of rows for keys on one side of the query.
static ptrdiff_t rows_of(const StageOptions *options)
{
    return options->causal ? options->relative_buckets : options->relative_buckets / 2;
}

// The row of the weight for a key at j and a query at i.
static ptrdiff_t bucket(ptrdiff_t i, ptrdiff_t j, const StageOptions *options)
{
    ptrdiff_t rows = rows_of(options), near = rows / 2;
    bool ahead = j > i && !options->causal;
    ptrdiff_t first = ahead ? rows : 0, distance = ahead ? j - i : j < i ? i - j : 0;
    if (distance < near)
        return first + distance;
    // Far away one step matters less, so ever
    // longer ranges share a row.
    double span = narrowed(log((double)options->relative_distance / (double)near));
    double ratio = narrowed(log(narrowed((double)distance / (double)near)));
    double far = narrowed(narrowed(ratio / span) * (double)(rows - near));
    return first + (far < (double)(rows - 1 - near) ? near + (ptrdiff_t)far : rows - 1);
}

static void relative_bias(const Tensor *scores, const Tensor *weight, const StageOptions *options,
                          Tensor *scores_relative)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_relative, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) +
                        *tensor_at2(weight, bucket(i + options->causal_shift, j, options), h);
}

static bool relative_bias_run(StageArgs *args, Error *err)
{
    relative_bias(&args->in[RELATIVE_BIAS_IN_SCORES], &args->in[RELATIVE_BIAS_IN_WEIGHT],
                  args->options, &args->out[0]);
    return true;
}

static bool relative_bias_shapes(StageArgs *args, Error *err)
{
    const StageOptions *options = args->options;
    return options->relative_distance > rows_of(options) / 2 ||
           error_set(err, TELL(RELATIVE_DISTANCE), options->relative_distance,
                     rows_of(options) / 2);
}

static void relative_bias_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, TELL(RELATIVE_SETTINGS), options->relative_buckets,
             options->relative_distance);
}

static void relative_bias_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageOptions *options = terms->args->options;
    ptrdiff_t row = bucket(at[2] + options->causal_shift, at[3], options);
    term_copy(terms, TERM_COPY, TELL(RELATIVE_SCORE),
              term_here(terms, RELATIVE_BIAS_IN_SCORES, at));
    term_add(terms, TELL(RELATIVE_ADDED), SOURCE(RELATIVE_BIAS_IN_WEIGHT, row, at[1]));
}

const Stage stage_relative_bias = {
    .name = "relative_bias",
    .formula = "scores_relative[b,h,i,j] = scores[b,h,i,j] + weight[bucket, h]",
    .where = "own = i + causal_shift; bucket = (ahead ? rows : 0) + "
             "(distance < near ? distance : min(near + floor(far), rows - 1)); "
             "rows = causal ? relative_buckets : floor(relative_buckets / 2); "
             "near = floor(rows / 2); ahead = not causal and j > own; "
             "distance = ahead ? j - own : max(own - j, 0); "
             "far = float32(float32(float32(log(float32(distance / near))) / "
             "float32(log(relative_distance / near))) * (rows - near))",
    .torch = "scores = scores + relative_bias(bucket).permute(2, 0, 1)",
    .source = "Raffel et al. 2020 (T5), section 2.1",
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk"), SLOT("relative_bias.weight", "buckets H")},
        .writes = {NAMED_SLOT("scores", "scores_relative", "B H Lq Lk")},
    }},
    .options = OPTION(relative_buckets) | OPTION(relative_distance) | OPTION(causal) |
               OPTION(causal_shift),
    .needs = OPTION(relative_buckets),
    .settings = relative_bias_settings,
    .terms = {[TERM_ADD] = "*tensor_at2(weight"},
    .run = relative_bias_run,
    .shapes = relative_bias_shapes,
    .origin = relative_bias_origin,
};

// --- relative_bias_backward
//
// Relative bias, backward: a number of the table sums the gradients of all scores to which it was added.
//
//   grad.weight[r,h] = sum over b, then i, then j with bucket(j - i) = r, of grad.scores_relative[b,h,i,j]
//
// in    grad.scores_relative [B, H, Lq, Lk]; the options of relative_bias
// out   grad.relative_bias.weight [buckets, H]  0 for distances that do not occur
// cost  B * H * Lq * Lk logarithms and additions
// from  PyTorch: the gradient of nn.Embedding; Raffel et al. 2020 (T5), section 2.1

static void relative_bias_backward(const Tensor *grad_scores, const StageOptions *options,
                                   Tensor *grad_weight)
{
    for (ptrdiff_t h = 0; h < grad_weight->shape[1]; h++) {
        for (ptrdiff_t r = 0; r < grad_weight->shape[0]; r++)
            *tensor_at2(grad_weight, r, h) = 0.0f;
        for (ptrdiff_t b = 0; b < grad_scores->shape[0]; b++)
            for (ptrdiff_t i = 0; i < grad_scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_scores->shape[3]; j++) {
                    // All pairs of a bucket got the same
                    // number; its gradient is theirs, summed.
                    ptrdiff_t r = bucket(i + options->causal_shift, j, options);
                    *tensor_at2(grad_weight, r, h) += *tensor_at4(grad_scores, b, h, i, j);
                }
    }
}

static bool relative_bias_backward_run(StageArgs *args, Error *err)
{
    relative_bias_backward(&args->in[0], args->options, &args->out[0]);
    return true;
}

// A term for each pair at the row's distances; a rule if there is none.
static void relative_bias_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageOptions *options = terms->args->options;
    const Tensor *grad = &terms->args->in[0];
    bool has_any = false;
    for (ptrdiff_t b = 0; b < grad->shape[0]; b++)
        for (ptrdiff_t i = 0; i < grad->shape[2]; i++)
            for (ptrdiff_t j = 0; j < grad->shape[3]; j++)
                if (bucket(i + options->causal_shift, j, options) == at[0]) {
                    term_add(terms, TELL(RELATIVE_GRADIENT), SOURCE(0, b, at[1], i, j));
                    has_any = true;
                }
    if (!has_any)
        term_rule(terms, TELL(RELATIVE_NOBODY), 0.0f, 0.0f);
}

const Stage stage_relative_bias_backward = {
    .name = "relative_bias_backward",
    .formula = "grad_weight[r,h] = sum_j,i,b grad_scores[b,h,i,j] * [bucket[i,j] = r]",
    .where = "bucket[i,j] = (ahead[i,j] ? rows : 0) + (distance[i,j] < near ? distance[i,j] : "
             "min(near + floor(far[i,j]), rows - 1)); "
             "rows = causal ? relative_buckets : floor(relative_buckets / 2); "
             "near = floor(rows / 2); ahead[i,j] = not causal and j > i + causal_shift; "
             "distance[i,j] = ahead[i,j] ? j - i - causal_shift : max(i + causal_shift - j, 0); "
             "far[i,j] = float32(float32(float32(log(float32(distance[i,j] / near))) / "
             "float32(log(relative_distance / near))) * (rows - near))",
    .torch = "grad_weight.index_add_(0, bucket.flatten(), grad_scores.sum(0).flatten(1).T)",
    .source = "Raffel et al. 2020 (T5), section 2.1",
    .calls = {{
        .of = "relative_bias",
        .reads = {SLOT("grad.scores", "B H Lq Lk")},
        .writes = {NAMED_SLOT("grad.relative_bias.weight", "grad.relative_bias.weight", "buckets H",
                              .alias = "grad_weight")},
    }},
    .options = OPTION(relative_buckets) | OPTION(relative_distance) | OPTION(causal) |
               OPTION(causal_shift),
    .settings = relative_bias_settings,
    .terms = {[TERM_ADD] = "grad_weight, r, h) += "},
    .run = relative_bias_backward_run,
    .origin = relative_bias_backward_origin,
};

// --- relative_key
//
// Relative key: adds to every score the dot product of the query and a learned vector for its distance
// from the key.
//
//   scores_distant[b,h,i,j] = scores[b,h,i,j] + sum over d of q[b,h,i,d] * weight[i - j + P - 1, d]
//
// in    scores [B, H, Lq, Lk]   q [B, H, Lq, d_k]   weight [distances, d_k]  distances = 2 * P - 1, for
//       keys from P - 1 positions before the query to as many after it
//       k [B, H, Lk, d_k]  with relative_query: the key's dot product is added too
// out   scores_distant [B, H, Lq, Lk]
// error a distance without a vector
// cost  B * H * Lq * Lk * d_k multiplications, twice as many with relative_query
// from  Shaw et al. 2018, section 3.2; with the key's: Huang et al. 2020; as BERT's code has them
//       (position_embedding_type)

enum { RELATIVE_KEY_IN_SCORES, RELATIVE_KEY_IN_Q, RELATIVE_KEY_IN_WEIGHT, RELATIVE_KEY_IN_K };

// The row of a distance; distance 0 is the middle row.
static ptrdiff_t row_of(ptrdiff_t i, ptrdiff_t j, const Tensor *weight)
{
    return i - j + weight->shape[0] / 2;
}

// The dot product of token l, a query or a key, and a distance's vector.
static float product(const Tensor *of, ptrdiff_t b, ptrdiff_t h, ptrdiff_t l, const Tensor *weight,
                     ptrdiff_t row)
{
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < weight->shape[1]; d++)
        sum = fmaf(*tensor_at4(of, b, h, l, d), *tensor_at2(weight, row, d), sum);
    return sum;
}

static void relative_key(const Tensor *scores, const Tensor *q, const Tensor *weight,
                         const Tensor *k, Tensor *scores_distant)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    // Equal keys get different
                    // scores at different distances.
                    ptrdiff_t row = row_of(i, j, weight);
                    float sum = *tensor_at4(scores, b, h, i, j) + product(q, b, h, i, weight, row);
                    // The key too may prefer some
                    // distances.
                    if (k)
                        sum += product(k, b, h, j, weight, row);
                    *tensor_at4(scores_distant, b, h, i, j) = sum;
                }
}

static const Tensor *key_of(const StageArgs *args)
{
    return args->options->relative_query ? &args->in[RELATIVE_KEY_IN_K] : NULL;
}

static bool relative_key_run(StageArgs *args, Error *err)
{
    relative_key(&args->in[RELATIVE_KEY_IN_SCORES], &args->in[RELATIVE_KEY_IN_Q],
                 &args->in[RELATIVE_KEY_IN_WEIGHT], key_of(args), &args->out[0]);
    return true;
}

static bool relative_key_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t queries = args->in[RELATIVE_KEY_IN_SCORES].shape[2],
              keys = args->in[RELATIVE_KEY_IN_SCORES].shape[3];
    ptrdiff_t tokens = queries > keys ? queries : keys,
              rows = args->in[RELATIVE_KEY_IN_WEIGHT].shape[0];
    return (rows % 2 == 1 && tokens <= rows / 2 + 1) ||
           error_set(err, TELL(RELATIVE_KEY_FEW), rows, rows / 2 + 1, tokens);
}

static void emit_products(Terms *terms, const ptrdiff_t at[], int in)
{
    const Tensor *weight = &terms->args->in[RELATIVE_KEY_IN_WEIGHT];
    ptrdiff_t row = row_of(at[2], at[3], weight), l = at[in == RELATIVE_KEY_IN_Q ? 2 : 3];
    float own = 0.0f, before = terms->running;
    for (ptrdiff_t d = 0; d < weight->shape[1]; d++) {
        Source left = SOURCE(in, at[0], at[1], l, d);
        Source right = SOURCE(RELATIVE_KEY_IN_WEIGHT, row, d);
        float a = term_number(terms, left), b = term_number(terms, right);
        own = fmaf(a, b, own);
        term_two(terms, TERM_MULTIPLY_ADD, NULL, (SourcePair){left, right}, a * b, before + own);
    }
}

// The old score, then d_k products of the query and the distance's vector.
static void relative_key_origin(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_COPY, TELL(RELATIVE_SCORE), term_here(terms, RELATIVE_KEY_IN_SCORES, at));
    emit_products(terms, at, RELATIVE_KEY_IN_Q);
    if (key_of(terms->args))
        emit_products(terms, at, RELATIVE_KEY_IN_K);
}

const Stage stage_relative_key = {
    .name = "relative_key",
    .formula = "scores_distant[b,h,i,j] = scores[b,h,i,j] + sum_d q[b,h,i,d] * weight[row,d]",
    .where = "row = i - j + floor(distances/2)",
    .torch = "scores = scores + torch.einsum('bhld,lrd->bhlr', q, distances)",
    .source = "Shaw et al. 2018, section 3.2",
    .form =
        {.option = OPTION(relative_query),
         .formula = "scores_distant[b,h,i,j] = scores[b,h,i,j] + sum_d q[b,h,i,d] * weight[row,d] "
                    "+ sum_d k[b,h,j,d] * weight[row,d]",
         .torch =
             "scores = scores + einsum('bhld,lrd->bhlr', q, w) + einsum('bhrd,lrd->bhlr', k, w)"},
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk"), SLOT("q", "B H Lq d_k"),
                  SLOT("relative_key.weight", "distances d_k"), SLOT("k", "B H Lk d_k")},
        .writes = {NAMED_SLOT("scores", "scores_distant", "B H Lq Lk")},
    }},
    .options = OPTION(relative_key) | OPTION(relative_query),
    .needs = OPTION(relative_key),
    .loop = "product",
    .terms = {[TERM_MULTIPLY_ADD] = "sum = fmaf("},
    .run = relative_key_run,
    .shapes = relative_key_shapes,
    .origin = relative_key_origin,
};
