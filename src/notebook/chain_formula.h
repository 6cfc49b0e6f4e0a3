// Formulas over the dump's names, and patterns of masks.
#ifndef CHAIN_FORMULA_H
#define CHAIN_FORMULA_H

#include "chain_internal.h"

typedef enum ChainPatternKind {
    CHAIN_HIDES_NONE,
    CHAIN_HIDES_LATER, // causal
    CHAIN_HIDES_EARLIER,
    CHAIN_HIDES_ALL_BUT_LATER,
    CHAIN_HIDES_ITSELF,
    CHAIN_HIDES_BUT_FIRST, // itself, but for the first query
    CHAIN_HIDES_LATE,
    CHAIN_HIDES_OTHERS,
} ChainPatternKind;

typedef struct ChainPattern {
    ChainPatternKind kind;
    int mask;        // tensor of flags that hides keys, too; -1
    bool by_keys;    // its axes are those of batch and keys
    bool by_queries; // it hides by the query instead of the key
    bool is_turned;  // it is 0 where it hides
    bool has_pads;   // beside the kind, keys that no query of a sequence sees
    bool has_whole;  // it hides keys from all queries alike, and all of a sequence
    bool shows_later,
        shows_later_alone; // of what is seen, where the kind does not tell it (look_ahead)
} ChainPattern;

typedef enum ChainActivation {
    CHAIN_NO_ACTIVATION,
    CHAIN_RELU,
    CHAIN_GELU,
    CHAIN_GELU_TANH,
    CHAIN_SILU,
    CHAIN_ACTIVATIONS
} ChainActivation;

typedef enum ChainMadeKind {
    CHAIN_NOT_MADE,
    CHAIN_MADE_SUM,
    CHAIN_MADE_SUM_OF_THREE, // both residuals at once
    CHAIN_MADE_NORM,         // of a tensor, or of a sum of two
    CHAIN_MADE_HIDDEN,       // an activation, of a tensor or of its product with a weight
    CHAIN_MADE_FED,          // the feed-forward block's result, alone or added to a tensor
} ChainMadeKind;

// How a tensor beside an attention is made of others; -1: there is none.
typedef struct ChainMade {
    ChainMadeKind kind;
    int from, with, third; // `third` of SUM_OF_THREE
    ChainEven even;
    bool is_over_tokens; // the norm, which should be over a token's numbers
    ChainActivation activation;
    int linear, bias, gate, second; // linears; `second` contracts
    int added;                      // the tensor that is its bias; -1
} ChainMade;

typedef struct ChainReport ChainReport;

typedef struct ChainBlocks {
    ChainReport *report;
    ChainMade made[CHAIN_TENSORS_MAX];
} ChainBlocks;

struct ChainReport {
    ChainFinder *finder;
    Chain *chain;
    const ChainAttention *attention;
    ChainPattern pattern; // of what the weights hide
    int place;            // in the pipeline, of the slip that was found
    bool is_line[CHAIN_TENSORS_MAX];
    ChainBlocks *blocks; // NULL: there is no attention
};

// True if a mask or a bias may belong to another attention.
bool chain_has_other_weights(const ChainFinder *finder, const ChainAttention *attention);

// Weights that nothing reads, beside right ones of the same q and k that have a result: another temperature or axis, or
// the steps to the right ones, to compare.
bool chain_is_to_compare(const ChainFinder *finder, const ChainAttention *attention);

// Keeps the slip that comes first in the pipeline.
void chain_slip(ChainReport *report, ChainSlip kind, int tensor, const char *is, const char *right);
void chain_check(ChainReport *report);
void chain_check_pairs(ChainReport *report); // of attentions
void chain_check_position(ChainReport *report);

// Finds residual sums, norms and feed-forward blocks; tells what is wrong with them. Lists how a tensor is made; false if
// it is none of these.
void chain_find_blocks(ChainReport *report);
void chain_check_blocks(ChainReport *report);
bool chain_line_block(ChainReport *report, int tensor, const char *role);

