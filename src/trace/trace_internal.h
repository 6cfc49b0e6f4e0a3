// What the files of trace share with each other and with nobody else.
#ifndef TRACE_INTERNAL_H
#define TRACE_INTERNAL_H

#include "trace.h"

enum { TRACE_WORDS_MAX = 8 };

// --- trace_axes.c: the axes that slots declare

// The axes of a slot as this scenario has them: with H for G where keys and values have no heads of
// their own, with Lk for Lt and Lb where no key is appended, with Din for Dq where queries come from what
// is as wide, and without the H axis when the scenario has no heads (and with Dk for d_k, since both are
// the same width then). NULL stays NULL.
const char *trace_stored_axes(const Trace *trace, const char *axes);

// Splits "B H Lq Lk" into symbols; how many there are. SYMBOL_COUNT stands for "1".
int trace_symbols(const char *axes, Symbol symbols[TRACE_WORDS_MAX]);

// Which of these symbols is the wanted one; -1: none.
int trace_find_symbol(const Symbol symbols[], int count, Symbol wanted);

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
// steps of the forward pass; runs nothing. False when memory is short; the arena is left to finish.
bool trace_plan(Trace *trace, Error *err);

// How many steps and tensors there is room for.
int trace_step_room(const Trace *trace);
int trace_tensor_room(const Trace *trace);

// The name of what a layer has as others do: layers after the first say which one they are, in memory of the
// trace. NULL when there is none.
const char *trace_name_in_layer(Trace *trace, const char *name, int layer, Error *err);

// The formula that a step has of its own, as it is shown.
const char *trace_formula_shown(const Trace *trace, int step, char text[TRACE_FORMULA_MAX]);

// The same, with the steps of the backward pass and the formulas that the scenario has.
bool trace_plan_all(Trace *trace, Error *err);

// Whether two names are the same, '_' in the first standing for '.' too.
bool trace_same_name(const char *name, const char *full);

// Whether a generator draws what a slot holds.
bool trace_is_drawn(const Slot *slot);

// Runs a step by the formula that the scenario has for it; and one of a trace whose float32 tensors hold doubles, into `args`.
bool trace_run_formula(Trace *trace, TraceStep *step, Error *err);
bool trace_run_formula_exactly(const Trace *wide, int step, const StageArgs *args, Error *err);

// The stage that runs in this one's place, as the trace's way has it; mostly itself.
const Stage *trace_stand_in(const Trace *trace, const Stage *stage);

// Adds the steps of the backward pass behind those of the forward pass. False where a stage runs that
// is not the pipeline's own: nobody knows its gradient.
bool trace_plan_backward(Trace *trace, Error *err);

// True for axes along which the tokens of the scenario's text lie.
bool trace_counts_tokens(const Trace *trace, Symbol symbol);

// Steps that follow each other may be run slice by slice, each slice going through all of them.
enum { TRACE_GROUP_MAX = 8 };

// Sets every step's `group`: how many steps from it on can be run so, as far as their descriptors
// tell; 0: not even that one.
void trace_plan_groups(Trace *trace);

// Runs the `fast` of steps that have begun.
void trace_run_slices(Trace *trace, int first, int count);

// Tells whoever measures.
static inline void trace_pass(const Trace *trace, int step, int threads)
{
    if (trace->passed)
        trace->passed(trace->passed_context, step, threads);
}

// The cuts along which threads share one step that has begun; `axes` counts those it has.
typedef struct CutStep {
    const Stage *stage;
    const StageArgs *args;
    const TraceCuts *cuts; // TRACE_STEP_TENSORS of them
} CutStep;

typedef struct Cut {
    const Trace *trace;
    int first; // step of the trace
    int threads;
    CutStep steps[TRACE_GROUP_MAX];
    int step_count;
    int axes;                             // how many can be cut; the last of them counts rows
    ptrdiff_t length[TRACE_CUT_AXES_MAX]; // of those axes
    int cut_axis;     // the one that is cut into blocks; a slice has one of each before, all behind
    ptrdiff_t blocks; // how many
    bool packs;       // each slice its own panels
} Cut;

// Of `count` steps from `first` on, which go along with each other: how they are cut, in how many slices; and
// one of these slices.
ptrdiff_t trace_cut(Trace *trace, int first, int count, Cut *cut);
void trace_run_slice(const Cut *cut, ptrdiff_t number);

// The tensors of the first step of a cut, narrowed to a block of its first `axes` axes.
StageArgs trace_narrowed(const CutStep *step, int axes, const ptrdiff_t start[],
                         const ptrdiff_t length[]);

// Whether so many steps are done before another thread has woken up.
bool trace_is_small(const TraceStep steps[], int count);

// --- stretches: trace_run.c

// Sets every step's `stretch`, once groups are planned.
void trace_plan_stretches(Trace *trace);

// Runs steps of a stretch that have begun.
void trace_run_stretch(Trace *trace, int first, int count);

// Packs the factors that a step's `fast` reads; inputs that stay, only once. Those that steps make may only get
// room, and are packed by whoever runs the stretch or the slices.
typedef enum PackWhen { PACK_NOW, PACK_IN_STRETCH, PACK_IN_SLICES } PackWhen;
bool trace_pack(Trace *trace, TraceStep *step, PackWhen when, Error *err);

// Whether a step makes this factor, so that it is packed in each run; packs all of these, or those of a slice.
bool trace_packs_anew(const Trace *trace, const TraceStep *step, int read);
void trace_pack_fresh(const Trace *trace, const TraceStep *step, const StageArgs *args, Team *team);

// Whether the first axis that a slot declares is that of sequences.
bool trace_is_batched(const char *axes);

// Packs the factor that a step reads, of some sequences.
void trace_pack_sequences(const Trace *trace, const TraceStep *step, int read, ptrdiff_t start,
                          ptrdiff_t count);

// All of a step except the numbers of its main output: step->args with the memory of its outputs,
// what `prepare` does, and panels. What an earlier run on the same inputs has left is used again.
bool trace_begin(Trace *trace, int step, Error *err);

// Runs the `fast` of a step that has begun for a block of rows of its main output: for each axis but
// the last, where the block starts and how long it is.
void trace_run_rows(const Trace *trace, int step, const ptrdiff_t start[],
                    const ptrdiff_t length[]);

// Flags which elements of an output the change reaches; its step must have run with the new inputs
// or be about to. `reached` is false everywhere before.
bool trace_influence(const Trace *trace, const TraceChange *change, int tensor,
                     const Tensor *reached, Error *err);

// Takes room for what becomes of so many tensors, once. False when memory is short.
bool trace_change_room(TraceChange *change, int count, Error *err);

// The flags of a tensor, none raised unless that has been done.
bool trace_change_flags(const Trace *trace, TraceChange *change, int tensor, Tensor *flags,
                        Error *err);

// Notes that some element of a tensor is reached, and keeps the numbers that it has now.
bool trace_change_keep(const Trace *trace, TraceChange *change, int tensor, Tensor flags,
                       Error *err);

// Counts what is reached and what is changed.
void trace_change_count(const Trace *trace, TraceChange *change);

// Notes why a fresh output holds NaN.
bool trace_note_remark(Trace *trace, int tensor, Error *err);

#endif
