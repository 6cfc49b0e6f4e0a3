// exp for float32, with the same bits on every machine.
//
// libm's expf differs between systems in the last place; this one uses only fmaf, rintf, + and
// integer shifts, so that the plain loop and the vector lanes of a kernel agree bit for bit.
#ifndef EXPONENTIAL_H
#define EXPONENTIAL_H

// e^x. exponential(-INFINITY) is +0, exponential(+INFINITY) is +inf, NaN gives NaN; results below
// the smallest normal float are +0. Largest error: see tests/test_exponential.c.
float exponential(float x);

#endif
