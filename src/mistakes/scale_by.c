// The family of mistakes that scale the scores by another number than sqrt(d_k), or multiply by it.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j] / number   or   scores[b,h,i,j] * number
//
// scale_by.def has the number of each.
#include "mistake_family.h"

#include <math.h>
#include "mistake_reason.h"
#include "mistakes_words.h"

enum { IN_SCORES, IN_Q };

typedef struct Row {
    bool multiplies; // false: divides
    float (*number)(ptrdiff_t heads, ptrdiff_t d_k, float scale);
} Row;

// The right stage divides by sqrt(d_k); here `number` is what the mistake takes in its place.
static void scale_scores(const Tensor *scores, bool multiplies, float number, Tensor *scores_scaled)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    float score = *tensor_at4(scores, b, h, i, j);
                    *tensor_at4(scores_scaled, b, h, i, j) =
                        multiplies ? score * number : score / number;
                }
}

// q is read for its shape, and only by those that need d_k.
static float number_of(const Row *row, const StageArgs *args)
{
    return row->number(args->in[IN_SCORES].shape[1], args->in[IN_Q].shape[3], args->options->scale);
}

static bool run(const Row *row, StageArgs *args, Error *err)
{
    (void)err;
    scale_scores(&args->in[IN_SCORES], row->multiplies, number_of(row, args), &args->out[0]);
    return true;
}

static void origin_of_product(float number, const StageArgs *args, const ptrdiff_t at[],
                              TermVisit *visit, void *context)
{
    float score = *tensor_at4(&args->in[IN_SCORES], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(TERM_TIMES_SCALE),
                           .source_count = 1,
                           .sources = {{IN_SCORES, {at[0], at[1], at[2], at[3]}}},
                           .value = number,
                           .running = score * number});
}

static void origin(const Row *row, const StageArgs *args, int slot, const ptrdiff_t at[],
                   TermVisit *visit, void *context)
{
    StageArgs other = *args;
    StageOptions options = *args->options;
    options.scale = number_of(row, args);
    other.options = &options;
    if (row->multiplies)
        origin_of_product(options.scale, args, at, visit, context);
    else
        stage_find("scale")->origin(&other, slot, at, visit, context);
}

static const Words *cannot_show(const Row *row, const Scenario *scenario)
{
    if (!scenario->scaled)
        return &reason_no_scale;
    float scale = scenario->options.scale;
    float number = row->number(scenario->has_heads ? scenario->size[SYMBOL_H] : 1,
                               scenario->size[SYMBOL_D_K], scale);
    if (row->multiplies)
        return number * scale == 1.0f ? &reason_scale_one : NULL;
    return number == scale ? &reason_same_divisor : NULL;
}

// --- a stage for each row

#define SCORES \
    { \
        .role = "scores", .axes = "B H Lq Lk" \
    }
#define OF_SCORES .reach = REACH_BY_AXES, .calls = {{.reads = {SCORES}, .writes = {SCALED_SCORES}}}
#define OF_SCORES_AND_Q \
    .calls = {{.reads = {SCORES, {.role = "q", .axes = "B H Lq d_k"}}, .writes = {SCALED_SCORES}}}
#define SCALED_SCORES \
    { \
        .role = "scores", .tensor = "scores_scaled", .axes = "B H Lq Lk" \
    }
#define DIVIDES false
#define MULTIPLIES true

#define SCALED_BY(id, label, wiring, operation, expression, formula_text, torch_text, ...) \
    static float number_##id(ptrdiff_t heads, ptrdiff_t d_k, float scale) \
    { \
        (void)heads, (void)d_k, (void)scale; \
        return (float)(expression); \
    } \
    static const Row row_##id = {operation, number_##id}; \
    FAMILY_MEMBER(id) \
    static const Stage stage_##id = { \
        .name = "scale", \
        .formula = formula_text, \
        .torch = torch_text, \
        .source = "a common mistake", \
        .use = STAGE_WITH_SCALE, \
        .run = run_##id, \
        .origin = origin_##id, \
        wiring, \
    };
#include "scale_by.def"
#undef SCALED_BY

#define SCALED_BY(id, label, wiring, operation, expression, formula_text, torch_text, ...) \
    FAMILY_MISTAKE(id, label, __VA_ARGS__)
const Mistake family_scale_by[] = {
#include "scale_by.def"
    FAMILY_END};
