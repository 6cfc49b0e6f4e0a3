// Calls a function that was never written.
#include "attnscope.h"

float dot_product(const Tensor *q, const Tensor *k);
void score(const Tensor *q, const Tensor *k, Tensor *scores);

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    *tensor_at2(scores, 0, 0) = dot_product(q, k);
}
