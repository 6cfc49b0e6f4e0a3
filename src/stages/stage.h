// A stage of the pipeline: a formula, the tensors it reads and writes, and the function that computes it. The formula
// also tells the origin of each output element; some stages have a function for that.
//
// A stage names its tensors by role ("scores", "weights") and reads the newest tensor with that role, so mask
// and scale can come in either order. Axes are symbols; the scenario sets their sizes:
//   B  batch          L  length              Lq  queries         Lk  keys
//   V  vocabulary     N  all tokens          H  heads            P  learned positions
//   d_k, d_v  widths of a head               Dk = H*d_k          Dv = H*d_v
//   Din  width of x   Dout  of the output    Dff  inside the feed-forward part
//   Dq  width of the queries' input; Din unless the scenario sets it
//   Dqkv = Dk + Dk + Dv, the rows of a weight for q, k and v together
//   Lt  keys of the text; Lb  with an appended bias; without one, both are Lk
//   G  heads of keys and values, Gk = G*d_k, Gv = G*d_v       Lp  keys in the cache
//   Q  questions of a readout
//   layers  of a model with given attention maps
//   buckets  of distances from query to key
//   distances  rows of relative_key.weight
//   blocks  of keys in the online softmax
//   parts  of the residual stream, one for each writer
//   types  of tokens, one for each text
// Rows are queries, columns are keys. When a scenario has no head axis, H is 1 and the runner hands
// stages their tensors with an H axis of length 1 that the stored tensors do not show.
//
// Conventions of every stage file. Each is meant to be read alone, so forward and backward loops look
// alike:
//   The outer loops choose an output element, the innermost loop runs over its terms. So a sum is set to 0 once
//   for each element, after the last loop that chooses it. fmaf(a, b, sum) is a * b + sum, rounded once. It is
//   explicit because the compiler's choice would change the last bits from machine to machine. For the same
//   reason terms have a fixed order, and none is skipped. An element lies at the sum of index * stride over the
//   axes. A view has its own strides over existing memory. A stride of 0 reads the same memory for every index
//   of an axis. "grad.R" has the shape of R: how fast the loss grows with each of its numbers. An element used
//   several times has a term for each use. The origin of an element is its terms in the order of the loop: their
//   sources, their value, and the value so far, which ends as the element, bit for bit. A choice by an option or a
//   mask is also a term: a rule. Comments in a loop are short lines: a narrow terminal shows them
//   next to the numbers.
#ifndef STAGE_H
#define STAGE_H

#include <stdint.h>
#include "kernel.h"
#include "tensor.h"

enum {
    STAGE_READS_MAX = 6,
    STAGE_WRITES_MAX = 2,
    STAGE_CALLS_MAX = 16,
    STAGE_SOURCES_MAX = 3,
    STAGE_SETTINGS_MAX = 112,
    SOURCE_OWN = STAGE_READS_MAX, // in a Source: SOURCE_OWN + w is output w of the stage itself
};

// Whether a tensor is the right factor of a matrix product. If so, its panels (matrix_product.h) are packed
// once, before `fast` runs.
typedef enum Factor {
    FACTOR_NONE,
    FACTOR_COLUMNS, // its last axis counts the columns of the product: v
    FACTOR_ROWS,    // each of its rows makes a column of the product: k, and weights
    FACTOR_STACKED, // columns, of all sequences one below the other: x, for the gradient of a weight
    FACTOR_KINDS
} Factor;

// A tensor that a stage reads or writes.
typedef struct Slot {
    const char *role;   // NULL ends the list
    const char *alias;  // its name in the formula, if that is neither role nor tensor
    const char *tensor; // writes: the tensor's name in golden data and exports
    const char *axes;   // "B H Lq Lk"; "1" is an axis of length 1; NULL: any shape
    Dtype dtype;
    bool optional;    // reads: may be absent
    bool is_view;     // writes: a view of the input's storage; the runner allocates nothing
    bool sums_to_one; // writes: shares along the last axis
    bool broadcasts;  // reads: any shape that broadcasts to these axes
    Factor factor;    // reads
    // Reads of a backward step: what its forward step read, else what an earlier step wrote.
    bool from_before;
    // Writes of a backward step: names one of several gradients. NULL: the label or role does.
    const char *place;
} Slot;

