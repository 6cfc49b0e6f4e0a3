// The law of origin: what an element says it came from is exactly what it depends on, and its last
// running value is the stored one.
#ifndef LAW_H
#define LAW_H

#include "trace.h"

// Disturbs every element of every input of a step that has run, in its turn (a float becomes NaN),
// and fails the test where an output element changes that does not claim it, or claims it and stays.
void law_check_sources(const Trace *trace, int step);

// Fails the test where the last term of an element does not end in the element.
void law_check_values(const Trace *trace, int tensor);

// Equal bits, or both NaN; and the number of any dtype as a float.
bool law_same_bits(float a, float b);
float law_number_at(const Tensor *tensor, const ptrdiff_t at[]);

#endif
