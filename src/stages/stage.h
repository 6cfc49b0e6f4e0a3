// What a stage of the pipeline is: a formula, the tensors it reads and writes, the function that
// computes it, and where each output element came from.
//
// A stage's tensors are named by role ("scores", "weights"): the newest tensor with that role is
// the one that is read, so that mask and scale can come in either order. Axes are named by symbols
// whose sizes belong to the scenario:
//   B batch   L length   Lq queries   Lk keys   V vocabulary   N tokens in all   H heads
//   Din width of x   d_k, d_v head widths   Dk = H*d_k   Dv = H*d_v   Dout width of the output
//   Q questions that a readout answers   P places of tokens that a model has learned
//   Dff width inside the feed-forward part
//   Lt  keys that the text gives, and Lb those with the bias that may be appended to them: where nothing
//       is, both are Lk   Dq width of what queries come from; Din, unless the scenario says otherwise
//   layers of a model, whose attention maps are given   buckets of distances from query to key
//   blocks of keys that the online softmax goes over
//   parts of the residual stream, one for each that has added to it
//   Dqkv = Dk + Dk + Dv, the rows of a weight that makes q, k and v together
// Rows are queries, columns are keys. When a scenario has no head axis, H is 1 and the runner hands
// stages their tensors with an H axis of length 1 that the stored tensors do not show.
//
// What holds in every stage file, for whoever reads a first one:
//   The outer loops choose an element of the output, the innermost loop goes over its terms. So a sum
//   is set to 0 between the two: once for an element, and after the last loop that chooses it.
//   fmaf(a, b, sum) is a * b + sum, rounded once and not twice. It is written out because a compiler
//   that may choose between the two gives other last bits on another machine. For the same reason the
//   terms have one order, and none is skipped: float sums depend on it.
//   An element lies at the sum of index * stride over the axes. A view has strides of its own over
//   memory that is there already. A stride of 0 reads the same memory for every index of an axis.
//   "grad.R" has the shape of R, and says of each of its numbers how fast the loss grows with it. So
//   what an element was used for several times gives it a term for each use.
//   `origin` goes through the terms of a single element, in the order of the loop, and calls `visit`
//   for each: where its numbers come from, what it brings, and the value so far. The last value so
//   far is the element, bit for bit. A choice made by an option or a mask is a term, too: a rule.
//   The comments in a loop are short lines, since a narrow terminal shows them beside the numbers.
#ifndef STAGE_H
#define STAGE_H

#include <stdint.h>
#include "kernel.h"
#include "tensor.h"

enum {
    STAGE_READS_MAX = 6,
    STAGE_WRITES_MAX = 2,
    STAGE_CALLS_MAX = 8,
    STAGE_SOURCES_MAX = 3,
    STAGE_SETTINGS_MAX = 96,
    SOURCE_OWN =
        STAGE_READS_MAX, // Source: SOURCE_OWN + w is what the stage has itself written as w
};

// Whether a tensor is the right factor of a matrix product. Its panels (matrix_product.h) are then
// made before `fast` runs, once for all rows.
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
    const char *alias;  // what the formula calls it, where that is neither role nor tensor
    const char *tensor; // writes: the name the tensor gets, as golden data and exports call it
    const char *axes;   // "B H Lq Lk"; "1" is an axis of length 1; NULL: any shape
    Dtype dtype;
    bool optional;    // reads: may be absent
    bool is_view;     // writes: a view of the input's storage; the runner allocates nothing
    bool sums_to_one; // writes: how much is taken of each key, of what the last axis counts
    bool broadcasts;  // reads: any shape that broadcasts to these axes will do
    Factor factor;    // reads
} Slot;

// The numbers and switches that are not tensors: a field for each row of options.def.
#define OPTION_TYPE_FLAG bool
#define OPTION_TYPE_WHOLE int64_t
#define OPTION_TYPE_SIZE ptrdiff_t
#define OPTION_TYPE_NUMBER float
#define OPTION_TYPE_EXACT double
#define OPTION_TYPE_SEED uint64_t
#define OPTION_TYPE_NAME const char *
#define KEYED_OPTION(name, KIND, ...) STAGE_OPTION(name, KIND)

typedef struct StageOptions {
#define STAGE_OPTION(name, KIND) OPTION_TYPE_##KIND name;
#include "options.def"
#undef STAGE_OPTION
} StageOptions;

enum {
#define STAGE_OPTION(name, KIND) OPTION_NUMBER_##name,
#include "options.def"
#undef STAGE_OPTION
    STAGE_OPTION_COUNT
};
#undef KEYED_OPTION

