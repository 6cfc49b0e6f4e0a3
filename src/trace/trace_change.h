// What an edit moves: the elements whose origin reaches it are computed again, and no others.
//
// Life cycle: a zeroed TraceChange; trace_touch for each input element, trace_touch_step for each
// step whose options will change; change them; trace_recompute; trace_change_finish. Where the
// person's edit turns out to make no sense, trace_restore puts every number back.
//
// An element is reached when its origin, asked after the edit, names a touched element or one that
// is reached itself. A reached element often gets other bits; where it does, it is changed.
#ifndef TRACE_CHANGE_H
#define TRACE_CHANGE_H

#include "trace.h"

typedef struct TraceChanged {
    Tensor reached; // bool, shaped like the tensor; no storage: no element of it is reached
    Tensor before;  // its numbers before the edit, shaped like the tensor; no storage as above
    ptrdiff_t reached_count, changed_count; // elements
    double largest; // of the differences between now and before; NaN where one is NaN
} TraceChanged;

typedef struct TraceChange {
    TraceChanged *tensors; // one for each of the trace's, in the arena; NULL: none is reached
    bool touched[TRACE_STEPS_MAX]; // steps whose options change
    Arena arena;                   // a flag and an earlier number for each element of those tensors
} TraceChange;

// What became of a tensor, by its number in the trace.
const TraceChanged *trace_changed(const TraceChange *change, int number);

// Notes that an element of an input or weight is about to change; so do the elements of other inputs
// that lie at the same place in storage. Asserts that it is no output.
bool trace_touch(const Trace *trace, TraceChange *change, TraceCell cell, Error *err);

// Notes that the options of a step are about to change: every element it computes is reached.
void trace_touch_step(TraceChange *change, int step);

// Whether a run of `scenario` would have the same steps on tensors of the same shapes.
bool trace_fits(const Trace *trace, const Scenario *scenario);

// Goes on with a scenario that fits: touches the input elements and the steps in which the two
// differ. The scenario before is needed no longer. False, with nothing done, when memory is short.
bool trace_rebind(Trace *trace, const Scenario *scenario, TraceChange *change, Error *err);

// For a scenario that does not fit: keeps every number there is, to be compared with those of another
// trace by the tensors' names. `was` holds numbers only; names must live until trace_compare.
typedef struct TraceKept {
    TraceChange was;
    int count;          // of the tensors kept
    TraceChanged *next; // in the arena too: room for those of whatever trace comes
    const char *names[TRACE_TENSORS_MAX];
} TraceKept;
bool trace_keep_all(const Trace *trace, TraceKept *kept, Error *err);

// What differs between a fresh run and the numbers kept, of tensors with the same name, dtype and
// shape; their every element counts as reached. Takes over what was kept.
void trace_compare(const Trace *trace, TraceKept *kept, TraceChange *change);

// Computes what is reached again, in the steps that have run. False with the stage's sentence when
// one refuses (an id outside the vocabulary); every output has its old numbers then, and the caller
// puts the inputs back by trace_restore.
bool trace_recompute(Trace *trace, TraceChange *change, Error *err);

// Puts back the numbers from before the edit, of inputs and outputs.
void trace_restore(Trace *trace, const TraceChange *change);

// Whether the element got other bits.
bool trace_is_changed(const Trace *trace, const TraceChange *change, TraceCell cell);

// The next (or the one before, `backwards`) changed element in the order of the pipeline, elements
// of a tensor in index order. False when there is none; `cell` stays.
bool trace_next_changed(const Trace *trace, const TraceChange *change, bool backwards,
                        TraceCell *cell);

void trace_change_finish(TraceChange *change);

#endif
