// mistake_scenario: see mistake_scenario.h.
#include "mistake_scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REASON(name, english, korean) const Words reason_##name = WORDS(english, korean);
#include "mistake_reasons.def"
#undef REASON

// --- padding and masks

static bool has_short_sequence(const Scenario *scenario)
{
    const ScenarioTensor *lengths = scenario_tensor(scenario, "lengths");
    for (ptrdiff_t b = 0; lengths && b < lengths->tensor.shape[0]; b++)
        if (*tensor_id1(&lengths->tensor, b) < scenario_text_keys(scenario))
            return true;
    return false;
}

static bool has_flag(const Scenario *scenario, const char *role)
{
    const ScenarioTensor *flags = scenario_tensor(scenario, role);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = flags && tensor_count(&flags->tensor) > 0; more;
         more = tensor_next(&flags->tensor, at))
        if (flags->tensor.storage.boolean[tensor_place(&flags->tensor, at)])
            return true;
    return false;
}

const Words *mistake_no_padding(const Scenario *scenario)
{
    if (!scenario_tensor(scenario, "tokens"))
        return &reason_no_tokens;
    return has_short_sequence(scenario) ? NULL : &reason_same_lengths;
}

// Whether some token has the id that fills up, which padding by ids takes for padding.
static bool has_pad_id(const Scenario *scenario)
{
    const ScenarioTensor *tokens = scenario_tensor(scenario, "tokens");
    for (ptrdiff_t i = 0; tokens && i < tokens->tensor.shape[0]; i++)
        if (*tensor_id1(&tokens->tensor, i) == scenario->options.pad_id)
            return scenario->options.padding_by_id;
    return false;
}

static bool masks_padding(const Scenario *scenario)
{
    return scenario->options.mask_padding &&
           (has_short_sequence(scenario) || has_pad_id(scenario) ||
            has_flag(scenario, "key_padding_mask"));
}

static bool is_pad_id(const Scenario *scenario, const Tensor *lengths, ptrdiff_t b, ptrdiff_t l)
{
    ptrdiff_t start = 0;
    for (ptrdiff_t before = 0; before < b; before++)
        start += *tensor_id1(lengths, before);
    return scenario->options.padding_by_id &&
           *tensor_id1(&scenario_tensor(scenario, "tokens")->tensor, start + l) ==
               scenario->options.pad_id;
}

static bool is_padding(const Scenario *scenario, ptrdiff_t b, ptrdiff_t l)
{
    const ScenarioTensor *lengths = scenario_tensor(scenario, "lengths");
    const ScenarioTensor *flags = scenario_tensor(scenario, "key_padding_mask");
    if (lengths && l < *tensor_id1(&lengths->tensor, b))
        return is_pad_id(scenario, &lengths->tensor, b, l);
    return lengths || (flags && *tensor_flag2(&flags->tensor, b, l));
}

// Without heads, a mask of three axes has no H axis: one is put in.
static bool is_given(const Scenario *scenario, const ptrdiff_t at[4])
{
    const ScenarioTensor *given = scenario_tensor(scenario, "mask");
    ptrdiff_t mask_at[TENSOR_RANK_MAX];
    if (!given)
        return false;
    Tensor mask = given->tensor;
    if (!scenario->has_heads && mask.rank == 3)
        mask = tensor_unsqueeze(&mask, 1);
    for (int axis = 0; axis < mask.rank; axis++)
        mask_at[axis] = mask.shape[axis] == 1 ? 0 : at[axis + 4 - mask.rank];
    return mask.storage.boolean[tensor_place(&mask, mask_at)];
}

// No mistake is about the window: keys that are too far away count as masked by a given mask.
static bool is_far(const Scenario *scenario, ptrdiff_t i, ptrdiff_t j)
{
    ptrdiff_t window = scenario->options.window;
    return window > 0 && (i > j ? i - j : j - i) >= window;
}

static MaskedPair masked_pair(const Scenario *scenario, const ptrdiff_t at[4])
{
    ptrdiff_t b = at[0], own = at[2] + scenario->options.causal_shift, j = at[3];
    bool masks_padding = scenario->options.mask_padding;
    ptrdiff_t keys = scenario_text_keys(scenario);
    bool is_square = scenario->size[SYMBOL_LQ] == keys;
    if (j >= keys) // appended: no rule of the text is about it
        return (MaskedPair){.i = own, .j = j, .given = is_given(scenario, at)};
    return (MaskedPair){
        .i = own,
        .j = j,
        .causal = scenario->options.causal && j > own,
        .padding = masks_padding && is_padding(scenario, b, j),
        .given = is_given(scenario, at) || is_far(scenario, own, j),
        .query_is_padding = masks_padding && is_square && is_padding(scenario, b, at[2]),
    };
}

