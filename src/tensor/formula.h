// Formulas that run: text such as
//
//   scores[b,h,i,j] = sum_d q[b,h,i,d] * k[b,h,j,d]
//
// is parsed into a tree (formula_parse), bound to tensors and sizes (formula_bind), and computed
// (formula_run); formula_terms lists the terms of one element, and formula_edits the formulas one slip
// away.
//
//   definitions: "name[index, ...] = expression", several separated by ';'. The first is a result. Another
//                is a result if the scope says so; otherwise it is a helper: a use of its name, with values
//                for its parameters, is replaced by its expression. Helpers see the axes of the result that
//                uses them.
//   axes:        a letter alone in brackets is an axis. All such uses must have the same size; a computed
//                index (h*d_k + i) is rounded down and must only be inside its tensor.
//   sum_d x      adds x over all d; max_d takes the largest (NaN if any is NaN), mean_d the mean. It includes
//                the following factors, up to the next + or -. With several axes, sum_l,b, the first runs
//                fastest. last(d) is 1 at the last d.
//   values:      numbers, inf, pi, sizes and options by name, + - * / % ^, comparisons (1 or 0), and or not,
//                c ? a : b (computes only the chosen one), |x|, the functions of formula_functions.def
//   # ...        a comment, up to the end of the line
//   x[...]       all axes, on both sides, for results of any rank
//   (+ bias[o])  is used if its tensors are given, as is (or mask[i,j]); given(mask) tests it
//
// Formulas are untrusted: length, depth, size and cost are bounded, and no definition may use itself. All
// memory comes from the caller's arena.
#ifndef FORMULA_H
#define FORMULA_H

#include <stdint.h>
#include "tensor.h"
#include "words.h"

enum {
    FORMULA_TEXT_MAX = 1200,
    FORMULA_DEPTH_MAX = 48,         // nesting of nodes
    FORMULA_NODES_MAX = 1000,       // nodes of the text
    FORMULA_CODE_MAX = 4000,        // nodes with all helpers expanded
    FORMULA_DEFINITIONS_MAX = 16,   // of one text
    FORMULA_REDUCED_MAX = 4,        // axes of one sum
    FORMULA_AXES_MAX = 64,          // of all definitions together
    FORMULA_ELEMENTS_MAX = 1 << 26, // of one result
    FORMULA_NAME_MAX = 64,
};

typedef enum FormulaKind {
    FORMULA_NUMBER,
    FORMULA_NAME, // an axis, a size, an option, a tensor of one element, a helper without parameters
    FORMULA_READ, // an element of a tensor, or a helper with values for its parameters
    FORMULA_CALL, // of a function
    FORMULA_GIVEN,
    FORMULA_LAST,
    FORMULA_SUM,
    FORMULA_MEAN,
    FORMULA_MAXIMUM,
    FORMULA_CHOICE, // three parts
    FORMULA_NEGATIVE,
    FORMULA_NOT,
    FORMULA_ABSOLUTE,
#define OPERATOR(NAME, text, precedence) FORMULA_##NAME,
#include "formula_operators.def"
#undef OPERATOR
    FORMULA_KINDS
} FormulaKind;

// A node of a formula as written.
typedef struct FormulaNode FormulaNode;
struct FormulaNode {
    FormulaKind kind;
    int from, to;     // its bytes in the text
    int depth;        // of nodes inside each other, from 0
    const char *name; // for NAME, READ, CALL and GIVEN
    int function;     // CALL: row of formula_functions.def
    double number;    // NUMBER
    bool is_all;      // READ: [...], the result's own index
    bool is_optional; // an addend or a part of `or` that is used only with its tensors
    int axis_count;   // SUM, MEAN, MAXIMUM; the first axis runs fastest
    const char *axes[FORMULA_REDUCED_MAX];
    int count;
    FormulaNode **parts;
};

typedef struct FormulaDefinition {
    const char *name;
    int from;    // its first byte in the text
    bool is_all; // [...]: of any rank
    int index_count;
    FormulaNode *index[TENSOR_RANK_MAX];
    FormulaNode *value;
} FormulaDefinition;

typedef struct Formula {
    const char *text; // an own copy
    int count;
    FormulaDefinition definitions[FORMULA_DEFINITIONS_MAX];
} Formula;

