// What a scenario has, as far as it decides whether a mistake can show.
#ifndef MISTAKE_SCENARIO_H
#define MISTAKE_SCENARIO_H

#include "scenario.h"
#include "words.h"

// The texts of mistake_reasons.def.
#define REASON(name, english, korean) extern const Words reason_##name;
#include "mistake_reasons.def"
#undef REASON

// Why no mask can make a difference: there is none, or it masks no key. NULL: some key is masked.
const Words *mistake_no_masked_key(const Scenario *scenario);

// A pair of a query and a key, as the masks of a scenario have it.
typedef struct MaskedPair {
    ptrdiff_t i, j;
    bool causal, padding, given; // masked by; a window counts as given
    bool query_is_padding;       // where the queries are the keys
} MaskedPair;

// Why masking exactly the pairs that `wrong` chooses is right everywhere: `none` where there is no
// such mask to get wrong, or that the others hide it. NULL: some pair comes out otherwise.
const Words *mistake_same_masks(const Scenario *scenario, bool (*wrong)(const MaskedPair *pair),
                                const Words *none);

// Masks that people make, for mistake_same_masks: the causal one begins a place late, a place early, padding
// is not masked, or lies along the queries.
bool mistake_masks_off_by_one(const MaskedPair *pair);
bool mistake_masks_diagonal(const MaskedPair *pair);
bool mistake_masks_no_padding(const MaskedPair *pair);
bool mistake_masks_query(const MaskedPair *pair);

// Why no gradient can leak through a mask; NULL: one can.
const Words *mistake_no_leak(const Scenario *scenario);

// Why a rule marks the right places as padding: inverted (way -1), or so many places late.
const Words *mistake_same_padding(const Scenario *scenario, int way);

// How many heads there are; 1 where there is no axis of heads.
ptrdiff_t mistake_heads(const Scenario *scenario);

// Why the sequences of a batch have no padding; NULL: some have.
const Words *mistake_no_padding(const Scenario *scenario);

// Why there are no heads to mix up; NULL: there are two or more.
const Words *mistake_no_heads(const Scenario *scenario);

// Why no layer has a bias that could be missed; NULL: one has a bias that is not 0.
const Words *mistake_no_bias(const Scenario *scenario);

// Why no layer that makes its own output has a bias.
const Words *mistake_no_layer_with_bias(const Scenario *scenario);

// Why no layer has a weight of several rows and columns.
const Words *mistake_no_matrix(const Scenario *scenario);

// Why the layer of q cannot take the place of another of the same shape.
const Words *mistake_one_layer(const Scenario *scenario);

// Whether q's, k's and v's weights lie in one tensor, which a stage takes apart.
bool mistake_is_fused(const Scenario *scenario);

// Whether two of "q", "k" and "v" come out of one layer, from one input: they are the same numbers.
bool mistake_same_projection(const Scenario *scenario, const char *a, const char *b);

#endif
