// Relative bias: adds to every score a number that was learned for how far the key lies from the query,
// one for each head, so that no token needs a position of its own (T5).
//
//   scores_relative[b,h,i,j] = scores[b,h,i,j] + weight[bucket(j - i), h]
//
// Distances share the relative_buckets rows of the weight. Where a mask is causal, keys lie behind: the
// distance is i - j, and those after the query count as 0. Else keys behind have the first half of the
// rows and keys ahead the second, by |i - j|. Of these rows half are for the distances 0, 1, 2 ..., and
// the others for ever longer ones:
//
//   bucket = near + (rows - near) * log(distance / near) / log(relative_distance / near)
//
// cut to a whole number, and at most rows - 1; near = rows / 2
//
// in    scores [B, H, Lq, Lk]   weight [buckets, H]
//       relative_buckets, relative_distance: from there on all is one bucket; causal
// out   scores_relative [B, H, Lq, Lk]
// error relative_distance is no more than `near`
// cost  B * H * Lq * Lk logarithms and additions
// from  Raffel et al. 2020 (T5), section 2.1; the buckets as its code has them
//
// Logarithm, quotient and product are each narrowed to float32, as PyTorch has them: where the last one
// is cut, its last bit decides. They are so in either precision that this file is compiled for
// (widen.h), since the row that is read is no number that could be more exact.
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

enum { IN_SCORES, IN_WEIGHT };

// The float32 next to x.
static double narrowed(double x)
{
    int exponent;
    double part = frexp(x, &exponent);
    return ldexp(rint(ldexp(part, 24)), exponent - 24);
}

// How many rows of the weight are for keys on one side of the query.
static ptrdiff_t rows_of(const StageOptions *options)
{
    return options->causal ? options->relative_buckets : options->relative_buckets / 2;
}

// Which row of the weight stands for a key at j, seen from a query at i.
static ptrdiff_t bucket(ptrdiff_t i, ptrdiff_t j, const StageOptions *options)
{
    ptrdiff_t rows = rows_of(options), near = rows / 2;
    bool ahead = j > i && !options->causal;
    ptrdiff_t first = ahead ? rows : 0, distance = ahead ? j - i : j < i ? i - j : 0;
    if (distance < near)
        return first + distance;
    // Far away one step of distance matters
    // less, so longer and longer spans share
    // a row.
    double span = narrowed(log((double)options->relative_distance / (double)near));
    double way = narrowed(log(narrowed((double)distance / (double)near)));
    double far = narrowed(narrowed(way / span) * (double)(rows - near));
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
    (void)err;
    relative_bias(&args->in[IN_SCORES], &args->in[IN_WEIGHT], args->options, &args->out[0]);
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

static void relative_bias_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                 TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t row = bucket(at[2] + args->options->causal_shift, at[3], args->options);
    float score = *tensor_at4(&args->in[IN_SCORES], at[0], at[1], at[2], at[3]);
    float added = *tensor_at2(&args->in[IN_WEIGHT], row, at[1]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(RELATIVE_SCORE),
                           .source_count = 1,
                           .sources = {{IN_SCORES, {at[0], at[1], at[2], at[3]}}},
                           .value = score,
                           .running = score});
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(RELATIVE_ADDED),
                           .source_count = 1,
                           .sources = {{IN_WEIGHT, {row, at[1]}}},
                           .value = added,
                           .running = score + added});
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
        .reads = {{.role = "scores", .axes = "B H Lq Lk"},
                  {.role = "relative_bias.weight", .axes = "buckets H"}},
        .writes = {{.role = "scores", .tensor = "scores_relative", .axes = "B H Lq Lk"}},
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
