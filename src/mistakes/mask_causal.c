// The family of mistakes whose causal mask begins at another place than right behind the query.
//
//   attn_mask[i,j] = (j > i + 1)  or  (j >= i)  or ...   instead of (j > i)
//
// mask_causal.def has the rule of each.
#include "mistake_family.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

typedef struct Row {
    bool (*hides)(ptrdiff_t i, ptrdiff_t j); // the key j from the query i
    Words because;                           // of it, as a term
    MaskRule *masks;
    bool (*masks_pair)(const MaskedPair *pair);
} Row;

// The other masks stay right: only the causal one has the mistake's rule.
static Term masks(const Row *row, const StageArgs *args, const ptrdiff_t at[4])
{
    StageOptions others = *args->options;
    others.causal = false;
    bool later = args->options->causal && row->hides(at[2] + args->options->causal_shift, at[3]);
    return mistake_mask_or(mistake_mask_right(args, &others, at), later, words_tell(row->because),
                           0, NULL);
}

static bool run(const Row *row, StageArgs *args, Error *err)
{
    (void)err;
    mistake_mask_run(args, row->masks);
    return true;
}

static void origin(const Row *row, const StageArgs *args, int slot, const ptrdiff_t at[],
                   TermVisit *visit, void *context)
{
    mistake_mask_origin(args, row->masks, slot, at, visit, context);
}

static const Words *cannot_show(const Row *row, const Scenario *scenario)
{
    if (!scenario->options.causal)
        return &reason_no_causal_mask;
    return mistake_same_masks(scenario, row->masks_pair, &reason_no_later_key);
}

// --- a stage for each row

#define CAUSAL_BY(id, label, rule, formula_text, torch_text, because, because_ko, ...) \
    static bool hides_##id(ptrdiff_t i, ptrdiff_t j) \
    { \
        return rule; \
    } \
    static MaskRule masks_##id; \
    static bool masks_pair_##id(const MaskedPair *pair) \
    { \
        return hides_##id(pair->i, pair->j) || pair->padding || pair->given; \
    } \
    static const Row row_##id = {hides_##id, WORDS(because, because_ko), masks_##id, \
                                 masks_pair_##id}; \
    static Term masks_##id(const StageArgs *args, const ptrdiff_t at[4]) \
    { \
        return masks(&row_##id, args, at); \
    } \
    FAMILY_MEMBER(id) \
    static const Stage stage_##id = { \
        .name = "mask", \
        .formula = formula_text, \
        .torch = torch_text, \
        .source = "a common mistake", \
        .use = STAGE_WITH_MASK, \
        .main_output = MASK_OUT_SCORES, \
        .calls = {{.reads = {MASK_READS}, .writes = {MASK_WRITES}}}, \
        .run = run_##id, \
        .shapes = mistake_mask_own_shapes, \
        .origin = origin_##id, \
    };
#include "mask_causal.def"
#undef CAUSAL_BY

#define CAUSAL_BY(id, label, rule, formula_text, torch_text, because, because_ko, ...) \
    FAMILY_MISTAKE(id, label, __VA_ARGS__)
const Mistake family_mask_causal[] = {
#include "mask_causal.def"
    FAMILY_END};
