// Adam: a weight moves against the mean of its gradients, divided by their typical size.
#include "attnscope.h"

void adam_step(const Tensor *weight, const Tensor *gradient, const Tensor *moment1,
               const Tensor *moment2, float rate, ptrdiff_t t, Tensor *next)
{
    const float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;
    float correction1 = 1.0f - (float)pow((double)beta1, (double)t);
    float correction2 = 1.0f - (float)pow((double)beta2, (double)t);
    for (ptrdiff_t o = 0; o < weight->shape[0]; o++)
        for (ptrdiff_t d = 0; d < weight->shape[1]; d++) {
            float g = *tensor_at2(gradient, o, d);
            float m = beta1 * *tensor_at2(moment1, o, d) + (1.0f - beta1) * g;
            float v = beta2 * *tensor_at2(moment2, o, d) + (1.0f - beta2) * g * g;
            float step = rate * (m / correction1) / (sqrtf(v / correction2) + epsilon);
            *tensor_at2(next, o, d) = *tensor_at2(weight, o, d) - step;
        }
}
