// Which numbers of a tensor say nothing about the text: masked, dropped, or of a token that is only
// padding.
#ifndef TRACE_MARK_H
#define TRACE_MARK_H

#include "trace.h"

typedef enum TraceMark {
    TRACE_PLAIN,
    TRACE_MASKED,  // a score or weight of a key that the mask forbids to this query
    TRACE_DROPPED, // a weight that dropout threw away
    TRACE_PADDED,  // of a query, a key or a token that fills a short sequence
    TRACE_MARKS
} TraceMark;

// What decides about one tensor: looked up once, so that asking for an element costs nothing. Valid
// as long as the trace is.
typedef struct TraceMarks {
    Tensor masked, kept; // flags in the tensor's own shape; no storage: no such rule
    Tensor padding;      // [B, L]
    int batch_axis;      // of the tensor looked at
    int token_axes[2];   // -1: none
} TraceMarks;

// The tensor must have been computed.
TraceMarks trace_marks(const Trace *trace, int tensor);

// The first of the marks above that holds.
TraceMark trace_mark_at(const TraceMarks *marks, const ptrdiff_t at[]);

// "masked", "dropped", "padding"; "" for TRACE_PLAIN.
const char *trace_mark_word(TraceMark mark);

#endif
