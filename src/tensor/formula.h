// Formulas that run: text such as
//
//   scores[b,h,i,j] = sum_d q[b,h,i,d] * k[b,h,j,d]
//
// becomes a tree (formula_parse), meets tensors and sizes (formula_bind), and computes (formula_run), or
// tells what one element is made of (formula_terms). formula_edits lists the formulas one slip away.
//
//   definitions: "name[index, ...] = expression", several separated by ';'. The first is a result. Another
//                is a result if the scope says so; else it is a helper: its name, with values for its
//                parameters, stands for its expression. Helpers see the axes of the result they are used in.
//   axes:        a letter alone in brackets is an axis. It has one size wherever it stands alone; a computed
//                index (h*d_k + i) is rounded down and must only lie inside its tensor.
//   sum_d x      adds x for every d; max_d takes the largest (NaN where one is), mean_d divides the sum by how many there are.
//                It takes in the factors behind it, up to the next + or -. Of several axes, sum_l,b, the
//                first runs fastest. last(d) is 1 at the last d.
//   values:      numbers, inf, pi, sizes and options by name, + - * / % ^, comparisons (1 or 0), and or not,
//                c ? a : b (only the chosen one is computed), |x|, the functions of formula_functions.def
//   # ...        a remark, up to the end of the line
//   x[...]       all axes, on both sides, for results of any rank
//   (+ bias[o])  takes part if its tensors are given, likewise (or mask[i,j]); given(mask) asks
//
// A formula is untrusted: its length, depth, size and cost are bounded, and no definition may use itself.
// All memory comes from the caller's arena.
#ifndef FORMULA_H
#define FORMULA_H

#include <stdint.h>
#include "tensor.h"
#include "words.h"

