// Files of tensors: what is read, written and read again is the same.
#ifndef FUZZ_TENSORS_H
#define FUZZ_TENSORS_H

#include "tensor.h"

// Reads the bytes as a file of this name ("x.npz"), whose ending is its format.
void fuzz_tensors(const char *name, const unsigned char *bytes, size_t size);

// Both have the same dtype, shape and numbers; any two NaN are the same.
void fuzz_same_tensors(const Tensor *tensor, const Tensor *other);

#endif