const Words *mistake_same_masks(const Scenario *scenario, bool (*wrong)(const MaskedPair *pair),
                                const Words *none)
{
    if (!scenario->masked)
        return &reason_no_mask;
    bool is_right = true, is_there = false;
    ptrdiff_t shape[] = {scenario->size[SYMBOL_B],
                         scenario->has_heads ? scenario->size[SYMBOL_H] : 1,
                         scenario->size[SYMBOL_LQ], scenario->size[SYMBOL_LK]};
    Tensor pairs = tensor_over(NULL, DTYPE_BOOL, 4, shape);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(&pairs) > 0; more && is_right; more = tensor_next(&pairs, at)) {
        MaskedPair pair = masked_pair(scenario, at);
        is_right = wrong(&pair) == (pair.causal || pair.padding || pair.given);
        is_there = is_there || pair.padding || pair.causal;
    }
    return !is_right ? NULL : is_there ? &reason_other_masks : none;
}

// Without positions all pads have the same score: a row of pads alone shares its weight evenly, masked or
// not, unless it is NaN.
static bool is_masked_row(const Scenario *scenario, const ptrdiff_t row[3])
{
    bool differ = scenario->with_position || isinf(scenario->options.mask_value);
    for (ptrdiff_t j = 0; j < scenario->size[SYMBOL_LK]; j++) {
        const ptrdiff_t at[] = {row[0], row[1], row[2], j};
        MaskedPair pair = masked_pair(scenario, at);
        if (!pair.causal && !pair.padding && !pair.given)
            return false;
        differ = differ || !pair.padding;
    }
    return differ;
}

// Scores of a hundred below the others have a weight of 0 in float32.
// Whether a masked key can have weight: where masked scores are no smaller than others may be, and in
// a row whose keys are all masked.
static bool has_weight_behind_mask(const Scenario *scenario)
{
    if (!scenario->masked || scenario->options.mask_value > -100.0f)
        return scenario->masked;
    ptrdiff_t shape[] = {scenario->size[SYMBOL_B],
                         scenario->has_heads ? scenario->size[SYMBOL_H] : 1,
                         scenario->size[SYMBOL_LQ]};
    Tensor rows = tensor_over(NULL, DTYPE_BOOL, 3, shape);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(&rows) > 0; more; more = tensor_next(&rows, at))
        if (is_masked_row(scenario, at))
            return true;
    return false;
}

const Words *mistake_no_masked_key(const Scenario *scenario)
{
    if (!scenario->masked)
        return &reason_no_mask;
    ptrdiff_t last_query = scenario->size[SYMBOL_LQ] - 1,
              last_key = scenario_text_keys(scenario) - 1;
    bool masks = (scenario->options.causal && last_key > 0) || masks_padding(scenario) ||
                 has_flag(scenario, "mask") || is_far(scenario, last_query, 0) ||
                 is_far(scenario, 0, last_key);
    return masks ? NULL : &reason_nothing_masked;
}

bool mistake_masks_off_by_one(const MaskedPair *pair)
{
    return pair->j > pair->i + 1 || pair->padding || pair->given;
}

bool mistake_masks_diagonal(const MaskedPair *pair)
{
    return pair->j >= pair->i || pair->padding || pair->given;
}

bool mistake_masks_no_padding(const MaskedPair *pair)
{
    return pair->causal || pair->given;
}

const Words *mistake_no_leak(const Scenario *scenario)
{
    const Words *none = mistake_no_masked_key(scenario);
    if (none)
        return none;
    if (scenario->size[SYMBOL_LK] == 1 && scenario->options.mask_value > -INFINITY)
        return &reason_one_key;
    return has_weight_behind_mask(scenario) ? NULL : &reason_masked_weight_zero;
}

const Words *mistake_same_padding(const Scenario *scenario, int way)
{
    const ScenarioTensor *lengths = scenario_tensor(scenario, "lengths");
    for (ptrdiff_t b = 0; lengths && b < lengths->tensor.shape[0]; b++)
        for (ptrdiff_t l = 0; l < scenario_text_keys(scenario); l++) {
            ptrdiff_t length = *tensor_id1(&lengths->tensor, b);
            bool marked = way < 0 ? l < length : l >= length + way;
            if (marked != (l >= length))
                return NULL;
        }
    return &reason_same_lengths;
}

// --- heads and layers

ptrdiff_t mistake_heads(const Scenario *scenario)
{
    return scenario->has_heads ? scenario->size[SYMBOL_H] : 1;
}

const Words *mistake_no_heads(const Scenario *scenario)
{
    bool many = scenario->has_heads && scenario->size[SYMBOL_H] > 1;
    return many ? NULL : &reason_one_head;
}

// A layer takes part where its output is not given.
static bool has_bias(const Scenario *scenario, const char *output, const char *role)
{
    const ScenarioTensor *bias = scenario_tensor(scenario, role);
    for (ptrdiff_t o = 0; bias && !scenario_tensor(scenario, output) && o < bias->tensor.shape[0];
         o++)
        if (*tensor_at1(&bias->tensor, o) != 0.0f)
            return true;
    return false;
}

