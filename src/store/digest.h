// sha256 of a tensor's numbers: the fingerprint that must be the same on every machine. And of a file.
#ifndef DIGEST_H
#define DIGEST_H

#include "tensor.h"

enum { DIGEST_TEXT_MAX = 65 };

// 64 hexadecimal digits over the little-endian bytes in index order (whatever the strides); every
// NaN counts as 7fc00000, because NaN has no sign here. Returns `text`.
const char *tensor_digest(const Tensor *tensor, char text[DIGEST_TEXT_MAX]);

// The same over bytes as they are.
const char *bytes_digest(const void *bytes, size_t length, char text[DIGEST_TEXT_MAX]);

#endif
