// learner_header: see learner_header_layout.h.
#include "learner_header_layout.h"

#include <string.h>
#include "attnscope.h"

void learner_header_layout(ptrdiff_t facts[LEARNER_HEADER_FACTS])
{
    const ptrdiff_t here[LEARNER_HEADER_FACTS] = {
        sizeof(Tensor),
        TENSOR_RANK_MAX,
        offsetof(Tensor, storage.bytes),
        offsetof(Tensor, storage.f32),
        offsetof(Tensor, storage.i64),
        offsetof(Tensor, storage.boolean),
        offsetof(Tensor, dtype),
        offsetof(Tensor, rank),
        offsetof(Tensor, offset),
        offsetof(Tensor, shape),
        offsetof(Tensor, stride),
        sizeof(((Tensor *)NULL)->dtype),
        sizeof(((Tensor *)NULL)->rank),
        sizeof(((Tensor *)NULL)->offset),
        sizeof(((Tensor *)NULL)->shape[0]),
        sizeof(((Tensor *)NULL)->stride[0]),
        DTYPE_F32,
        DTYPE_I64,
        DTYPE_BOOL,
    };
    memcpy(facts, here, sizeof here);
}

void learner_header_elements(const void *tensor, const void *found[LEARNER_HEADER_CALLS])
{
    const Tensor *t = tensor;
    const void *const here[LEARNER_HEADER_CALLS] = {
        tensor_at1(t, 1), tensor_at2(t, 1, 0), tensor_at3(t, 1, 0, 1), tensor_at4(t, 0, 1, 0, 1),
        tensor_id1(t, 1), tensor_id2(t, 0, 1), tensor_flag2(t, 1, 1),  tensor_flag4(t, 1, 0, 1, 1),
    };
    memcpy(found, here, sizeof here);
}