bool mistake_is_fused(const Scenario *scenario)
{
    return scenario_tensor(scenario, "in_proj.weight") ||
           scenario_tensor(scenario, "conv1d.in_proj.weight");
}

const Words *mistake_no_bias(const Scenario *scenario)
{
    bool some = has_bias(scenario, "q", "in_proj.bias") || has_bias(scenario, "q", "q_proj.bias") ||
                has_bias(scenario, "k", "k_proj.bias") || has_bias(scenario, "v", "v_proj.bias") ||
                has_bias(scenario, "output", "out_proj.bias");
    return some ? NULL : &reason_no_bias;
}

static bool same_tensor(const Scenario *scenario, const char *a, const char *b, const char *part)
{
    char role_a[64], role_b[64];
    snprintf(role_a, sizeof role_a, "%s%s", a, part);
    snprintf(role_b, sizeof role_b, "%s%s", b, part);
    const ScenarioTensor *one = scenario_tensor(scenario, role_a);
    const ScenarioTensor *other = scenario_tensor(scenario, role_b);
    return one == other || (one && other && strcmp(one->name, other->name) == 0);
}

bool mistake_same_projection(const Scenario *scenario, const char *a, const char *b)
{
    bool own_queries = scenario_tensor(scenario, "x_query") != NULL;
    bool inputs_differ = own_queries && (*a == 'q') != (*b == 'q');
    bool is_given = scenario_tensor(scenario, a) || scenario_tensor(scenario, b);
    return !inputs_differ && !is_given && !mistake_is_fused(scenario) &&
           same_tensor(scenario, a, b, "_proj.weight") &&
           same_tensor(scenario, a, b, "_proj.per_head") &&
           same_tensor(scenario, a, b, "_proj.bias");
}

bool mistake_masks_query(const MaskedPair *pair)
{
    return pair->causal || pair->given || pair->query_is_padding;
}

// --- layers

const Words *mistake_no_layer_with_bias(const Scenario *scenario)
{
    static const char *const layers[][2] = {{"q", "q_proj.bias"},
                                            {"k", "k_proj.bias"},
                                            {"v", "v_proj.bias"},
                                            {"output", "out_proj.bias"}};
    for (int i = 0; i < 4; i++)
        if (scenario_tensor(scenario, layers[i][1]) && !scenario_tensor(scenario, layers[i][0]))
            return NULL;
    return &reason_no_bias;
}

// A matrix of one row or column has one order only.
static bool is_thin(const Scenario *scenario, Symbol rows, Symbol columns)
{
    return scenario->size[rows] <= 1 || scenario->size[columns] <= 1;
}

const Words *mistake_no_matrix(const Scenario *scenario)
{
    static const char *const roles[] = {"q_proj.weight", "k_proj.weight", "v_proj.weight"};
    static const char *const per_head[] = {"q_proj.per_head", "k_proj.per_head", "v_proj.per_head"};
    static const Symbol widths[] = {SYMBOL_DK, SYMBOL_DK, SYMBOL_DV};
    static const Symbol head_widths[] = {SYMBOL_D_K, SYMBOL_D_K, SYMBOL_D_V};
    bool has_output = scenario_tensor(scenario, "out_proj.weight") ||
                      scenario_tensor(scenario, "conv1d.out_proj.weight");
    bool shows = (has_output && !is_thin(scenario, SYMBOL_DOUT, SYMBOL_DV)) ||
                 (mistake_is_fused(scenario) && !is_thin(scenario, SYMBOL_DK, SYMBOL_DIN));
    for (int i = 0; i < 3; i++)
        shows =
            shows ||
            (scenario_tensor(scenario, roles[i]) && !is_thin(scenario, widths[i], SYMBOL_DIN)) ||
            (scenario_tensor(scenario, per_head[i]) &&
             !is_thin(scenario, SYMBOL_DIN, head_widths[i]));
    return shows ? NULL : &reason_no_weight;
}

// Whether the layer of k or v has the shape of that of q, but is another one.
static bool is_replaced(const Scenario *scenario, const char *of_q, const char *other)
{
    const ScenarioTensor *q = scenario_tensor(scenario, of_q);
    const ScenarioTensor *theirs = scenario_tensor(scenario, other);
    return q && theirs && tensor_same_shape(&q->tensor, &theirs->tensor) &&
           strcmp(q->name, theirs->name) != 0;
}

const Words *mistake_one_layer(const Scenario *scenario)
{
    bool replaced = mistake_is_fused(scenario) ||
                    is_replaced(scenario, "q_proj.weight", "k_proj.weight") ||
                    is_replaced(scenario, "q_proj.weight", "v_proj.weight") ||
                    is_replaced(scenario, "q_proj.per_head", "k_proj.per_head") ||
                    is_replaced(scenario, "q_proj.per_head", "v_proj.per_head");
    if (replaced)
        return NULL;
    return scenario_tensor(scenario, "q") ? &reason_q_k_v_given : &reason_one_layer;
}
