// Forgets the storage.
#include "attnscope.h"

void view(const Tensor *q, ptrdiff_t heads, Tensor *q_view)
{
    (void)heads;
    q_view->rank = q->rank;
}
