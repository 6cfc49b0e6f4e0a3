// fast: what several fast twins share; see fast.h.
#include "fast.h"

#include <assert.h>
#include <string.h>

void fast_by_definition(const Stage *stage, const StageArgs *args)
{
    StageArgs slice = *args;
    Error err;
    bool runs = stage->run(&slice, &err);
    assert(runs); // `prepare` has found nothing wrong
    (void)runs;
}

void fast_side_by_side(const Tensor *from, Tensor *to)
{
    bool has_rows = fast_has_rows(from) && fast_has_rows(to);
    ptrdiff_t d = from->shape[3];
    for (ptrdiff_t b = 0; b < from->shape[0]; b++)
        for (ptrdiff_t l = 0; l < from->shape[1]; l++)
            for (ptrdiff_t h = 0; h < from->shape[2]; h++) {
                if (has_rows)
                    memcpy(tensor_at3(to, b, l, h * d), tensor_at4(from, b, l, h, 0),
                           (size_t)d * sizeof(float));
                for (ptrdiff_t i = 0; !has_rows && i < d; i++)
                    *tensor_at3(to, b, l, h * d + i) = *tensor_at4(from, b, l, h, i);
            }
}

Tensor fast_spread(const Tensor *flags, const ptrdiff_t shape[4])
{
    Error err;
    Tensor wide = *flags;
    bool spreads = tensor_expand(flags, 4, shape, &wide, &err);
    assert(spreads); // `shapes` of stage mask has seen to it that they can
    (void)spreads;
    return wide;
}

void fast_replace_masked(const StageArgs *args, const Tensor *scores, const Tensor *attn_mask,
                         float value, Tensor *out)
{
    Tensor flags = fast_spread(attn_mask, scores->shape);
    bool has_rows = fast_has_rows(scores) && fast_has_rows(&flags) && fast_has_rows(out);
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++) {
                if (has_rows)
                    args->kernel->mask(scores->shape[3], tensor_at4(scores, b, h, i, 0),
                                       tensor_flag4(&flags, b, h, i, 0), value,
                                       tensor_at4(out, b, h, i, 0));
                for (ptrdiff_t j = 0; !has_rows && j < scores->shape[3]; j++)
                    *tensor_at4(out, b, h, i, j) =
                        *tensor_flag4(&flags, b, h, i, j) ? value : *tensor_at4(scores, b, h, i, j);
            }
}

bool fast_divide(const Kernel *kernel, const Tensor *in, float divisor, Tensor *out)
{
    if (!fast_has_rows(in) || !fast_has_rows(out))
        return false;
    ptrdiff_t rows = in->shape[2], count = in->shape[3];
    if (rows > 0 && in->stride[2] == count && out->stride[2] == count) {
        count *= rows;
        rows = 1;
    }
    for (ptrdiff_t b = 0; b < in->shape[0]; b++)
        for (ptrdiff_t h = 0; h < in->shape[1]; h++)
            for (ptrdiff_t i = 0; i < rows; i++)
                kernel->divide(count, tensor_at4(in, b, h, i, 0), divisor,
                               tensor_at4(out, b, h, i, 0));
    return true;
}
