// RoPE: numbers p and p + d_k/2 of a head are a point in a plane, rotated by the angle l / 10000^(2p/d_k).
#include "attnscope.h"

void rope(const Tensor *q, Tensor *q_rotated)
{
    ptrdiff_t half = q->shape[3] / 2;
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < q->shape[1]; h++)
            for (ptrdiff_t l = 0; l < q->shape[2]; l++)
                for (ptrdiff_t p = 0; p < half; p++) {
                    double angle = (double)l / pow(10000.0, (double)p / (double)half);
                    float cosine = (float)cos(angle), sine = (float)sin(angle);
                    float first = *tensor_at4(q, b, h, l, p);
                    float second = *tensor_at4(q, b, h, l, p + half);
                    *tensor_at4(q_rotated, b, h, l, p) = first * cosine - second * sine;
                    *tensor_at4(q_rotated, b, h, l, p + half) = second * cosine + first * sine;
                }
}
