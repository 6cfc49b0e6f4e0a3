// Key padding mask: 1 for every position that holds no token.
#include "attnscope.h"

void key_padding_mask(const Tensor *lengths, Tensor *mask)
{
    for (ptrdiff_t b = 0; b < mask->shape[0]; b++)
        for (ptrdiff_t l = 0; l < mask->shape[1]; l++)
            *tensor_flag2(mask, b, l) = l >= *tensor_id1(lengths, b);
}
