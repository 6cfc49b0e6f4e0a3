// A view whose last row lies beyond the storage.
#include "attnscope.h"

void view(const Tensor *q, ptrdiff_t heads, Tensor *q_view)
{
    (void)heads;
    *q_view = *q;
    q_view->offset = 1;
}