// Options: a field for each row of options.def.
#define OPTION_TYPE_FLAG bool
#define OPTION_TYPE_WHOLE int64_t
#define OPTION_TYPE_SIZE ptrdiff_t
#define OPTION_TYPE_NUMBER float
#define OPTION_TYPE_EXACT double
#define OPTION_TYPE_SEED uint64_t
#define OPTION_TYPE_NAME const char *

typedef struct StageOptions {
#define STAGE_OPTION(name, KIND) OPTION_TYPE_##KIND name;
#include "options.def"
} StageOptions;

enum {
#define STAGE_OPTION(name, KIND) OPTION_NUMBER_##name,
#include "options.def"
    STAGE_OPTION_COUNT
};

// A set of options, for Stage: OPTION(window) | OPTION(causal). gcc and clang have 128-bit integers on all
// 64-bit machines.
#define OPTION(name) OPTION_AT(OPTION_NUMBER_##name)
__extension__ typedef unsigned __int128 OptionSet;
#define OPTION_AT(number) ((OptionSet)1 << (number))
_Static_assert(STAGE_OPTION_COUNT <= 128, "a set of options has 128 places");

// One run of a stage: tensors in the order of the descriptor's slots, with exactly the declared axes (H
// included). A missing optional tensor has NULL storage.
typedef struct StageArgs {
    Tensor in[STAGE_READS_MAX];
    Tensor out[STAGE_WRITES_MAX];
    const StageOptions *options;
    const struct Stage *stage;    // that runs, for functions that several share
    const struct StageCall *call; // of the stage, in a trace

    // For `fast`: the kernel, and the panels of factors, behind the input's leading axes.
    const Kernel *kernel;
    Tensor panels[STAGE_READS_MAX];
    bool goes_on; // Stage.sums_sequences: the output has the sums over all earlier sequences

    // The output of the next stage, to prefetch while this one computes; no storage if unknown.
    Tensor soon;

    Tensor table; // Stage.table_columns; a row for each row of the main output
} StageArgs;

// An optional input; NULL if the scenario has none.
static inline const Tensor *stage_given(const StageArgs *args, int slot)
{
    return args->in[slot].storage.bytes ? &args->in[slot] : NULL;
}

// An input element, by slot and index; or an earlier element of the stage's own output (SOURCE_OWN).
typedef struct Source {
    int slot;
    ptrdiff_t at[TENSOR_RANK_MAX];
} Source;

// The two numbers of a term.
typedef struct SourcePair {
    Source first, second;
} SourcePair;

// What a term does to the running value.
typedef enum TermKind {
    TERM_RULE,         // a rule decided; `what` says which
    TERM_MULTIPLY_ADD, // adds the product of its two sources, in one rounding
    TERM_ADD,
    TERM_SUBTRACT,  // takes its source away
    TERM_MAXIMUM,   // takes the larger one
    TERM_EXP,       // adds e^(source - maximum) to its lane
    TERM_LANES,     // adds the lanes up
    TERM_QUOTIENT,  // divides `value` by what the lanes add up to
    TERM_DIVIDE,    // divides its source, or as a later term the running value, by `value`
    TERM_LOGARITHM, // -log of its source
    TERM_FACTOR,    // multiplies its source by `value`
    TERM_PLACE,     // the same place in storage: a view
    TERM_COPY,
    TERM_LOOK_UP, // copies the row that the id of its first source names
    TERM_KINDS
} TermKind;

// One term of the computation of one output element, in the order it is computed.
typedef struct Term {
    TermKind kind;
    const char *what; // in words; NULL where its kind says all: a multiply-add, a copy
    int source_count; // 0 to 3 input elements that this term takes in
    Source sources[STAGE_SOURCES_MAX];
    float value;   // what this term contributes (a product, an exp, ...)
    float running; // the value after this term; after the last one, the stored element
} Term;

