// The overlap of the heads that questions hear, as a number that training can reduce.
//
//   heard[q,v,i]  = sum over d of readout[q,v,d] * out_proj[d,i]    what question q makes of feature i
//   loudness[q,h] = sum over v and the features i of head h of heard[q,v,i]^2
//   share[q,h]    = loudness[q,h] / sum over heads of loudness[q,h]
//   overlap       = sum over heads, over pairs of questions q < r, of share[q,h] * share[r,h]
//
// 0 if every question hears only its own heads; 1 if two questions hear only one head, and 3 if three
// do. Shares do not depend on the size of weights, so scaling cannot reduce the number. The products
// are sums of fmaf in ascending order; the sums over words and heads are double, in the order above.
#ifndef OVERLAP_H
#define OVERLAP_H

#include "kernel.h"
#include "tensor.h"

typedef struct Overlap {
    Tensor heard;                    // (Q, V, D); afterwards times the slope of its loudness
    Tensor slope_out, slope_readout; // of the overlap, by each weight
} Overlap;

// Room for an output projection (D, D) and readouts (Q, V, D).
bool overlap_take(const Tensor *out_proj, const Tensor *readout, Arena *arena, Overlap *overlap,
                  Error *err);

// Computes the overlap of weights of these shapes and its slopes, for at most OVERLAP_QUESTIONS_MAX
// questions and OVERLAP_HEADS_MAX heads. The bits are the same with every kernel.
double overlap_measure(const Kernel *kernel, const Tensor *out_proj, const Tensor *readout,
                       int heads, const Overlap *overlap);

enum { OVERLAP_QUESTIONS_MAX = 8, OVERLAP_HEADS_MAX = 48 };

#endif
