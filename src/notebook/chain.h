// What the tensors of a dump have to do with each other, found by their numbers alone: which formula over
// which others gives each. So a notebook's own chain is rebuilt, whatever its tensors are called, in
// whatever shape they are.
//
// Names decide only what numbers cannot: which bias goes with a weight that is multiplied by nothing in the
// dump, and whether a mask of flags marks padding.
#ifndef CHAIN_H
#define CHAIN_H

#include "dump.h"
#include "mistake.h"

// Options of the person; 0 and false leave it to the dump.
typedef struct ChainAsk {
    ptrdiff_t heads;
    bool is_causal, is_length_first;
    double share; // of the usual work that a search may take; 0: all of it
} ChainAsk;

typedef enum ChainSlip {
    CHAIN_RIGHT,
#define SLIP(NAME, mistake, title, title_ko, mend, mend_ko) CHAIN_SLIP_##NAME,
#include "chain_slips.def"
#undef SLIP
    CHAIN_SLIPS
} ChainSlip;

// The bank's mistake for a slip, or NULL; then the slip's own title and remedy, in the person's language.
const Mistake *chain_mistake(ChainSlip slip);
const char *chain_title(ChainSlip slip);
const char *chain_mend(ChainSlip slip);

// Why the chain cannot be called right, though no slip was found.
typedef enum ChainGap {
    CHAIN_NO_GAP,
    CHAIN_GAP_ROWS,    // q, k or v is not made of the input and the weights as far as is known
    CHAIN_GAP_OUTPUT,  // nor is this tensor made of the context and the weight that is left
    CHAIN_GAP_CONTEXT, // the context: whether it should be the output, only the person knows
    CHAIN_GAP_SOURCES, // k and v are made of two inputs, `open` and `unused_weight`
    CHAIN_GAP_NORM,    // a norm over the tokens, which only the person may call so
    CHAIN_GAP_LEFT,    // a tensor of the attention that nothing makes
    CHAIN_GAP_HALF,    // the numbers are rounded to float16 or bfloat16
} ChainGap;

typedef struct ChainLine {
    int dumped;          // tensor of the dump; -1: it is not in the dump
    const char *role;    // what attnscope calls it; "" where it has no name
    const char *formula; // over the dump's names; it runs (formula.h). NULL: an input
} ChainLine;

enum { CHAIN_LINES_MAX = DUMP_TENSORS_MAX + 32 };

typedef struct Chain {
    int line_count;
    ChainLine lines[CHAIN_LINES_MAX]; // as they are computed
    bool has_weights, has_output;     // compared: the weights; the context or the output
    int same;                         // tensors that the chain gives, before the first slip
    ptrdiff_t heads, width;           // numbers of a head; 0 heads: no attention was found
    ChainSlip slip;                   // the first
    ChainSlip or_else;                // another that has the same numbers here; RIGHT: none
    int wrong;                        // the tensor where it shows; -1: in none alone
    const char *is, *right;           // formulas; NULL
    int unused_weight;                // of NO_OUTPUT and its like; of the gap; -1
    ChainGap gap;
    int open; // the tensor that the gap is about
    bool
        hides_nothing; // not compared: whether keys should be hidden, as no mask is in the dump and none is asked for
    bool
        hides_first; // nor whether pads stand at the beginning, as the mask hides the first keys of texts
    bool has_unused_mask; // nor that, though a causal mask is in the dump
    bool is_nameless;     // nor which of q and k is which, as no name says it
    bool is_turned; // the input was read as (L, B, D), though it has more sequences than tokens
    int alone;   // a feed-forward block's result: not compared whether it is added to the rows; -1
    int normed;  // a sum with normed rows: nor whether those before the norm should stand there; -1
    int dropped; // weights that dropout thins, as it is meant to: nor whether it should be on; -1
    int left_count,
        left[DUMP_TENSORS_MAX]; // of which nothing was found, though they may belong to it
    bool is_large;              // the search was given up
} Chain;

// Reads a dump. False and err if memory is short.
bool chain_find(const Dump *dump, const ChainAsk *ask, Chain *chain, Arena *arena, Error *err);

#endif
