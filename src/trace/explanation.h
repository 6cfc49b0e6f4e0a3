// The terms of one element, kept: what a person reads, sorts and walks through.
//
// Life cycle: a zeroed Explanation explains nothing; explanation_make, again for another element;
// explanation_finish.
#ifndef EXPLANATION_H
#define EXPLANATION_H

#include "trace.h"

// A listed term in the order of size.
typedef struct RankedTerm {
    ptrdiff_t number;
    double size;  // |value|; infinity for NaN
    double up_to; // the sum of the sizes down to this one, without NaN
} RankedTerm;

typedef struct Explanation {
    TraceCell cell; // what is explained
    TraceTerm *terms;
    ptrdiff_t count; // 0: an input or a weight, which nothing computed

    // The terms that make a list: all of them, or of a softmax the exps that add up to its sum.
    ptrdiff_t first, listed;
    RankedTerm *by_size;      // `listed` of them, the largest first (NaN before all)
    double largest, together; // |value| of the largest listed term and of all, without NaN

    bool is_softmax;     // maxima, exps, their sum, a quotient
    bool adds_up;        // the listed terms are products, or the exps of a softmax
    ptrdiff_t own;       // the listed term about the element itself, 0 where all are alike
    ptrdiff_t first_nan; // the first term after which the running value is NaN; -1: none
    bool exact;          // the last running value is the stored element, bit for bit
    Arena arena;
} Explanation;

// Collects the terms of an element whose step has run. What was explained before is given up. False,
// with the size, when there is no memory; then nothing is explained.
bool explanation_make(Explanation *explanation, const Trace *trace, TraceCell cell, Error *err);

void explanation_finish(Explanation *explanation);

// The listed term number `number`, 0 ... listed - 1, in the order of the computation.
const TraceTerm *explanation_term(const Explanation *explanation, ptrdiff_t number);

// The axis of source `source` along which the list runs ("sum over d"); -1: it does not run.
int explanation_axis(const Explanation *explanation, int source);

// The number that an element of the trace holds, whatever its dtype.
float explanation_number(const Trace *trace, TraceCell cell);

#endif
