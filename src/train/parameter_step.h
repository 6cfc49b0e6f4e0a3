// One update of one parameter, number by number: what a person works through by hand.
#ifndef PARAMETER_STEP_H
#define PARAMETER_STEP_H

#include "training.h"

typedef struct ParameterStep {
    int64_t step; // which update it was, from 1; 0: none yet
    WeightNumber weight;
    ptrdiff_t place;               // among the numbers of that weight
    float gradient;                // what the batch asks for
    float moment1[2], moment2[2];  // before the update and after it
    float value[2];                // likewise
    float rate;                    // of this update
    double remaining1, remaining2; // 1 - beta1^t, 1 - beta2^t
} ParameterStep;

// To be called before a step and after it; the second completes what the first began.
ParameterStep parameter_before(const Training *training, WeightNumber weight, ptrdiff_t place);
void parameter_after(const Training *training, ParameterStep *update);

// rate / (1 - beta1^t), and sqrt(v) / sqrt(1 - beta2^t) + epsilon, as optimizer.c computes them: the
// new value is value[0] - step_size * (moment1[1] / divisor).
float parameter_step_size(const ParameterStep *update);
float parameter_divisor(const ParameterStep *update, float epsilon);

#endif
