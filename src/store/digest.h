// Checksums and base64.
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include "arena.h"
#include "tensor.h"

// --- sha256
//

enum { DIGEST_TEXT_MAX = 65 };

// sha256 of a tensor's numbers in index order, little-endian, as 64 hexadecimal digits; equal on every
// machine. Every NaN counts as 7fc00000, because NaN has no sign here. Returns `text`.
const char *tensor_digest(const Tensor *tensor, char text[DIGEST_TEXT_MAX]);

// sha256 of bytes.
const char *bytes_digest(const void *bytes, size_t length, char text[DIGEST_TEXT_MAX]);

// --- base64

// Encodes with padding on one line, in the arena. NULL and err without memory.
const char *base64_text(const void *bytes, size_t length, Arena *arena, Error *err);

// Decodes, skipping white space. NULL with a message without memory; NULL with an empty one if it is not
// base64.
unsigned char *base64_bytes(const char *text, size_t *length, Arena *arena, Error *err);

#endif
