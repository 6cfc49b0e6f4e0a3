// softmax_backward, slice by slice: its definition, which threads may share.
#include "fast.h"

void fast_softmax_backward(const StageArgs *args)
{
    fast_by_definition(&stage_softmax_backward, args);
}
