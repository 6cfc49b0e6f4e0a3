// What a scenario has, as far as it decides whether a mistake can show.
#ifndef MISTAKE_SCENARIO_H
#define MISTAKE_SCENARIO_H

#include "scenario.h"
#include "words.h"

// Why no mask can make a difference: there is none, or it masks no key. NULL: some key is masked.
const Words *mistake_no_masked_key(const Scenario *scenario);

// Whether a masked key can have weight: where masked scores are no smaller than others may be, and in
// a row whose keys are all masked.
bool mistake_has_weight_behind_mask(const Scenario *scenario);

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

// Why the sequences of a batch have no padding; NULL: some have.
const Words *mistake_no_padding(const Scenario *scenario);

// Why there are no heads to mix up; NULL: there are two or more.
const Words *mistake_no_heads(const Scenario *scenario);

// Why no layer has a bias that could be missed; NULL: one has a bias that is not 0.
const Words *mistake_no_bias(const Scenario *scenario);

// Whether q's, k's and v's weights lie in one tensor, which a stage takes apart.
bool mistake_is_fused(const Scenario *scenario);

// Whether two of "q", "k" and "v" come out of one layer, from one input: they are the same numbers.
bool mistake_same_projection(const Scenario *scenario, const char *a, const char *b);

#endif
