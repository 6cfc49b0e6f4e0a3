// The formula of a step as a program over the tensors of a trace (formula.h).
//
// What a name in a formula means, first match first:
//   a tensor that the step reads, by its alias, role, or name in the trace. The last part of a dotted name
//   is enough (weight for q_proj.weight), and so is the first (embedding for embedding.weight, x for
//   x_query); '_' may stand for '.' (grad_q for grad.q)
//   a tensor that the step writes, likewise, where the formula itself does not compute it
//   a size ("d_k"), an option of options.def ("scale")
//   a tensor of the trace that an earlier step has made, by its name
#ifndef TRACE_PROGRAM_H
#define TRACE_PROGRAM_H

#include "exact.h"
#include "formula.h"
#include "trace.h"

// Ids of things (FormulaThing): read slots from 0, write slots from SOURCE_OWN, and from here on tensors
// of the trace that are neither.
enum { TRACE_PROGRAM_OTHER = 100 };

typedef struct TraceProgram {
    const Trace *trace; // NULL: the call stands alone
    int step;
    const Stage *stage; // that stands alone, and its call
    const StageCall *call;
    StageArgs args;
    ExactOptions exact;
    bool narrow;
    bool is_wide; // float32 tensors hold doubles in storage
    Formula formula;
    FormulaProgram program;
} TraceProgram;

typedef struct TraceProgramAsk {
    const Trace *trace;
    int step;         // whose inputs exist
    const char *text; // NULL: the step's own
    bool
        narrow; // options are float32 as the stage has them, else what they mean in double precision
    double most; // operations of a run
} TraceProgramAsk;

// Reads and binds a formula for a step. False with a sentence; nothing is left to close.
bool trace_program_open(TraceProgram *made, Arena *arena, const TraceProgramAsk *ask, Error *err);

// What names mean for a step with arguments that somebody gave. In double precision.
FormulaScope trace_program_scope(TraceProgram *made, const Trace *trace, int step,
                                 const StageArgs *args);

// The same of a call that is in no trace: its options are those of the arguments, in float32.
FormulaScope trace_program_alone(TraceProgram *made, const Stage *stage, const StageCall *call,
                                 const StageArgs *args);

// The call whose slots the program reads and writes.
const StageCall *trace_program_call(const TraceProgram *made);

// Tells the terms of an element of an output, as an origin of a stage would, with `rest` for what the formula does
// with them at last. Sources that are neither inputs nor outputs have the slot TRACE_PROGRAM_OTHER + tensor. Returns
// false if the formula does not compute this output, or the element cannot be computed.
bool trace_program_terms(TraceProgram *made, const Terms *terms, const ptrdiff_t at[],
                         const char *rest);

// The formula of a step whose stage leaves origins to it, bound to its arguments; kept with the step until
// trace_close. NULL if the stage has an origin, or memory is short.
TraceProgram *trace_keep_formula(const Trace *trace, int step, const StageArgs *args, Error *err);

// Tells the terms of an element: the stage does, or else its formula (NULL: nobody).
void trace_stage_terms(const Stage *stage, TraceProgram *own, Terms *terms, const ptrdiff_t at[]);

// Which read slot of a call that stands alone a name means; -1: none.
int trace_program_read(const StageCall *call, const char *name);

// How long an axis is in the tensors of the arguments, or else in the scenario; false: nowhere.
bool trace_program_size(const TraceProgram *made, const char *name, double *size);

// Computes all results of `made->program`, which was bound in such a scope, into the outputs of the arguments that are
// no views.
bool trace_program_compute(TraceProgram *made, Error *err);

// Copies a result, after a run, to a tensor, which may have fewer axes (a mask); `is_wide`: float32 tensors hold
// doubles.
void trace_program_keep(const FormulaResult *result, const Tensor *out, bool is_wide);

// --- edited formulas

// A step that the scenario has a formula for is computed by that, in float32 as the stages compute
// (formula_run). A text that computes one of several results of a step leaves the others, and helpers, as
// they are.

// Operations that one such step may take; about a second for each billion.
static const double trace_formula_most = 4e9;

// The step that a text is for: the one that makes the tensor it begins with. -1 with a sentence.
int trace_formula_step(const Trace *trace, const char *text, Error *err);

// Whether a text could stand in the place of its step's formula, before or after the step has run. False with a
// sentence: what cannot be read, names and sizes that do not fit. Only a run shows the rest.
bool trace_formula_check(const Trace *trace, const char *text, Error *err);

// Opens the formula that the scenario has for a step that has run; the arena is the caller's to finish.
bool trace_formula_open(TraceProgram *made, Arena *arena, const Trace *trace, int step, Error *err);

// Computes a formula in the place of the step's, with arguments that somebody gave, into their outputs, in
// float32; outputs that are views stay as they are. False with a sentence, also where it would take more than `most` operations.
bool trace_formula_compute(const Trace *trace, int step, const Formula *formula, double most,
                           StageArgs *args, Error *err);

// How a formula may write the indices of a tensor: "[b,h,i,j]", as stages do.
enum { TRACE_INDICES_MAX = 2 * TENSOR_RANK_MAX + 2 };
const char *trace_formula_indices(const Trace *trace, int tensor, char text[TRACE_INDICES_MAX]);

// The text in the place of a step's formula; NULL: it has its own.
const char *trace_edited(const Trace *trace, int step);

// --- results and texts

// Which write slot of the step a result is.
int trace_program_slot(const TraceProgram *made, int result);

// All of a step's formula: with its helpers and further results.
const char *trace_formula_whole(const Trace *trace, int step, char text[FORMULA_TEXT_MAX + 1]);

// The same of a stage's call; `form`: where an option is on that gives it another formula.
const char *trace_formula_text(const Stage *stage, const StageCall *call, const StageForm *form,
                               char text[FORMULA_TEXT_MAX + 1]);

// The same as one that stands alone: every tensor by its name in the trace, optional parts decided. The
// step's inputs must exist. False with a sentence.
bool trace_formula_named(const Trace *trace, int step, char text[FORMULA_TEXT_MAX + 1], Error *err);

// Of the formula that computes the step: the edited one, where the scenario has one.
bool trace_formula_used(const Trace *trace, int step, char text[FORMULA_TEXT_MAX + 1], Error *err);

// Whether a tensor that a step writes is what a formula computes; what a generator draws is not.
bool trace_formula_makes(const Trace *trace, int tensor);

#endif