// Parses a formula. Returns false and sets err to "line:column: sentence".
bool formula_parse(Arena *arena, const char *text, Formula *formula, Error *err);

// Prefixes err with "line:column: ", the position of a byte of the text; returns false.
bool formula_at(const char *text, int byte, Error *err);

// The formula as text, which parses to the same tree; truncated if there is no room. Returns `text`.
// `rename` may replace names; if it returns NULL, the name stays.
typedef const char *FormulaRename(void *context, const char *name, bool is_result);
char *formula_print(const Formula *formula, FormulaRename *rename, void *context, char *text,
                    size_t room);

// The bytes of a node in a text; both 0 if it is not there.
typedef struct FormulaMark {
    const FormulaNode *node;
    int from, to;
} FormulaMark;

// One definition as text, or one node of it, and the positions of `count` nodes in it.
char *formula_print_definition(const FormulaDefinition *definition, FormulaMark marks[], int count,
                               char *text, size_t room);
char *formula_print_node(const FormulaNode *node, char *text, size_t room);

// --- names

typedef enum FormulaThingKind {
    FORMULA_UNKNOWN,
    FORMULA_ABSENT,  // an optional tensor that is missing
    FORMULA_NOT_YET, // a tensor that a later step computes
    FORMULA_VALUE,
    FORMULA_TENSOR,
} FormulaThingKind;

typedef struct FormulaThing {
    FormulaThingKind kind;
    double value;
    Tensor tensor;
    Tensor broadcast; // the same with more indices, or with axes of length 1 repeated; rank 0: none
    bool is_own;      // an output of the step itself: a result of the formula takes precedence
    bool is_wide;     // float32 tensors hold doubles in storage
    int hidden; // an axis of length 1 that the formula may leave out (of `broadcast`, if there is
                // one); -1: none
    int id;     // passed to the visitor of terms
} FormulaThing;

// Looks up a name while a formula is bound. `result` looks up what a definition computes: a tensor, of
// which only the shape counts; FORMULA_UNKNOWN: a helper, or for the first definition a result of any
// shape.
typedef struct FormulaScope {
    FormulaThing (*read)(void *context, const char *name);
    FormulaThing (*result)(void *context, const char *name, bool is_first);
    void *context;
} FormulaScope;

// Resolves the parts that depend on which tensors are given: optional parts, given(x) ? a : b. Drops
// definitions that nothing uses and that are not results. The meaning does not change.
void formula_settle(Formula *formula, const FormulaScope *scope);

// The name of a function that formulas may call; NULL after the last.
const char *formula_function_name(int number);

// --- running

// A formula bound to its tensors.
typedef struct FormulaCode FormulaCode;

typedef struct FormulaAxis {
    const char *name;
    ptrdiff_t size;     // -1: not known yet
    const char *tensor; // the tensor and axis that set the size
    int at;
    bool is_result;
    int from; // its first position in the formula
} FormulaAxis;

typedef struct FormulaResult {
    const char *name;
    int definition;
    FormulaThing thing; // from the scope
    int rank;           // as written in the formula
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int axis_count; // of its left side, outermost first
    int axes[TENSOR_RANK_MAX * 2];
    FormulaCode *index[TENSOR_RANK_MAX];
    FormulaCode *value;
    Tensor numbers; // doubles, after formula_run
    bool is_done, is_running, reads_itself;
} FormulaResult;

typedef struct FormulaProgram {
    const Formula *formula;
    Arena *arena;
    int result_count;
    FormulaResult results[FORMULA_DEFINITIONS_MAX];
    int axis_count;
    FormulaAxis axes[FORMULA_AXES_MAX];
    int code_count;
    double cost;        // operations of a run, approximately
    bool reads_results; // a result reads another, or itself
    unsigned runs;
} FormulaProgram;

// Resolves every name and the size of every axis. Returns false with a position, and with both sizes if
// they differ, or if a run would take more than `most` operations. The formula and the scope's tensors must
// outlive the program.
bool formula_bind(Arena *arena, const Formula *formula, const FormulaScope *scope, double most,
                  FormulaProgram *program, Error *err);

