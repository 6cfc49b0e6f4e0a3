// Score, backward: the gradient of a key. Every query that looked at the key contributes.
#include "attnscope.h"

void score_backward(const Tensor *grad_scores, const Tensor *q, Tensor *grad_k)
{
    for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_k->shape[1]; h++)
            for (ptrdiff_t j = 0; j < grad_k->shape[2]; j++)
                for (ptrdiff_t d = 0; d < grad_k->shape[3]; d++) {
                    float sum = 0.0f;
                    for (ptrdiff_t i = 0; i < q->shape[2]; i++)
                        sum += *tensor_at4(grad_scores, b, h, i, j) * *tensor_at4(q, b, h, i, d);
                    *tensor_at4(grad_k, b, h, j, d) = sum;
                }
}
