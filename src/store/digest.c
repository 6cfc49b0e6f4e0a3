// The fingerprint of bytes (sha256 by nettle over canonical bytes), and bytes as text; see digest.h.
#include "digest.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include "tensor_formats.h"

// --- fingerprints

static const char *finish(struct sha256_ctx *sha, char text[DIGEST_TEXT_MAX])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

const char *bytes_digest(const void *bytes, size_t length, char text[DIGEST_TEXT_MAX])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, length, bytes);
    return finish(&sha, text);
}

const char *tensor_digest(const Tensor *tensor, char text[DIGEST_TEXT_MAX])
{
    struct sha256_ctx sha;
    sha256_init(&sha);

    RawCursor cursor = raw_start(tensor);
    unsigned char block[4096];
    for (size_t filled; (filled = raw_next(&cursor, block, sizeof block)) > 0;)
        sha256_update(&sha, filled, block);
    return finish(&sha, text);
}

// --- base64

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
