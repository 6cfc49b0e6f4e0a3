// What relations share: agreeing numbers, names of axes, sizes as formulas, sentences.
#ifndef RELATION_TOOLS_H
#define RELATION_TOOLS_H

#include "formula.h"
#include "relation.h"
#include "words.h"

// Those of relations.def.
#define RELATION(name) extern const Relation relation_##name;
#include "relations.def"
#undef RELATION

// Adds a reading without a number; too many are left out.
void relation_add(const RelationCase *what, RelationReadings *readings, const Relation *relation,
                  int a, int b);

// Adds a reading. If the case is so small that it may be another reading, it is doubtful: a larger case must read it
// too.
void relation_add_if(const RelationCase *what, RelationReadings *readings, RelationReading reading,
                     bool is_doubtful);

// Says in the case that this machine could not compute something, where that is what `err` says.
void relation_lacks(const RelationCase *what, const Error *err);

// Whether these numbers are the wrong ones of the case, and not the right ones.
bool relation_makes(const RelationCase *what, const Tensor *numbers);

// The same of numbers that were computed in double precision: a sum whose terms cancel is further from them in
// float32.
bool relation_nearly_makes(const RelationCase *what, const Tensor *numbers);

// Whether a run of this scenario in this way (NULL: its own) makes them. `run` is where it takes place,
// for a way that asks it; it is closed behind.
bool relation_run_makes(const RelationCase *what, const Scenario *scenario,
                        const TraceVariant *variant, Trace *run);

// A formula that may have made the wrong numbers of a case.
typedef struct RelationAsk {
    const Formula *formula;
    const FormulaScope *scope;
    int result;  // the id of what it makes (FormulaThing); -1: its first
    double most; // operations that it may take
    bool narrow;
    bool
        is_whole; // all of it is wanted; else only what begins as the wrong numbers do, as most attempts do not
} RelationAsk;

// What it makes, in a tensor of the case's shape and dtype; adds the operations to `spent` (may be NULL). False where
// it makes no such tensor, or the machine failed.
bool relation_compute(const RelationCase *what, const RelationAsk *ask, Arena *arena, Tensor *made,
                      double *spent);

// The same for numbers that a function of the index gives.
typedef double RelationNumber(const RelationCase *what, const ptrdiff_t at[], const void *context);
bool relation_fits(const RelationCase *what, RelationNumber *number, const void *context);

// Whether the step's stage makes the wrong numbers of these inputs.
bool relation_stage_makes(const RelationCase *what, const StageArgs *inputs);

// A step as one number, the same in all cases: its stage and call. -1: it was made for this run alone, as the sum of
// a tensor's gradients is.
int relation_step_code(const TraceStep *step);
const Stage *relation_step_stage(int code);
const StageCall *relation_step_call(int code);

// The name of a tensor for people: words for what only this program has a name for.
const char *relation_tensor_name(const char *role, Language language);

// The name of the step with this code: "linear_backward q", or of what it makes where only this program has such a
// step. Returns text.
const char *relation_step_name(int code, Language language, char text[RELATION_TEXT_MAX]);

// Says of a whole run which step is wrong, with the code of that step, and why.
void relation_say_step(int code, const char *why, Language language, char text[RELATION_TEXT_MAX]);

// Whether the case is one step of this stage. An exercise that takes its numbers from a step and makes others of
// them, of another shape, is none.
bool relation_is_stage(const RelationCase *what, const char *name);

// A tensor of the shape of the case's, over zeroed memory of the arena.
bool relation_room(const RelationCase *what, Arena *arena, Tensor *room);

// Numbers that a formula computed, in a tensor of the case's dtype.
void relation_put(const Tensor *numbers, Tensor *made);

// Where an axis is named in the axes of the case ("B H Lq Lk": axis 1 at "H Lq Lk"); "" beyond.
const char *relation_axis_text(const RelationCase *what, int axis);

// The symbol of an axis of the case ("B H Lq Lk": axis 1 is SYMBOL_H); SYMBOL_COUNT beyond.
Symbol relation_axis(const RelationCase *what, int axis);

// What an axis counts, for relation_axis_word: where no queries meet keys its places are tokens, and of an axis
// without a name of its own, rows, columns or the numbers of a single row.
Symbol relation_axis_named(const RelationCase *what, int axis);
enum { RELATION_AXIS_NUMBER = SYMBOL_COUNT + 1 };

// "head" and "헤드".
const char *relation_axis_word(Symbol symbol, Language language);

// "heads", "헤드".
const char *relation_axis_words(Symbol symbol, Language language);

// A number as people write it: "2", "1/3", "sqrt(5)", "0.7071". Returns text.
const char *relation_number(double number, char text[32]);

// --- the rows of relation_words.def, as words.h has them

#include "relation_words.def"

// A row as a value, for tables of sentences.
#define ROW(NAME) \
    { \
        { \
            word_##NAME##_english, word_##NAME##_korean, word_##NAME##_marked \
        } \
    }

#endif
