// NumPy's .npy: what is read, written and read again is the same.
#include "fuzz.h"
#include "fuzz_tensors.h"
#include "tensor_formats.h"

static void write_and_read_again(const Tensor *tensor, Arena *arena)
{
    Error err = {.text = ""};
    unsigned char *bytes;
    size_t length;
    Tensor again;
    fuzz_must(npy_write(tensor, arena, &bytes, &length, &err), "it is written: %s", err.text);
    fuzz_must(npy_read(bytes, length, "again", arena, &again, &err), "and read: %s", err.text);
    fuzz_same_tensors(tensor, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    Error err = {.text = ""};
    Tensor tensor;
    if (npy_read(data, size, "x.npy", &arena, &tensor, &err))
        write_and_read_again(&tensor, &arena);
    else
        fuzz_refused(&err);
    arena_finish(&arena);
    return 0;
}
