// Hugging Face's .safetensors.
#include "fuzz.h"
#include "fuzz_tensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_tensors("x.safetensors", data, size);
    return 0;
}
