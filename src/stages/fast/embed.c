// embed, faster: whole rows of the table are copied.
#include "fast.h"

#include <string.h>

enum { IN_IDS, IN_WEIGHT };

void fast_embed(const StageArgs *args)
{
    const Tensor *input_ids = &args->in[IN_IDS], *weight = &args->in[IN_WEIGHT];
    Tensor x = args->out[0];
    if (!fast_has_rows(weight) || !fast_has_rows(&x)) {
        fast_by_definition(&stage_embed, args);
        return;
    }
    for (ptrdiff_t b = 0; b < x.shape[0]; b++)
        for (ptrdiff_t l = 0; l < x.shape[1]; l++)
            memcpy(tensor_at3(&x, b, l, 0), tensor_at2(weight, *tensor_id2(input_ids, b, l), 0),
                   (size_t)x.shape[2] * sizeof(float));
}
