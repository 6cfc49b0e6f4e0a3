// What relations share: comparing numbers, runs with replaced steps, formulas and sums, names, sentences.
#ifndef RELATION_TOOLS_H
#define RELATION_TOOLS_H

#include "formula.h"
#include "relation.h"
#include "words.h"

#define RELATION(name) extern const Relation relation_##name;
#include "relations.def"
#undef RELATION

// Adds a reading without a number; drops it if there are too many.
void relation_add(const RelationCase *what, RelationReadings *readings, const Relation *relation,
                  int a, int b);

// Adds a reading. It is doubtful if a larger case must tell it from another reading.
void relation_add_if(const RelationCase *what, RelationReadings *readings, RelationReading reading,
                     bool is_doubtful);

// True if what->kept has a reading of the relation with this a (-1: any), or is NULL: then it is looked for.
bool relation_is_kept(const RelationCase *what, const Relation *relation, int a);

// Copies an error of the machine to the case.
void relation_lacks(const RelationCase *what, const Error *err);

// True if these numbers are the wrong ones of the case, and not the right ones.
bool relation_makes(const RelationCase *what, const Tensor *numbers);

// The same with a wider tolerance, for numbers computed in double precision: terms that cancel differ more in float32.
bool relation_nearly_makes(const RelationCase *what, const Tensor *numbers);

// Runs of a case in which other steps are replaced each time; the steps before them have run once for all. Takes
// what->beside along. Life cycle: relation_run_of; relation_run_makes any number of times; relation_run_close.
typedef struct RelationRun {
    const RelationCase *what;
    const Scenario *scenario;   // NULL: memory is short
    const Stage *const *stages; // in the place of the right ones; NULL: none
    Trace trace;                // of the latest run
    bool is_open, is_refused;
    int clean; // steps before this one have no replaced numbers
    TraceRun *replace;
    void *context;
    Arena arena;
} RelationRun;

RelationRun relation_run_of(const RelationCase *what);

// The same for another scenario: a copy that shares the tensors, for the caller to change. NULL: memory is short.
Scenario *relation_run_changed(RelationRun *run, const RelationCase *what);

// True if the run makes the wrong numbers where `replace` runs some of the steps from `first` to `last` (NULL: none). It
// must stay where it is from now on.
bool relation_run_makes(RelationRun *run, int first, int last, TraceRun *replace, void *context);

void relation_run_close(RelationRun *run);

// Formulas that were parsed in a case: beside each mistake of the bank the same ones are tried again.
typedef struct RelationParsed {
    struct RelationParsedText *first;
    Arena arena;
} RelationParsed;

// The formula of a text, for the caller to copy; NULL if memory is short.
const Formula *relation_parse(const RelationCase *what, const char *text);

// Steps of a run: those of a stage, or one.
typedef struct RelationSteps {
    const char *stage; // a label of a call may follow: "linear_backward q"; NULL: the step `number`
    int number;
} RelationSteps;
bool relation_is_step(const TraceStep *step, const char *name);

// True if the run makes the wrong numbers in which these steps compute a formula, with `most` operations each.
bool relation_formula_makes(RelationRun *run, const Formula *formula, const RelationSteps *steps,
                            double most);

// A formula that may have made the wrong numbers of a case.
typedef struct RelationAsk {
    const Formula *formula;
    const FormulaScope *scope;
    int result;  // the id of the result (FormulaThing); -1: the first
    double most; // bound on the operations
    bool narrow;
    const Tensor *like; // what a few numbers must agree with before all are computed; NULL: nothing
} RelationAsk;

// Computes it into a tensor of the case's shape and dtype, and adds the operations to `spent` (may be NULL). Returns
// false if it makes no such tensor, or the machine fails.
bool relation_compute(const RelationCase *what, const RelationAsk *ask, Arena *arena, Tensor *made,
                      double *spent);

// The sum that a step computes, as the base "sum" of relation_known.def.
typedef struct RelationSum {
    char axes[FORMULA_REDUCED_MAX * FORMULA_NAME_MAX];
    char text[FORMULA_TEXT_MAX + 1];
    ptrdiff_t terms;
} RelationSum;

// Returns false if the step's formula is not a sum.
bool relation_sum_open(const RelationCase *what, const char *base, RelationSum *sum);

// The definitions of a row, with every @ replaced by the sum's axes. Returns `text`.
const char *relation_sum_parts(const RelationSum *sum, const char *parts,
                               char text[FORMULA_TEXT_MAX + 1]);

// True if the step's stage makes the wrong numbers of these inputs.
bool relation_stage_makes(const RelationCase *what, const StageArgs *inputs);

// Encodes a step by its stage and call, so that cases can agree on it. -1: the step belongs to this run alone, as a sum
// of gradients does.
int relation_step_code(const TraceStep *step);
const Stage *relation_step_stage(int code);
const StageCall *relation_step_call(int code);

// The name of a tensor for people: words, if only this program uses its name.
const char *relation_tensor_name(const char *role, Language language);

// The name of a step: "linear_backward q", or that of its result if only this program has the step. Returns `text`.
const char *relation_step_name(int code, Language language, char text[RELATION_TEXT_MAX]);

// The sentence about the only wrong step of a run.
void relation_say_step(int code, const char *why, Language language, char text[RELATION_TEXT_MAX]);

// True if the case is one step of this stage. False for an exercise that changes the shape of the step's result.
bool relation_is_stage(const RelationCase *what, const char *name);

// The symbols of axes ("B H Lq Lk", or NULL) and their count, and the symbol of one (SYMBOL_COUNT after the last). Those
// of keys and of the width of queries are the ones of right runs.
int relation_symbols(const char *axes, Symbol symbols[TRACE_WORDS_MAX]);
Symbol relation_axis(const char *axes, int axis);

// What an axis counts, for relation_axis_word. Queries and keys are tokens unless queries meet keys. An axis without a
// name of its own counts rows, columns, or the numbers of a single row.
Symbol relation_axis_named(const char *axes, int axis);
enum { RELATION_AXIS_NUMBER = SYMBOL_COUNT + 1 };

// "head" and "헤드"; "heads" if there are many.
const char *relation_axis_word(Symbol symbol, bool is_many, Language language);

// A number as people write it: "2", "1/3", "sqrt(5)", "0.7071". Returns `text`.
const char *relation_number(double number, char text[32]);

#include "relation_words.def"

#endif
