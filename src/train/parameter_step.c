// parameter_step: see parameter_step.h.
#include "parameter_step.h"

#include <math.h>

ParameterStep parameter_before(const Training *training, WeightNumber weight, ptrdiff_t place)
{
    return (ParameterStep){.weight = weight,
                           .place = place,
                           .moment1 = {training->moments1[weight].storage.f32[place]},
                           .moment2 = {training->moments2[weight].storage.f32[place]},
                           .value = {training->weights[weight].storage.f32[place]}};
}

void parameter_after(const Training *training, ParameterStep *update)
{
    update->step = training->step;
    update->gradient = training_gradient(training, update->weight)->storage.f32[update->place];
    update->moment1[1] = training->moments1[update->weight].storage.f32[update->place];
    update->moment2[1] = training->moments2[update->weight].storage.f32[update->place];
    update->value[1] = training->weights[update->weight].storage.f32[update->place];
    update->rate = training->optimizer.rate;
    update->remaining1 = 1.0 - training->optimizer.power1;
    update->remaining2 = 1.0 - training->optimizer.power2;
}

float parameter_step_size(const ParameterStep *update)
{
    return (float)((double)update->rate / update->remaining1);
}

float parameter_divisor(const ParameterStep *update, float epsilon)
{
    return sqrtf(update->moment2[1]) / (float)sqrt(update->remaining2) + epsilon;
}
