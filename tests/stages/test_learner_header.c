// lessons/exercises/attnscope.h is a second description of Tensor, for learners. Both sides of a call
// lay one over the other: they must agree in every byte.
#include <stddef.h>
#include "learner_header_layout.h"
#include "suite.h"
#include "tensor.h"

TEST(both_headers_lay_a_tensor_out_alike)
{
    const ptrdiff_t here[] = {
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
    ptrdiff_t there[LEARNER_HEADER_FACTS];
    learner_header_layout(there);
    ck_assert_int_eq(sizeof here / sizeof *here, LEARNER_HEADER_FACTS);
    for (int i = 0; i < LEARNER_HEADER_FACTS; i++)
        ck_assert_msg(here[i] == there[i], "fact %d: %td here, %td for learners", i, here[i],
                      there[i]);
}

// The same element through both: a tensor whose strides all differ.
TEST(both_headers_find_the_same_elements)
{
    char storage[4096];
    Tensor t = {.storage.bytes = storage,
                .rank = 4,
                .offset = 5,
                .shape = {2, 2, 2, 2},
                .stride = {97, 31, 11, 3}};
    const void *there[LEARNER_HEADER_CALLS];
    learner_header_elements(&t, there);
    const void *const here[LEARNER_HEADER_CALLS] = {
        tensor_at1(&t, 1),       tensor_at2(&t, 1, 0),
        tensor_at3(&t, 1, 0, 1), tensor_at4(&t, 0, 1, 0, 1),
        tensor_id1(&t, 1),       tensor_id2(&t, 0, 1),
        tensor_flag2(&t, 1, 1),  tensor_flag4(&t, 1, 0, 1, 1),
    };
    for (int i = 0; i < LEARNER_HEADER_CALLS; i++)
        ck_assert_msg(here[i] == there[i], "call %d finds another element", i);
}

SUITE("learner_header")
