// The family of mistakes that put another number than -inf in the place of a masked score.
//
//   scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? number : scores[b,h,i,j]
//
// mask_value.def has the number of each.
#include "mistake_family.h"

#include "mistake_mask.h"
#include "mistake_scenario.h"

typedef struct Row {
    float number;
    Words same; // why it cannot show: a scenario masks with that number itself
} Row;

// The right stage, with the mistake's number as its option.
static StageArgs with_number(const StageArgs *args, float number, StageOptions *options)
{
    StageArgs other = *args;
    *options = *args->options;
    options->mask_value = number;
    other.options = options;
    return other;
}

static bool run(const Row *row, StageArgs *args, Error *err)
{
    StageOptions options;
    StageArgs other = with_number(args, row->number, &options);
    return stage_find("mask")->run(&other, err);
}

static void origin(const Row *row, const StageArgs *args, int slot, const ptrdiff_t at[],
                   TermVisit *visit, void *context)
{
    StageOptions options;
    StageArgs other = with_number(args, row->number, &options);
    stage_find("mask")->origin(&other, slot, at, visit, context);
}

static const Words *cannot_show(const Row *row, const Scenario *scenario)
{
    if (scenario->options.mask_value == row->number)
        return &row->same;
    return mistake_no_masked_key(scenario);
}

// --- a stage for each row

#define MASKED_BY(id, label, masked, formula_text, torch_text, same, same_ko, ...) \
    static const Row row_##id = {masked, WORDS(same, same_ko)}; \
    FAMILY_MEMBER(id) \
    static const Stage stage_##id = { \
        .name = "mask", \
        .formula = formula_text, \
        .torch = torch_text, \
        .source = "a common mistake", \
        .use = STAGE_WITH_MASK, \
        .main_output = MASK_OUT_SCORES, \
        .calls = {{.reads = {MASK_READS, MASK_READS_BUFFER}, .writes = {MASK_WRITES}}}, \
        .run = run_##id, \
        .shapes = mistake_mask_shapes, \
        .origin = origin_##id, \
    };
#include "mask_value.def"
#undef MASKED_BY

#define MASKED_BY(id, label, masked, formula_text, torch_text, same, same_ko, ...) \
    FAMILY_MISTAKE(id, label, __VA_ARGS__)
const Mistake family_mask_value[] = {
#include "mask_value.def"
    FAMILY_END};
