// NumPy's .npz, with libzip below it.
#include "fuzz.h"
#include "fuzz_tensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_tensors("x.npz", data, size);
    return 0;
}