// A set of options, for Stage: OPTION(window) | OPTION(causal). gcc and clang have 128 bits on all machines
// of 64.
#define OPTION(name) OPTION_AT(OPTION_NUMBER_##name)
__extension__ typedef unsigned __int128 OptionSet;
#define OPTION_AT(number) ((OptionSet)1 << (number))
_Static_assert(STAGE_OPTION_COUNT <= 128, "a set of options has 128 places");

// One run of a stage: its tensors in the order of the descriptor's slots, every one with exactly
// the axes that its slot declares (H included). A missing optional tensor has NULL storage.
typedef struct StageArgs {
    Tensor in[STAGE_READS_MAX];
    Tensor out[STAGE_WRITES_MAX];
    const StageOptions *options;

    // For `fast`: the kernel, and the panels of the inputs that are factors, with the axes that the
    // input has before its last two in front.
    const Kernel *kernel;
    Tensor panels[STAGE_READS_MAX];

    // What the stage after this one is about to write, so that the memory can be called into the
    // cache while this one computes; no storage where that is not known.
    Tensor soon;

    Tensor table; // Stage.table_columns; a row for each row of the main output
} StageArgs;

// An optional input; NULL where the scenario has none.
static inline const Tensor *stage_given(const StageArgs *args, int slot)
{
    return args->in[slot].storage.bytes ? &args->in[slot] : NULL;
}

// An input element, by read slot and index; or, of a stage that goes on from its own results, an element
// that it computed before.
typedef struct Source {
    int slot;
    ptrdiff_t at[TENSOR_RANK_MAX];
} Source;

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
    TERM_DIVIDE,    // divides its source by `value`
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

// When a stage takes part in a scenario.
typedef enum StageUse {
    STAGE_ALWAYS, // whenever its inputs are there
    STAGE_WITH_HEADS,
    STAGE_WITH_POSITIONS,
    STAGE_WITH_SCALE,
    STAGE_WITH_MASK,
    STAGE_WITH_DROPOUT,
    STAGE_WITH_BACKWARD, // where gradients are wanted
    STAGE_WITH_ROLLOUT,  // where maps have as many queries as keys
} StageUse;

// Which elements of the main output a changed input element reaches. Where the named axes tell it,
// nobody has to ask every element for its origin.
typedef enum Influence {
    INFLUENCE_BY_ORIGIN, // those whose origin names it
    INFLUENCE_BY_AXES,   // those at the same place on the axes that both slots name
    INFLUENCE_BY_ROW,    // those, and the whole rows they lie in
    INFLUENCE_AMONG_AXES, // of those, the ones whose origin names it; so it is with every output. What the
                          // first input reaches is hidden where the first output, a mask, is true
} Influence;

// What stands in brackets behind a formula: words, where a formula has none.
typedef enum FormulaRemark {
    REMARK_NONE,
#define FORMULA_REMARK(NAME, english, korean) REMARK_##NAME,
#include "formula_remarks.def"
#undef FORMULA_REMARK
    REMARKS
} FormulaRemark;

// How one application of a stage is wired: view has three (q, k, v), most have one.
//
// A call with `of` belongs to the backward pass. It runs for every step of the stage of that name
// (and of the same label), the last step first, and its roles are those of that step: a tensor that
// the step wrote, else one that it read. "grad.R" is the gradient of such a tensor: among the reads,
// of what the step wrote as R; among the writes, of what it read as R. What a stage wrote last is
// never changed, so the gradients of a tensor that is read in several places are written apart, and
// the trace adds them up (linear_backward.c).
typedef struct StageCall {
    const char *label;   // "q"; NULL where a stage has a single call
    const char *of;      // "softmax"; NULL: a step of the forward pass
    const char *formula; // where it reads otherwise than the stage's; NULL: the same
    const char *where;   // likewise
    FormulaRemark remark;
    const char *torch; // '$' in it is the layer that slot 1 reads: "k = $(x)"
    const char *loop;  // likewise: the function of the file that this call runs
    int turn; // where the stage stands more than once in the pipeline: at which of its places
    Slot reads[STAGE_READS_MAX + 1];
    Slot writes[STAGE_WRITES_MAX + 1];
} StageCall;

// How a stage reads where an option makes it compute otherwise.
typedef struct StageForm {
    OptionSet option; // OPTION(...); 0: there is no such form
    const char *formula, *where;
    FormulaRemark remark;
    const char *torch;
} StageForm;

