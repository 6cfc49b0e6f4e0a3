// Embed: every token gets the row of its word.
#include "attnscope.h"

void embed(const Tensor *input_ids, const Tensor *weight, Tensor *x)
{
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                *tensor_at3(x, b, l, d) = *tensor_at2(weight, *tensor_id2(input_ids, b, l), d);
}
