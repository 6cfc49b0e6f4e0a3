// Storage of its own in place of a view.
#include "attnscope.h"

static float own[64];

void view(const Tensor *q, ptrdiff_t heads, Tensor *q_view)
{
    (void)heads;
    *q_view = *q;
    q_view->storage.f32 = own;
}