// Computes every result into `numbers`, in double, or with `narrow` in float32 with the bits of the stages.
// Then each operation on elements of float32 tensors is rounded. Values from axes, sizes, options and other
// tensors alone are exact until combined with such a number, and float32(x) computes all of x exactly and
// rounds once. A sum starts at +0 and ascends along its axes, the first one fastest; if its terms are
// products, the last factor is multiplied and added with one rounding (fmaf); terms exp(...) go to sixteen
// lanes in turn, whose neighbours are added until one is left. exp is the one of kernel.h. Returns false
// with the position of an index outside its tensor, and that tensor's shape.
bool formula_run(FormulaProgram *program, bool narrow, Error *err);

// Computes one element of a result, which has `rank` indices. Fails as formula_run does, and if no
// value of the axes leads to the element.
bool formula_element(FormulaProgram *program, int result, const ptrdiff_t at[], bool narrow,
                     double *value, Error *err);

// True if a few elements, spread over a result, agree with `like` within a fraction of its largest: most edits
// already fail here. A formula that cannot be computed (err) agrees with nothing. `narrow`: as in formula_run.
enum { FORMULA_BEGINS = 6 };
bool formula_begins(FormulaProgram *program, int result, bool narrow, const Tensor *like,
                    double part, Error *err);

// --- terms of an element

typedef enum FormulaTermKind {
    FORMULA_TERM_VALUE,    // an element that is read
    FORMULA_TERM_ADDED,    // a term of a sum, or an element that is added
    FORMULA_TERM_PRODUCT,  // a term of a sum that is the product of two elements
    FORMULA_TERM_COMPARED, // a candidate for the maximum
    FORMULA_TERM_LANES,    // the lanes of a sum of exponentials are added; nothing is read
    FORMULA_TERM_RULE, // nothing is read: a constant, a choice by position, or the remaining operations
} FormulaTermKind;

enum { FORMULA_SOURCES_MAX = 3 };

typedef struct FormulaTerm {
    FormulaTermKind kind;
    int source_count;
    struct {
        int id; // of the thing
        int rank;
        ptrdiff_t at[TENSOR_RANK_MAX];
    } sources[FORMULA_SOURCES_MAX];
    double value; // of this term; of one of a sum, what is added, a product rounded by itself
    double
        running; // what has been computed with it: the sum up to it, the lane that it went to; of the
                 // last term, the element
} FormulaTerm;

typedef struct FormulaTermVisitor {
    void (*visit)(void *context, const FormulaTerm *term);
    void *context;
} FormulaTermVisitor;

// Visits the terms of an element in the order of computation. A shared part (the maximum of a row) is
// visited once. Fails as formula_element does.
bool formula_terms(FormulaProgram *program, int result, const ptrdiff_t at[], bool narrow,
                   const FormulaTermVisitor *visitor, Error *err);

// --- edits

// The kinds of edits of a formula; likelier slips first.
typedef enum FormulaEditKind {
#define EDIT(NAME, ...) FORMULA_EDIT_##NAME,
#include "formula_edits.def"
#undef EDIT
    FORMULA_EDIT_KINDS
} FormulaEditKind;

typedef struct FormulaEdit {
    FormulaEditKind kind;
    int number, definition;              // its place in the list; what it edits
    int from, to;                        // the bytes of the right formula that it changes
    const FormulaNode *was, *is, *place; // `place`: what stands at those bytes
    const char *axis; // AXIS_EXCHANGED: summed over instead; *_LOST, *_ONLY: whose terms are lost
    Formula formula;  // the edited one; its `text` is the right one's
} FormulaEdit;

// Receives an edit, valid only during the call; returning false ends the list.
typedef struct FormulaEditVisitor {
    bool (*visit)(void *context, const FormulaEdit *edit);
    void *context;
} FormulaEditVisitor;

// The names that edits may substitute.
typedef struct FormulaNames {
    int tensor_count, size_count;
    const char *const *tensors;
    const int *ranks;
    const char *const *sizes;
} FormulaNames;

// Lists every formula one edit away, definition by definition, each in the order of the kinds. Most will not bind.
// Returns false if memory is short.
bool formula_edits(Arena *arena, const Formula *formula, const FormulaNames *names,
                   const FormulaEditVisitor *visitor, Error *err);

// The kind of an edit: "a factor is missing".
Words formula_edit_words(FormulaEditKind kind);

// A sentence about the edit: a printf format for the original and the replacement, from
// formula_edits.def.
Words formula_edit_sentence(FormulaEditKind kind);

#endif
