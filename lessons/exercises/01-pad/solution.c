// Pad: sequences of different lengths become the rows of one rectangle.
#include "attnscope.h"

void pad(const Tensor *tokens, const Tensor *lengths, int64_t pad_id, Tensor *input_ids)
{
    ptrdiff_t start = 0;
    for (ptrdiff_t b = 0; b < input_ids->shape[0]; b++) {
        ptrdiff_t length = *tensor_id1(lengths, b);
        for (ptrdiff_t l = 0; l < input_ids->shape[1]; l++)
            *tensor_id2(input_ids, b, l) = l < length ? *tensor_id1(tokens, start + l) : pad_id;
        start += length;
    }
}
