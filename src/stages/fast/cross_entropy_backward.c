// cross_entropy_backward, faster: rows are divided by how many were asked, then targets are set.
#include "fast.h"

enum { IN_PROBABILITIES, IN_TARGETS, IN_ASKED };

void fast_cross_entropy_backward(const StageArgs *args)
{
    const Tensor *p = &args->in[IN_PROBABILITIES];
    Tensor out = args->out[0];
    float asked = *tensor_at1(&args->in[IN_ASKED], 0);
    if (!fast_divide(args->kernel, p, asked, &out)) {
        fast_by_definition(&stage_cross_entropy_backward, args);
        return;
    }
    for (ptrdiff_t b = 0; b < p->shape[0]; b++)
        for (ptrdiff_t q = 0; q < p->shape[1]; q++)
            for (ptrdiff_t l = 0; l < p->shape[2]; l++) {
                int64_t target = *tensor_id3(&args->in[IN_TARGETS], b, q, l);
                float *row = tensor_at4(&out, b, q, l, 0);
                for (ptrdiff_t w = 0; target < 0 && w < p->shape[3]; w++)
                    row[w] = 0.0f;
                if (target >= 0)
                    row[target] = (*tensor_at4(p, b, q, l, target) - 1.0f) / asked;
            }
}