typedef struct Stage {
    const char *name;    // "score"
    const char *formula; // for the screen, at most two lines; it runs (formula.h)
    const char *where;   // the rest of it: helpers and further results, several separated by ';'
    FormulaRemark remark;
    const char *torch;  // the PyTorch line that does the same
    const char *source; // paper and section
    StageForm form;     // formula and torch where an option is on
    StageUse use;
    Influence influence;
    bool
        rounds_once; // each number is copied, or made by one operation that IEEE 754 rounds: PyTorch
                     // then has the same bits, whatever the machine
    int main_output; // the write slot that the stage is for (mask: not the mask, the scores)
    StageCall calls[STAGE_CALLS_MAX + 1]; // those whose required inputs exist take part

    // For whoever reads the code beside the numbers: the function with the loop (NULL: the one named as
    // the stage), and of each kind of term a piece of the line there that computes it.
    const char *loop;
    const char *terms[TERM_KINDS];

    OptionSet options; // the OPTION(...) that it reads
    OptionSet needs;   // and those without which it takes no part: 0 or false is not there
    OptionSet unless;  // and those with which it takes none

    // Those options in words: "scale = 8 (sqrt_d_k)". NULL: it uses none.
    void (*settings)(const StageOptions *options, char text[STAGE_SETTINGS_MAX]);

    // Fills args->out (for view slots: sets them). The definition: plain loops, the order of
    // operations that every other way of computing must reproduce bit for bit. False only for a
    // person's mistake (an id outside the vocabulary ...), with both shapes or values.
    bool (*run)(StageArgs *args, Error *err);

    // The same bits, faster (fast.h); NULL where the definition is fast enough. `prepare` (NULL: nothing to do)
    // does once what no slice can do alone. `fast` then fills its main output for any slice of the
    // axes before the last one: the runner narrows those axes in all tensors that have them, runs
    // slices in any order and at the same time, and lets a stage begin with a slice that the stage
    // before has finished, while its numbers are still at hand.
    bool (*prepare)(StageArgs *args, Error *err);
    bool prepares_once; // `prepare` reads no numbers: a step that runs again needs it no more
    // How many columns `table` has, which `prepare` fills for all slices. NULL: it has none.
    ptrdiff_t (*table_columns)(const StageArgs *args);
    bool
        may_wait; // of a stage without `fast`: `run` cannot fail after `prepare`, and may run beside others
    void (*fast)(const StageArgs *args);

    // Checks what the declared axes cannot say. For an output whose shape depends on the inputs it
    // changes out[slot] before that is allocated; one that it gives a storage is a view and is not
    // allocated at all. NULL: nothing to check.
    bool (*shapes)(StageArgs *args, Error *err);

    // Gives the terms of element `at` of the output that `terms` names, in order (describe.h). The law: poison any float input
    // element with NaN, and exactly the outputs that name it as a source become NaN; ids, lengths
    // and masks are changed instead.
    void (*origin)(Terms *terms, const ptrdiff_t at[]);
} Stage;

// Calls `visit` for each term of element `at` of out[slot], in order.
void stage_origin(const Stage *stage, const StageArgs *args, int slot, const ptrdiff_t at[],
                  TermVisit *visit, void *context);

// The pipeline, first stage first, each one once; NULL beyond the last one.
const Stage *stage_get(int number);

// A place in the pipeline. Some stages have several, and of each call one.
typedef struct StagePlace {
    const Stage *stage;
    bool in_layer; // every layer of a model goes through it
} StagePlace;

// The places in their order; NULL beyond the last one.
const StagePlace *stage_place(int number);
const Stage *stage_find(const char *name);

// Whether a stage belongs to the backward pass.
bool stage_is_backward(const Stage *stage);

// Whether the options without which a stage takes no part are there, and none with which it takes none.
bool stage_is_needed(const Stage *stage, const StageOptions *options);

// The form of a stage that these options ask for; NULL: its formula and torch hold as they stand.
const StageForm *stage_form(const Stage *stage, const StageOptions *options);

// Whether one of the options that a stage reads differs.
bool stage_options_differ(const Stage *stage, const StageOptions *a, const StageOptions *b);

// --- the rows of options.def
//
// For whoever reads, compares or lists the options of stages without knowing any of them by name.

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
    size_t place, size;  // of its field in StageOptions, in bytes
    const char *section; // of a scenario file, where it is given by its name; NULL: by another form
    double least, most, usual; // what the file may say, and what holds where it says nothing
} StageOption;

// The row of that number; NULL beyond the last one.
const StageOption *stage_option_get(int number);

// Whether it is neither 0 nor false.
bool stage_option_is_on(const StageOption *option, const StageOptions *options);

// Whether the two differ in it: in any bit, because a mask value may be NaN.
bool stage_option_differs(const StageOption *option, const StageOptions *a, const StageOptions *b);

// What the option with this name is as a number; of one that is a text, whether there is one. False where there
// is no such option.
bool stage_option_value(const char *name, const StageOptions *options, double *value);

// The same of the field itself, whatever its kind.
#define STAGE_OPTION_VALUE(field) \
    (double)_Generic((field), const char * : !!(field), default : (field))

// Sets a flag, size or number (of a row with a section) to a value that it can hold.
void stage_option_set(const StageOption *option, StageOptions *options, double value);

#endif
