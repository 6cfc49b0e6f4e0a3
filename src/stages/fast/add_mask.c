// add_mask, faster: a row of the mask is added to a row of scores, whose numbers lie one after the other.
#include "fast.h"

enum { IN_SCORES, IN_MASK };

void fast_add_mask(const StageArgs *args)
{
    const Tensor *scores = &args->in[IN_SCORES];
    Tensor added = args->out[0], mask = fast_spread(&args->in[IN_MASK], scores->shape);
    if (!fast_has_rows(scores) || !fast_has_rows(&added)) {
        fast_by_definition(&stage_add_mask, args);
        return;
    }
    ptrdiff_t keys = scores->shape[3], step = mask.stride[3];
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++) {
                const float *from = tensor_at4(scores, b, h, i, 0);
                const float *number = tensor_at4(&mask, b, h, i, 0);
                float *to = tensor_at4(&added, b, h, i, 0);
                for (ptrdiff_t j = 0; j < keys; j++)
                    to[j] = from[j] + number[j * step];
            }
}