enum {
    FORMULA_TEXT_MAX = 1200,
    FORMULA_DEPTH_MAX = 48,         // nodes inside each other
    FORMULA_NODES_MAX = 1000,       // of the text
    FORMULA_CODE_MAX = 4000,        // with every helper written out
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

// Part of a formula as it was written.
typedef struct FormulaNode FormulaNode;
struct FormulaNode {
    FormulaKind kind;
    int from, to;     // its bytes in the text
    int depth;        // of nodes inside each other, from 0
    const char *name; // NAME, READ, CALL and GIVEN
    int function;     // CALL: row of formula_functions.def
    double number;    // NUMBER
    bool is_all;      // READ: [...], an element at the place of the result
    bool is_optional; // an addend, or a part of `or`, that needs its tensors
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
    const char *text; // its own copy
    int count;
    FormulaDefinition definitions[FORMULA_DEFINITIONS_MAX];
} Formula;

// Reads a formula. False with "line:column: sentence".
bool formula_parse(Arena *arena, const char *text, Formula *formula, Error *err);

// Puts "line:column: ", the place of a byte of the text, in front of what `err` says; returns false.
bool formula_at(const char *text, int byte, Error *err);

// The formula as text, which reads back as the same tree; cut where there is no room. Returns `text`.
// With `rename` a name is written as that says, unless it says NULL.
typedef const char *FormulaRename(void *context, const char *name, bool is_result);
char *formula_print(const Formula *formula, FormulaRename *rename, void *context, char *text,
                    size_t room);

// Where a node stands in a text, in bytes; both 0: it is not there.
typedef struct FormulaMark {
    const FormulaNode *node;
    int from, to;
} FormulaMark;

// One definition as text, or one node of it, and where `count` nodes stand in that.
char *formula_print_definition(const FormulaDefinition *definition, FormulaMark marks[], int count,
                               char *text, size_t room);
char *formula_print_node(const FormulaNode *node, char *text, size_t room);

// --- what names mean

typedef enum FormulaThingKind {
    FORMULA_UNKNOWN,
    FORMULA_ABSENT, // a tensor that is optional and not there
    FORMULA_VALUE,
    FORMULA_TENSOR,
} FormulaThingKind;

typedef struct FormulaThing {
    FormulaThingKind kind;
    double value;
    Tensor tensor;
    Tensor
        broadcast; // the same for more indices, or axes of length 1 repeated; rank 0: there is none
    bool is_own;   // an output of the step itself: a result of the formula goes first
    bool is_wide;  // float32 tensors hold doubles in storage
    int hidden; // an axis of length 1 that the formula may leave out (of `broadcast`, if there is
                // one); -1: none
    int id;     // for whoever hears terms
} FormulaThing;

// Asked while a formula is bound. `result` is asked about what a definition computes: a tensor whose
// shape counts, and nothing else; FORMULA_UNKNOWN: a helper, or for the first definition a result of any
// shape.
typedef struct FormulaScope {
    FormulaThing (*read)(void *context, const char *name);
    FormulaThing (*result)(void *context, const char *name, bool is_first);
    void *context;
} FormulaScope;

// Decides what depends on which tensors are given: optional parts, given(x) ? a : b. Definitions that
// nothing uses and that are no result of the scope are left out. What stays means the same.
void formula_settle(Formula *formula, const FormulaScope *scope);

// The name of a function that formulas may call, NULL beyond the last one.
const char *formula_function_name(int number);

// --- running

// A formula whose names have met their tensors.
typedef struct FormulaCode FormulaCode;

typedef struct FormulaAxis {
    const char *name;
    ptrdiff_t size;     // -1: not known yet
    const char *tensor; // which says so, and with which of its axes
    int at;
    bool is_result;
    int from; // where it stands in the formula first
} FormulaAxis;

typedef struct FormulaResult {
    const char *name;
    int definition;
    FormulaThing thing; // what the scope said of it
    int rank;           // as the formula writes it
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
    double cost;        // operations of a run, about
    bool reads_results; // one result another, or itself
    unsigned runs;
} FormulaProgram;

// Finds what every name means, and the size of every axis. False with a place and, where sizes differ,
// both of them, and where a run would take more than `most` operations. The formula and the scope's tensors
// must outlive the program.
bool formula_bind(Arena *arena, const Formula *formula, const FormulaScope *scope, double most,
                  FormulaProgram *program, Error *err);

// Computes every result into `numbers`: with doubles, or (`narrow`) in float32 as the stages do, for the
// same bits. Then each operation on elements of float32 tensors is rounded. What comes from axes, sizes,
// options and other tensors alone is exact until it meets such a number, and float32(x) computes all of x
// exactly and rounds once. A sum goes up from +0 along its axes, the first one fastest; where its terms are
// products the last factor is multiplied and added in one rounding (fmaf); terms exp(...) go to sixteen
// lanes in turn, whose neighbours are added until one is left. exp is kernel.h's. False with the place
// where an index leaves its tensor, and that tensor's shape.
bool formula_run(FormulaProgram *program, bool narrow, Error *err);

// One element of a result, which has `rank` indices. False as formula_run, and where no value of the
// axes leads to the element.
bool formula_element(FormulaProgram *program, int result, const ptrdiff_t at[], bool narrow,
                     double *value, Error *err);

// Whether a few elements, spread over a result, are those of `like`, but for a part of its largest: most edits fail
// already there. One that cannot be computed (err) agrees with nothing. `narrow`: as formula_run computes.
enum { FORMULA_BEGINS = 6 };
bool formula_begins(FormulaProgram *program, int result, bool narrow, const Tensor *like,
                    double part, Error *err);

// --- where an element came from

typedef enum FormulaTermKind {
    FORMULA_TERM_VALUE,    // an element that is read
    FORMULA_TERM_ADDED,    // a term of a sum
    FORMULA_TERM_PRODUCT,  // a term of a sum that is the product of two elements
    FORMULA_TERM_COMPARED, // one of those whose largest is taken
    FORMULA_TERM_LANES,    // the lanes of a sum of exponentials are added; nothing is read
    FORMULA_TERM_RULE, // nothing is read: a constant, what places decide, or what is left to compute
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
    double value; // of this term; of one of a sum, what is added
    double
        running; // what has been computed with it: the sum up to it, the lane that it went to; of the
                 // last term, the element
} FormulaTerm;

typedef struct FormulaTermVisitor {
    void (*hear)(void *context, const FormulaTerm *term);
    void *context;
} FormulaTermVisitor;

// Tells the terms of an element in the order in which they are computed. What several of them need (the
// maximum of a row) is told once. False as formula_element.
bool formula_terms(FormulaProgram *program, int result, const ptrdiff_t at[], bool narrow,
                   const FormulaTermVisitor *visitor, Error *err);

// --- edits

// One step away from a formula; likelier slips first.
typedef enum FormulaEditKind {
#define EDIT(NAME, ...) FORMULA_EDIT_##NAME,
#include "formula_edits.def"
#undef EDIT
    FORMULA_EDIT_KINDS
} FormulaEditKind;

typedef struct FormulaEdit {
    FormulaEditKind kind;
    int from, to;                        // the bytes of the right formula that it changes
    const FormulaNode *was, *is, *place; // `place`: what stands at those bytes
    Formula formula;                     // the edited one; its `text` is the right one's
} FormulaEdit;

// Hears an edit, which is only valid during the call; false ends the list.
typedef struct FormulaEditVisitor {
    bool (*hear)(void *context, const FormulaEdit *edit);
    void *context;
} FormulaEditVisitor;

// What edits may put in the place of names.
typedef struct FormulaNames {
    int tensor_count, size_count;
    const char *const *tensors;
    const int *ranks;
    const char *const *sizes;
} FormulaNames;

// Every formula one edit away from the definition with this number, in the order of the kinds. Most will
// not bind. False when memory is short.
bool formula_edits(Arena *arena, const Formula *formula, int definition, const FormulaNames *names,
                   const FormulaEditVisitor *visitor, Error *err);

// The kind of an edit: "a factor is missing".
Words formula_edit_words(FormulaEditKind kind);

// A sentence about it, a printf format for what the formula has and what is in its place, as
// formula_edits.def says.
Words formula_edit_sentence(FormulaEditKind kind);

#endif
