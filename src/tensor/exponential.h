// exp for float32, with the same bits on every machine.
//
// libm's expf differs between systems in the last place; this one uses only * + fmaf, rintf and
// integer shifts, so that the plain loop and the vector lanes of a kernel agree bit for bit.
#ifndef EXPONENTIAL_H
#define EXPONENTIAL_H

// e^x. Largest error over all float32: 0.892 units in the last place (98.3 % of the results are the
// nearest float). exponential(-INFINITY) is +0, exponential(+INFINITY) is +inf, NaN gives NaN.
// Results below the smallest normal float, 2^-126 (x < -87.33654), are +0: where vector lanes treat
// subnormal numbers as zero and where they do not, the bits are the same.
float exponential(float x);

#endif
