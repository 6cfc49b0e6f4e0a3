// Which numbers of a tensor say nothing about the text: masked, dropped, or of a token that is only
// padding.
#ifndef TRACE_MARK_H
#define TRACE_MARK_H

#include "trace.h"

typedef enum TraceMark {
    TRACE_PLAIN,
    TRACE_MASKED,  // a score or weight of a key that the mask hides from this query
    TRACE_DROPPED, // a weight that dropout threw away
    TRACE_PADDED,  // of a query, a key or a token that fills a short sequence
    TRACE_MARKS
} TraceMark;

// Whether what the mask forbids is hidden in fact, which a wrong run may fail to do. An element is, where
// the mask has put its value into the scores; a weight also where it is 0, whatever made it so.
typedef struct TraceHidden {
    Tensor scores; // behind the mask, in the tensor's own shape; no storage: the flag alone decides
    Tensor weights; // the tensor itself, where it holds weights
    float mask_value;
} TraceHidden;

// Of a tensor, seen with this rank and shape.
TraceHidden trace_hidden(const Trace *trace, int tensor, const Tensor *seen);

// The mask of numbers that was added to the scores, repeated to the shape of a tensor of them or of what
// they became: a key is forbidden where it has -inf. No storage where it has that nowhere, or where the
// tensor is none of these.
Tensor trace_forbidding(const Trace *trace, int tensor);
bool trace_forbids(const Tensor *forbidding, const ptrdiff_t at[]);

// Whether a tensor stands before the mask of its layer: nothing in it is masked yet.
bool trace_is_before_mask(const Trace *trace, int tensor);

// Whether an element that the mask forbids is hidden.
bool trace_hides(const TraceHidden *hidden, const ptrdiff_t at[]);

// What decides about one tensor: looked up once, so that asking for an element costs nothing. Valid
// as long as the trace is.
typedef struct TraceMarks {
    Tensor masked, kept; // flags in the tensor's own shape; no storage: no such rule
    TraceHidden hidden;
    Tensor forbidding; // see trace_forbidding
    Tensor padding;    // [B, L]
    int batch_axis;    // of the tensor looked at
    int token_axes[2]; // -1: none
} TraceMarks;

// The tensor must have been computed.
TraceMarks trace_marks(const Trace *trace, int tensor);

// The first of the marks above that holds.
TraceMark trace_mark_at(const TraceMarks *marks, const ptrdiff_t at[]);

// "masked", "dropped", "padding"; "" for TRACE_PLAIN.
const char *trace_mark_word(TraceMark mark);

#endif
