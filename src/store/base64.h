// Bytes as text in base64.
#ifndef BASE64_H
#define BASE64_H

#include <stddef.h>
#include "arena.h"

// With its padding, on one line; in the arena. NULL with a sentence: no memory.
const char *base64_text(const void *bytes, size_t length, Arena *arena, Error *err);

// And back; blanks and line ends between are passed over. NULL with a sentence, or with an empty one where
// that is no base64.
unsigned char *base64_bytes(const char *text, size_t *length, Arena *arena, Error *err);

#endif