// Called once for each term, first to last.
typedef void TermVisit(void *context, const Term *term);
typedef struct Terms Terms;

// When a stage is part of a scenario.
typedef enum StageUse {
    STAGE_ALWAYS, // whenever its inputs exist
    STAGE_WITH_HEADS,
    STAGE_WITH_POSITIONS,
    STAGE_WITH_SCALE,
    STAGE_WITH_MASK,
    STAGE_WITH_DROPOUT,
    STAGE_WITH_BACKWARD, // if gradients are wanted
    STAGE_WITH_ROLLOUT,  // if maps are square
} StageUse;

// Which elements of the main output depend on an input element. Named axes are faster than checking
// every element's origin.
typedef enum Influence {
    INFLUENCE_BY_ORIGIN, // those whose origin names it
    INFLUENCE_BY_AXES,   // those at the same place on the axes that both slots name
    INFLUENCE_BY_ROW,    // those, and the whole rows they lie in
    INFLUENCE_AMONG_AXES, // of those, the ones whose origin names it; so it is with every output. What the
                          // first input reaches is hidden where the first output, a mask, is true
} Influence;

// A note in parentheses after a formula.
typedef enum FormulaRemark {
    REMARK_NONE,
#define FORMULA_REMARK(NAME, english, korean) REMARK_##NAME,
#include "formula_remarks.def"
#undef FORMULA_REMARK
    REMARKS
} FormulaRemark;

// The wiring of one call of a stage: view has three (q, k, v), most have one.
//
// A call with `of` belongs to the backward pass. It runs for every step of the stage with that name (and
// label), last step first. Its roles are that step's: a tensor the step wrote, else one it read. "grad.R" is a
// gradient: among the reads, of the step's output R; among the writes, of its input R. A tensor read in
// several places has several gradients, which the trace adds (linear_backward.c).
typedef struct StageCall {
    const char *label;   // "q"; NULL if the stage has one call
    const char *of;      // "softmax"; NULL: a step of the forward pass
    const char *formula; // NULL: the stage's
    const char *where;   // likewise
    FormulaRemark remark;
    const char *torch; // '$' is the layer that slot 1 reads: "k = $(x)"
    const char *loop;  // the function with this call's loop; NULL: the stage's
    int turn;          // which place of a stage that is in the pipeline several times
    Slot reads[STAGE_READS_MAX + 1];
    Slot writes[STAGE_WRITES_MAX + 1];
} StageCall;

// The texts of a stage under an option that changes its formula.
typedef struct StageForm {
    OptionSet option; // OPTION(...); 0: there is no such form
    const char *formula, *where;
    FormulaRemark remark;
    const char *torch;
} StageForm;

