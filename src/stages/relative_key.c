// Relative key: adds to every score what the query has to do with how far the key lies from it: a vector
// was learned for each distance, as wide as a head.
//
//   scores_distant[b,h,i,j] = scores[b,h,i,j] + sum over d of q[b,h,i,d] * weight[i - j + P - 1, d]
//
// in    scores [B, H, Lq, Lk]   q [B, H, Lq, d_k]   weight [distances, d_k]  distances = 2 * P - 1, for
//       keys from P - 1 places behind the query to as many before it
//       k [B, H, Lk, d_k]  where relative_query: the same of the key is added, too
// out   scores_distant [B, H, Lq, Lk]
// error a distance that has no vector
// cost  B * H * Lq * Lk * d_k multiplications, twice as many with relative_query
// from  Shaw et al. 2018, section 3.2; with the key's: Huang et al. 2020; as BERT's code has them
//       (position_embedding_type)
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

enum { IN_SCORES, IN_Q, IN_WEIGHT, IN_K };

// The row of a distance: that of the query's own place is the middle one.
static ptrdiff_t row_of(ptrdiff_t i, ptrdiff_t j, const Tensor *weight)
{
    return i - j + weight->shape[0] / 2;
}

// What token l, which is a query or a key, has to do with a distance.
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
                    // Two keys with one content
                    // get two scores where they
                    // lie at different distances.
                    ptrdiff_t row = row_of(i, j, weight);
                    float sum = *tensor_at4(scores, b, h, i, j) + product(q, b, h, i, weight, row);
                    // A key may say for itself
                    // from where it is to be seen.
                    if (k)
                        sum += product(k, b, h, j, weight, row);
                    *tensor_at4(scores_distant, b, h, i, j) = sum;
                }
}

static const Tensor *key_of(const StageArgs *args)
{
    return args->options->relative_query ? &args->in[IN_K] : NULL;
}

static bool relative_key_run(StageArgs *args, Error *err)
{
    (void)err;
    relative_key(&args->in[IN_SCORES], &args->in[IN_Q], &args->in[IN_WEIGHT], key_of(args),
                 &args->out[0]);
    return true;
}

static bool relative_key_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t queries = args->in[IN_SCORES].shape[2], keys = args->in[IN_SCORES].shape[3];
    ptrdiff_t tokens = queries > keys ? queries : keys, rows = args->in[IN_WEIGHT].shape[0];
    return (rows % 2 == 1 && tokens <= rows / 2 + 1) ||
           error_set(err, TELL(RELATIVE_KEY_FEW), rows, rows / 2 + 1, tokens);
}

static void tell_products(const StageArgs *args, const ptrdiff_t at[], int in, float *sum,
                          TermVisit *visit, void *context)
{
    const Tensor *of = &args->in[in], *weight = &args->in[IN_WEIGHT];
    ptrdiff_t row = row_of(at[2], at[3], weight), l = at[in == IN_Q ? 2 : 3];
    float own = 0.0f, before = *sum;
    for (ptrdiff_t d = 0; d < weight->shape[1]; d++) {
        float a = *tensor_at4(of, at[0], at[1], l, d), b = *tensor_at2(weight, row, d);
        own = fmaf(a, b, own);
        *sum = before + own;
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{in, {at[0], at[1], l, d}}, {IN_WEIGHT, {row, d}}},
                               .value = a * b,
                               .running = *sum});
    }
}

// The score as it was, then d_k products of the query and the vector of the distance.
static void relative_key_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                TermVisit *visit, void *context)
{
    (void)slot;
    float sum = *tensor_at4(&args->in[IN_SCORES], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(RELATIVE_SCORE),
                           .source_count = 1,
                           .sources = {{IN_SCORES, {at[0], at[1], at[2], at[3]}}},
                           .value = sum,
                           .running = sum});
    tell_products(args, at, IN_Q, &sum, visit, context);
    if (key_of(args))
        tell_products(args, at, IN_K, &sum, visit, context);
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
        .reads = {{.role = "scores", .axes = "B H Lq Lk"},
                  {.role = "q", .axes = "B H Lq d_k"},
                  {.role = "relative_key.weight", .axes = "distances d_k"},
                  {.role = "k", .axes = "B H Lk d_k"}},
        .writes = {{.role = "scores", .tensor = "scores_distant", .axes = "B H Lq Lk"}},
    }},
    .options = OPTION(relative_key) | OPTION(relative_query),
    .needs = OPTION(relative_key),
    .loop = "product",
    .terms = {[TERM_MULTIPLY_ADD] = "sum = fmaf("},
    .run = relative_key_run,
    .shapes = relative_key_shapes,
    .origin = relative_key_origin,
};