// True for a whole weight that no attention uses.
bool chain_is_free(const ChainBlocks *blocks, const ChainLinear *linear);

// Adds a line, unless the tensor has one.
void chain_line(ChainReport *report, int tensor, const char *role, const char *formula);

// ALiBi: a slope for each head times the key's distance, up to a constant for each query.
bool chain_is_by_distance(const ChainFinder *finder, const ChainTensor *bias);

// How dumped heads were normalised; NULL: not at all, as far as is known.
const ChainEven *chain_even_of(const ChainFinder *finder, int row);

// True for a gain whose numbers are all alike, as a new norm's ones: it does not show, or could be another's.
bool chain_is_even_gain(const ChainTensor *gain);

// The first map of an attention, and the first tensor that its weights mix; -1.
int chain_first_map(const ChainAttention *attention);
int chain_mixed_first(const ChainAttention *attention);

// The formula of the first scores, or of the weights; NULL where the dump has neither.
const char *chain_first_map_text(ChainFinder *finder, const ChainAttention *attention,
                                 const ChainPattern *pattern);

// Finds an unused weight of this size; -1.
bool chain_is_spare(const ChainReport *report, int row); // or rows of its kind are not used
int chain_unused_weight(const ChainReport *report, ptrdiff_t in, ptrdiff_t out);
// True if the dump has an input and an unused weight that should make these rows.
bool chain_should_be_made(const ChainReport *report, int row);
bool chain_is_context_name(const char *name);
bool chain_is_output_name(const char *name);
bool chain_is_layer_norm_name(const char *name);
bool chain_is_residual_name(const char *name);

// Finds why a chain cannot be called right: in one attention, and in unexplained tensors.
void chain_find_gaps(ChainReport *report);
void chain_check_left(ChainReport *report);

// Follows splits of heads back to the rows they came from.
int chain_origin_of(const ChainFinder *finder, int row);

// The tensor of rows; -1.
int chain_made_rows(const ChainFinder *finder, int row);

bool chain_is_used(const ChainReport *report, const ChainLinear *linear);

ChainPattern chain_pattern(ChainFinder *finder, const ChainMap *map, const bool *is_hidden);

// True for (.., T, T) of 1 up to the diagonal and 0 behind it, or the other way.
bool chain_is_triangle(const ChainTensor *one);

// The flags of a kind of mask; NULL with an error.
const bool *chain_hide(ChainFinder *finder, const ChainMap *map, ChainPatternKind kind);

// The slip behind a factor of the scores other than 1/sqrt(d_k).
ChainSlip chain_scale_slip(const ChainAttention *attention, double factor);

const char *chain_transpose_text(ChainFinder *finder, int tensor);
const char *chain_name(ChainFinder *finder, const char *name);
const char *chain_split_text(ChainFinder *finder, const ChainAttention *attention, int row,
                             const ChainOrigin *origin);
const char *chain_projection_text(ChainFinder *finder, const ChainProjection *made);
const char *chain_rows_text(ChainFinder *finder, const ChainAttention *attention, int row);
const char *chain_scores_text(ChainFinder *finder, const ChainAttention *attention, int number,
                              const ChainPattern *pattern);
const char *chain_weights_text(ChainFinder *finder, const ChainAttention *attention,
                               const ChainPattern *pattern);
const char *chain_context_text(ChainFinder *finder, const ChainAttention *attention, int row);
const char *chain_even_text(ChainFinder *finder, const ChainEven *even, const char *axis,
                            const char *column, const char *numbers);
const char *chain_weight_text(ChainFinder *finder, const ChainLinear *linear, const char *o);
const char *chain_bias_text(ChainFinder *finder, int bias, double times, const char *o);
const char *chain_output_text(ChainFinder *finder, const ChainAttention *attention);

#endif
