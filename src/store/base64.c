// base64: see base64.h.
#include "base64.h"

#include <nettle/base64.h>

const char *base64_text(const void *bytes, size_t length, Arena *arena, Error *err)
{
    char *text = arena_take(arena, BASE64_ENCODE_RAW_LENGTH(length) + 1, 1, err);
    if (text)
        base64_encode_raw(text, length, bytes);
    return text;
}
