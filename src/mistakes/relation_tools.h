// What relations share: agreeing numbers, names of axes, sizes as formulas.
#ifndef RELATION_TOOLS_H
#define RELATION_TOOLS_H

#include "relation.h"

// Adds a reading; too many are left out.
void relation_add(const RelationCase *what, RelationReadings *readings, RelationReading reading);

// The same where the case is so small that it may be another reading: a larger one must read it too.
void relation_add_if(const RelationCase *what, RelationReadings *readings, RelationReading reading,
                     bool is_doubtful);

// The number that the other cases read of this relation and meaning; NAN where they read none, or where
// this is the first case. What a case's own numbers cannot tell may still hold in it.
double relation_kept_number(const RelationCase *what, const Relation *relation, int a);

// A number that was computed, as it was written: with two digits behind the point where it is so near them.
double relation_tidy(double number);

// Says in the case that this machine could not compute something, where that is what `err` says.
void relation_lacks(const RelationCase *what, const Error *err);

// Whether these numbers are the wrong ones of the case, and not the right ones.
bool relation_makes(const RelationCase *what, const Tensor *numbers);

// Whether a run of this scenario in this way (NULL: its own) makes them. `run` is where it takes place,
// for a way that asks it; it is closed behind.
bool relation_run_makes(const RelationCase *what, const Scenario *scenario, const TraceWay *way,
                        Trace *run);

// The same for numbers that a function of the index gives.
typedef double RelationNumber(const RelationCase *what, const ptrdiff_t at[], const void *context);
bool relation_fits(const RelationCase *what, RelationNumber *number, const void *context);

// Whether the step's stage makes the wrong numbers of these inputs.
bool relation_stage_makes(const RelationCase *what, const StageArgs *inputs);

// Whether the case is one step of this stage.
bool relation_is_stage(const RelationCase *what, const char *name);

// What the largest number of a step's first input was divided by: others have fewer digits that count. NAN
// where no input is a finite number beside 0.
double relation_input_divisor_of(const RelationCase *what);

// Of a step of Adam: its weight, gradient and moments, as the function is given them. False for any other.
enum { RELATION_ADAM_INPUTS = 4 };
bool relation_adam_inputs(const RelationCase *what, const Tensor *in[RELATION_ADAM_INPUTS]);

// A tensor of the shape of the case's, over zeroed memory of the arena.
bool relation_room(const RelationCase *what, Arena *arena, Tensor *room);

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

// Formulas of sizes that people write by mistake: "sqrt(d_k)", "H", "d_k / 2".
enum { RELATION_FORMULAS_MAX = 40 };
const char *relation_formula(int number); // NULL beyond the last
Symbol relation_formula_symbol(int number);
double relation_formula_value(int number, const Scenario *scenario);

// A number as people write it: "2", "1/3", "sqrt(5)", "0.7071". Returns text.
const char *relation_number(double number, char text[32]);

#endif
