// What relations share: agreeing numbers, names of axes, sizes as formulas.
#ifndef RELATION_TOOLS_H
#define RELATION_TOOLS_H

#include "relation.h"

// Adds a reading; too many are left out.
void relation_add(const RelationCase *what, RelationReadings *readings, RelationReading reading);

// Says in the case that this machine could not compute something, where that is what `err` says.
void relation_lacks(const RelationCase *what, const Error *err);

// The number, in a run of the same scenario, of the tensor that a case of a whole trace is about; -1.
int relation_tensor(const RelationCase *what, const Trace *run);

// Whether these numbers are the wrong ones of the case, and not the right ones.
bool relation_makes(const RelationCase *what, const Tensor *numbers);

// The same for numbers that a function of the index gives.
typedef double RelationNumber(const RelationCase *what, const ptrdiff_t at[], const void *context);
bool relation_fits(const RelationCase *what, RelationNumber *number, const void *context);

// Whether the step's stage makes the wrong numbers of these inputs.
bool relation_stage_makes(const RelationCase *what, const StageArgs *inputs);

// Whether the case is one step of this stage.
bool relation_is_stage(const RelationCase *what, const char *name);

// A tensor of the shape of the case's, over zeroed memory of the arena.
bool relation_room(const RelationCase *what, Arena *arena, Tensor *room);

// The symbol of an axis of the case ("B H Lq Lk": axis 1 is SYMBOL_H); SYMBOL_COUNT beyond.
Symbol relation_axis(const RelationCase *what, int axis);

// "head" and "헤드": what an axis counts.
const char *relation_axis_word(Symbol symbol, Language language);

// Formulas of sizes that people write by mistake: "sqrt(d_k)", "H", "d_k / 2".
enum { RELATION_FORMULAS_MAX = 32 };
const char *relation_formula(int number); // NULL beyond the last
double relation_formula_value(int number, const Scenario *scenario);

// A number as people write it: "2", "1/3", "sqrt(5)", "0.7071". Returns text.
const char *relation_number(double number, char text[32]);

#endif
