// base64: see base64.h.
#include "base64.h"

#include <nettle/base64.h>
#include <string.h>

const char *base64_text(const void *bytes, size_t length, Arena *arena, Error *err)
{
    char *text = arena_take(arena, BASE64_ENCODE_RAW_LENGTH(length) + 1, 1, err);
    if (text)
        base64_encode_raw(text, length, bytes);
    return text;
}

unsigned char *base64_bytes(const char *text, size_t *length, Arena *arena, Error *err)
{
    struct base64_decode_ctx context;
    size_t room = strlen(text);
    *err = (Error){.text = ""};
    unsigned char *bytes = arena_take(arena, BASE64_DECODE_LENGTH(room), 1, err);
    if (!bytes)
        return NULL;
    base64_decode_init(&context);
    return base64_decode_update(&context, length, bytes, room, text) &&
                   base64_decode_final(&context)
               ? bytes
               : NULL;
}
