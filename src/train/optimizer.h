// How weights follow their gradients: Adam and SGD, in torch.optim's form.
#ifndef OPTIMIZER_H
#define OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Optimizer {
    bool is_sgd;        // plain gradient descent: no moments
    float rate;         // how far a step goes (lr)
    float beta1, beta2; // how much of the moments stays
    float epsilon;      // outside the bias correction, as torch.optim.Adam has it
    float decay;        // how fast weights shrink before they move, times the rate: decoupled, as
                        // torch.optim.AdamW has it; 0: they do not
    double power1, power2; // beta1^t and beta2^t: how much of their zeros is still in the moments
} Optimizer;

// Before the first step: Adam with these betas, or SGD.
Optimizer optimizer_adam(float rate, float beta1, float beta2);
Optimizer optimizer_sgd(float rate);

// To be called before the weights of a step are updated: t becomes t + 1.
void optimizer_begin(Optimizer *optimizer);

// What is left of a weight that shrinks, before it moves.
float optimizer_kept(float rate, float decay);

// One step of `count` weights, which have moments of their own, zero before the first step.
void optimizer_step(const Optimizer *optimizer, size_t count, const float gradient[],
                    float moment1[], float moment2[], float weight[]);

#endif
