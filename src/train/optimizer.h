// Optimizers: Adam and SGD, in torch.optim's form.
#ifndef OPTIMIZER_H
#define OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Optimizer {
    bool is_sgd;        // plain gradient descent: no moments
    float rate;         // learning rate (lr)
    float beta1, beta2; // decay of the moments
    float epsilon;      // outside the bias correction, as in torch.optim.Adam
    float decay;        // how fast weights shrink before they move, times the rate: decoupled, as
                        // torch.optim.AdamW has it; 0: they do not
    double power1, power2; // beta1^t and beta2^t: how much of their zeros is still in the moments
} Optimizer;

// Before the first step: Adam with these betas, or SGD.
Optimizer optimizer_adam(float rate, float beta1, float beta2);
Optimizer optimizer_sgd(float rate);

// Call before updating the weights of a step: t becomes t + 1.
void optimizer_begin(Optimizer *optimizer);

// The factor of weight decay, applied before a weight moves.
float optimizer_kept(float rate, float decay);

// One step of `count` weights with their own moments, which are zero before the first step.
void optimizer_step(const Optimizer *optimizer, size_t count, const float gradient[],
                    float moment1[], float moment2[], float weight[]);

#endif
