// optimizer: one step of Adam or SGD; see optimizer.h.
//
//   m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g g
//   w = w - rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//
// and before that, where weights decay,  w = (1 - rate * decay) w
//
// from  Kingma and Ba 2015, algorithm 1; torch.optim.Adam; Loshchilov and Hutter 2019 for decay. Powers are multiplied up step by step, in
//       double precision: no math library has a say.
#include "optimizer.h"

#include <math.h>

Optimizer optimizer_adam(float rate, float beta1, float beta2)
{
    return (Optimizer){.rate = rate,
                       .beta1 = beta1,
                       .beta2 = beta2,
                       .epsilon = 1e-8f,
                       .power1 = 1.0,
                       .power2 = 1.0};
}

Optimizer optimizer_sgd(float rate)
{
    return (Optimizer){.is_sgd = true, .rate = rate, .power1 = 1.0, .power2 = 1.0};
}

void optimizer_begin(Optimizer *optimizer)
{
    optimizer->power1 *= (double)optimizer->beta1;
    optimizer->power2 *= (double)optimizer->beta2;
}

static void adam(const Optimizer *optimizer, size_t count, const float gradient[], float moment1[],
                 float moment2[], float weight[])
{
    float beta1 = optimizer->beta1, beta2 = optimizer->beta2;
    float step = (float)((double)optimizer->rate / (1.0 - optimizer->power1));
    float correction = (float)sqrt(1.0 - optimizer->power2);
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i];
        moment1[i] = beta1 * moment1[i] + (1.0f - beta1) * g;
        moment2[i] = beta2 * moment2[i] + (1.0f - beta2) * g * g;
        float size = sqrtf(moment2[i]) / correction + optimizer->epsilon;
        weight[i] = weight[i] - step * (moment1[i] / size);
    }
}

static void sgd(const Optimizer *optimizer, size_t count, const float gradient[], float weight[])
{
    for (size_t i = 0; i < count; i++)
        weight[i] = weight[i] - optimizer->rate * gradient[i];
}

float optimizer_kept(float rate, float decay)
{
    return 1.0f - rate * decay;
}

static void shrink(float kept, size_t count, float weight[])
{
    for (size_t i = 0; i < count; i++)
        weight[i] = kept * weight[i];
}

void optimizer_step(const Optimizer *optimizer, size_t count, const float gradient[],
                    float moment1[], float moment2[], float weight[])
{
    if (optimizer->decay > 0.0f)
        shrink(optimizer_kept(optimizer->rate, optimizer->decay), count, weight);
    if (optimizer->is_sgd)
        sgd(optimizer, count, gradient, weight);
    else
        adam(optimizer, count, gradient, moment1, moment2, weight);
}
