// What the steps of a trace give in double precision (exact.h), and how far its float32 numbers are
// from that.
//
// Two questions, each with an answer of its own:
//   - how much does one step round: trace_exact_alone takes the float32 numbers that the step has read;
//   - how much has come together since the inputs: trace_exact_open, and trace_exact_step for each.
//
// Inputs and weights are float32 and are taken to be exact.
#ifndef TRACE_EXACT_H
#define TRACE_EXACT_H

#include "exact.h"
#include "trace.h"

typedef struct TraceExact {
    const Trace *trace;
    Trace wide;           // the same plan; the float32 tensors of it hold doubles in storage
    ExactOptions options; // of the step that runs
    Arena arena;
} TraceExact;

// Inputs and weights in double precision; no step has run. False when memory is short; nothing is left
// to close then. The trace must outlive it.
bool trace_exact_open(TraceExact *exact, const Trace *trace, Error *err);

// Runs the next step. False with a sentence when memory is short, or where another stage stands in the
// pipeline's place: nobody knows what a mistake is exactly.
bool trace_exact_step(TraceExact *exact, Error *err);

// One step that the trace has run, from the float32 numbers that it has read; as trace_exact_open.
bool trace_exact_alone(TraceExact *exact, const Trace *trace, int step, Error *err);

// Whether each number of a step is copied or made by one operation that IEEE 754 rounds: PyTorch has the same
// bits then, whatever the machine. Nobody knows it of an edited formula.
bool trace_rounds_once(const Trace *trace, int step);

// A closed one may be closed again.
void trace_exact_close(TraceExact *exact);

// Whether there are exact numbers of a tensor: it has numbers, a step has made them, and that has run.
bool trace_exact_has(const TraceExact *exact, int tensor);
double trace_exact_number(const TraceExact *exact, TraceCell cell);

// How far a float32 is from the exact number, in units of the last place that a float32 of that size
// has. The float32 next to it is at most half of one away. NaN where one of the two is not finite, or
// where no float32 is so large; 0 where both are the same infinity, or both NaN.
double trace_exact_units(float number, double exact);

typedef struct ExactError {
    ptrdiff_t count;    // numbers of the tensor
    ptrdiff_t nearest;  // those that are the float32 nearest to the exact number
    ptrdiff_t overflow; // those for which there are no units: infinite or NaN here alone
    double mean, largest;
    TraceCell at; // the first with the largest error
} ExactError;

ExactError trace_exact_error(const TraceExact *exact, int tensor);

#endif
