// PyTorch's .pt: a whole file where the bytes begin as one of either form, else the pickle inside it.
#include "fuzz.h"
#include "fuzz_tensors.h"
#include "pickle.h"
#include "tensor_formats.h"

static void fuzz_pickle(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    Error err = {.text = ""};
    Pickled pickled = {.count = 0};
    if (!pickle_tensors(data, size, &arena, &pickled, &err))
        fuzz_refused(&err);
    for (int i = 0; i < pickled.count; i++) {
        const PickledTensor *tensor = &pickled.tensors[i];
        fuzz_must(tensor->name && tensor->key && tensor->type, "a tensor has its names");
        fuzz_must(tensor->rank <= TENSOR_RANK_MAX, "and axes that fit");
    }
    arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if ((size >= 2 && data[0] == 'P' && data[1] == 'K') || pt_is_old(data, size))
        fuzz_tensors("x.pt", data, size);
    else if (size > 0)
        fuzz_pickle(data, size);
    return 0;
}
