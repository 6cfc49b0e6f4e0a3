// What the mistakes of the stage mask share: the right masking by other rules, values or not at all.
#ifndef MISTAKE_MASK_H
#define MISTAKE_MASK_H

#include "mistake.h"

enum { MASK_IN_SCORES, MASK_IN_PADDING, MASK_IN_GIVEN };
enum { MASK_OUT_MASK, MASK_OUT_SCORES };

// The slots of the stage, in that order: the mask that a model keeps is read by those that use it.
#define MASK_READS \
    {.role = "scores", .axes = "B H Lq Lk"}, \
        {.role = "key_padding_mask", .axes = "B Lt", .dtype = DTYPE_BOOL, .optional = true}, \
    { \
        .role = "mask", .dtype = DTYPE_BOOL, .optional = true \
    }
#define MASK_READS_BUFFER \
    { \
        .role = "causal_mask_buffer", .dtype = DTYPE_BOOL, .optional = true \
    }
#define MASK_WRITES \
    {.role = "attn_mask", .tensor = "attn_mask", .axes = "B H Lq Lk", .dtype = DTYPE_BOOL}, \
    { \
        .role = "scores", .tensor = "scores_masked", .axes = "B H Lq Lk" \
    }

// Whether the key of [b,h,i,j] is masked: a rule with the flags that were asked and the decision as
// its value, 1 or 0.
typedef Term MaskRule(const StageArgs *args, const ptrdiff_t at[4]);

// What the right stage decides under these options.
Term mistake_mask_right(const StageArgs *args, const StageOptions *options, const ptrdiff_t at[4]);

// Masked where the right decision says so or where `also` does, for the reason `what`; `sources` are
// the flags that were asked for `also`.
Term mistake_mask_or(Term right, bool also, const char *what, int source_count,
                     const Source sources[]);

// The stage with a rule of its own.
void mistake_mask_run(StageArgs *args, MaskRule *rule);
void mistake_mask_origin(const StageArgs *args, MaskRule *rule, int slot, const ptrdiff_t at[],
                         TermVisit *visit, void *context);

// The right shapes, never a view of a registered mask, so that it can be written.
bool mistake_mask_own_shapes(StageArgs *args, Error *err);

#endif
