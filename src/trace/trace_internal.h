// What the files of trace share with each other and with nobody else.
#ifndef TRACE_INTERNAL_H
#define TRACE_INTERNAL_H

#include "trace.h"

// --- trace_axes.c: the axes that slots declare

// The axes of a slot as this scenario has them: with H for G where keys and values have no heads of
// their own, with Lk for Lt and Lb where no key is appended, with Din for Dq where queries come from what
// is as wide, and without the H axis when the scenario has no heads (and with Dk for d_k, since both are
// the same width then). NULL stays NULL.
const char *trace_stored_axes(const Trace *trace, const char *axes);

// Which axis of a slot a stored tensor of this rank lacks, because the scenario has no heads; -1:
// none.
int trace_hidden_axis(const Trace *trace, const char *axes, int stored_rank);

// How long an axis of a slot is; without heads stages are handed an H axis of length 1.
ptrdiff_t trace_axis_length(const Scenario *scenario, Symbol declared);

// "(Din, Lq)", under the names that this scenario has for them.
void trace_axes_declared(const Scenario *scenario, const Symbol symbols[], int count,
                         char text[TENSOR_TEXT_MAX]);

// --- plans

// Takes trace->steps and trace->tensors from the trace's arena and fills them from the scenario, with the
// steps of both passes and the formulas that the scenario has; runs nothing. False when memory is short; the
// arena is left to finish.
bool trace_plan_all(Trace *trace, Error *err);

// Whether a generator draws what a slot holds.
bool trace_is_drawn(const Slot *slot);

// Runs a step by the formula that the scenario has for it; and one of a trace whose float32 tensors hold doubles, into `args`.
bool trace_run_formula(Trace *trace, TraceStep *step, Error *err);
bool trace_run_formula_exactly(const Trace *wide, int step, const StageArgs *args, Error *err);

// True for axes along which the tokens of the scenario's text lie.
bool trace_counts_tokens(const Trace *trace, Symbol symbol);

// Sets every step's `group`: how many steps from it on can be run so, as far as their descriptors
// tell; 0: not even that one.
void trace_plan_groups(Trace *trace);

// --- origins: trace_origin.c

// Gives up the formula that a step keeps (trace_keep_formula).
void trace_forget_formula(TraceStep *step);

// --- packing: trace_pack.c

typedef enum PackWhen { PACK_NOW, PACK_IN_STRETCH, PACK_IN_SLICES } PackWhen;

// Packs the factors that a step's `fast` reads; inputs that stay, only once. Those that steps make may be packed
// by whoever runs the stretch, or the slices, which take care of the room too.
bool trace_pack(Trace *trace, TraceStep *step, PackWhen when, Error *err);

// Packs the factor that a step reads, of some sequences.
void trace_pack_sequences(const Trace *trace, const TraceStep *step, int read, ptrdiff_t start,
                          ptrdiff_t count);

// Whether a step makes this factor, so that it is packed in each run.
bool trace_packs_anew(const Trace *trace, const TraceStep *step, int read);

// Packs all of these, for all slices; or those of a slice into a room of its own.
bool trace_pack_fresh(Trace *trace, TraceStep *step, Team *team, Error *err);
void trace_pack_slice(const Trace *trace, const TraceStep *step, StageArgs *args, float *room);

// --- stretches: trace_run.c

// Sets every step's `stretch`, and its part of one, once groups are planned.
void trace_plan_stretches(Trace *trace);

// Whether the first axis that a slot declares is that of sequences.
bool trace_is_batched(const char *axes);

// Computes a block of rows of a step's main output, and all else that the step makes: for each axis but the last,
// where the block starts and how long it is. The step has a kernel, and other rows stay as they are.
bool trace_run_box(Trace *trace, int step, const ptrdiff_t start[], const ptrdiff_t length[],
                   Error *err);

// Notes why an output holds NaN, of which a part is fresh: the tensor, or a view of it.
bool trace_note_remark(Trace *trace, int tensor, const Tensor *fresh, Error *err);

#endif
