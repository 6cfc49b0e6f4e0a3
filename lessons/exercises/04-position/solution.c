// Position: every position adds its own pattern, sines in even columns and cosines in odd ones.
#include "attnscope.h"

void position(const Tensor *embeddings, Tensor *positional_encoding, Tensor *x)
{
    ptrdiff_t width = x->shape[2];
    for (ptrdiff_t l = 0; l < x->shape[1]; l++)
        for (ptrdiff_t d = 0; d < width; d++) {
            double pair = (double)(d - d % 2);
            double angle = (double)l / pow(10000.0, pair / (double)width);
            *tensor_at3(positional_encoding, 0, l, d) =
                (float)(d % 2 == 0 ? sin(angle) : cos(angle));
        }

    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < width; d++)
                *tensor_at3(x, b, l, d) =
                    *tensor_at3(embeddings, b, l, d) + *tensor_at3(positional_encoding, 0, l, d);
}
