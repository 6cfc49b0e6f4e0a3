// Fingerprints of bytes, and bytes as text.
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include "arena.h"
#include "tensor.h"

// --- sha256
//
// sha256 of a tensor's numbers: the fingerprint that must be the same on every machine. And of a file.

enum { DIGEST_TEXT_MAX = 65 };

// 64 hexadecimal digits over the little-endian bytes in index order (whatever the strides); every
// NaN counts as 7fc00000, because NaN has no sign here. Returns `text`.
const char *tensor_digest(const Tensor *tensor, char text[DIGEST_TEXT_MAX]);

// The same over bytes as they are.
const char *bytes_digest(const void *bytes, size_t length, char text[DIGEST_TEXT_MAX]);

// --- base64
//
// Bytes as text in base64.

// With its padding, on one line; in the arena. NULL with a sentence: no memory.
const char *base64_text(const void *bytes, size_t length, Arena *arena, Error *err);

// And back; blanks and line ends between are passed over. NULL with a sentence, or with an empty one where
// that is no base64.
unsigned char *base64_bytes(const char *text, size_t *length, Arena *arena, Error *err);

#endif