typedef struct Stage {
    const char *name;    // "score"
    const char *formula; // at most two lines on screen; executable (formula.h)
    const char *where;   // the rest: helpers and further results, separated by ';'
    FormulaRemark remark;
    const char *torch;  // the PyTorch line that does the same
    const char *source; // paper and section
    StageForm form;     // formula and torch with an option on
    StageUse use;
    Influence influence;
    bool
        rounds_once; // each number is copied or made by one IEEE 754 operation, so PyTorch has the same bits
    const char *back_from; // the later stage whose gradient passes by this one; NULL: none
    int main_output;       // the main write slot (of mask: the scores, not the mask)
    StageCall calls[STAGE_CALLS_MAX + 1]; // those whose required inputs exist take part

    // For the code panel: the function with the loop (NULL: named like the stage), and for each
    // kind of term a piece of the line that computes it.
    const char *loop;
    const char *terms[TERM_KINDS];
    // Likewise for outputs other than the main one, where they have a line of their own.
    const char *other_terms[TERM_KINDS];

    OptionSet options; // the options it reads: OPTION(...) | ...
    OptionSet needs;   // runs only if all of these are on
    OptionSet unless;  // and none of these

    // The options as text: "scale = 8 (sqrt_d_k)". NULL: none.
    void (*settings)(const StageOptions *options, char text[STAGE_SETTINGS_MAX]);

    // Fills args->out (sets view slots). The definition: plain loops; every other implementation
    // must reproduce their bits. Returns false only for a user's mistake (an id outside the
    // vocabulary), with both shapes or values.
    bool (*run)(StageArgs *args, Error *err);

    // The same bits, faster (fast.h); NULL if the definition is fast enough. `prepare` (may be
    // NULL) does the work that slices share, once. `fast` fills the main output for any slice of
    // the axes before the last: the runner narrows those axes in all tensors that have them, and
    // runs slices in any order, in parallel, right after the previous stage's slice, while its
    // numbers are in the cache.
    bool (*prepare)(StageArgs *args, Error *err);
    bool prepares_once; // `prepare` reads no numbers: a step that runs again needs it no more
    // The number of columns of `table`, which `prepare` fills for all slices. NULL: no table.
    ptrdiff_t (*table_columns)(const StageArgs *args);
    bool
        may_wait; // without `fast`: `run` cannot fail after `prepare`, and may run in parallel with others
    void (*fast)(const StageArgs *args);
    bool sums_sequences; // `fast` can add some sequences to the sums over those before them

    // Checks conditions that the axes cannot express. Sets the shape of out[slot] if it depends on
    // the inputs, before allocation; an output with storage is a view and is not allocated. NULL:
    // nothing to check.
    bool (*shapes)(StageArgs *args, Error *err);

    // Gives the terms of element `at` of the output that `terms` names, in order (describe.h).
    // NULL: the formula does (trace_origin.c), for sums of products, with or without a bias, and
    // for copies. Others have words of their own, or are asked for every element of large tensors
    // (Influence). The law: if a float input element becomes NaN, exactly the outputs that name it
    // as a source become NaN; for ids, lengths and masks, any change counts.
    void (*origin)(Terms *terms, const ptrdiff_t at[]);
} Stage;

// Each stage of the pipeline once, in order; NULL after the last.
const Stage *stage_get(int number);

// A position in the pipeline. A stage may have several.
typedef struct StagePlace {
    const Stage *stage;
    bool in_layer; // repeated in every layer of a model
} StagePlace;

// The positions in order; NULL after the last.
const StagePlace *stage_place(int number);
const Stage *stage_find(const char *name);

// True for stages of the backward pass.
bool stage_is_backward(const Stage *stage);

// True if all of `needs` and none of `unless` are on.
bool stage_is_needed(const Stage *stage, const StageOptions *options);

// The form of a stage with these options; NULL: its own formula and torch.
const StageForm *stage_form(const Stage *stage, const StageOptions *options);

// True if an option that the stage reads differs.
bool stage_options_differ(const Stage *stage, const StageOptions *a, const StageOptions *b);

// --- the rows of options.def
//
// Reads, compares and lists options without knowing their names.

typedef enum OptionKind {
    OPTION_KIND_FLAG,
    OPTION_KIND_WHOLE,
    OPTION_KIND_SIZE,
    OPTION_KIND_NUMBER,
    OPTION_KIND_EXACT,
    OPTION_KIND_SEED,
    OPTION_KIND_NAME
} OptionKind;

typedef struct StageOption {
    const char *name;
    OptionKind kind;
    size_t place, size;        // of its field in StageOptions, in bytes
    const char *section;       // of a scenario file; NULL: not set by name
    double least, most, usual; // range and default in the file
} StageOption;

// Row `number`; NULL after the last.
const StageOption *stage_option_get(int number);

// True if it is neither 0 nor false.
bool stage_option_is_on(const StageOption *option, const StageOptions *options);

// True if the two differ in any bit of it; a mask value may be NaN.
bool stage_option_differs(const StageOption *option, const StageOptions *a, const StageOptions *b);

// The option of this name as a number; a text counts as 1 if set. Returns false if there is no such option.
bool stage_option_value(const char *name, const StageOptions *options, double *value);

// The same for a field.
#define STAGE_OPTION_VALUE(field) \
    (double)_Generic((field), const char * : !!(field), default : (field))

// Sets a flag, size or number of a row with a section.
void stage_option_set(const StageOption *option, StageOptions *options, double value);

#endif
