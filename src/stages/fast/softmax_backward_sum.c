// softmax_backward_sum, slice by slice: its definition, which threads may share.
#include "fast.h"

void fast_softmax_backward_sum(const StageArgs *args)
{
    fast_by_definition(&stage_softmax_backward_sum, args);
}
