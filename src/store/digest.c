// digest: sha256 by nettle over canonical bytes; see digest.h.
#include "digest.h"
#include "raw_numbers.h"

#include <nettle/sha2.h>
#include <stdio.h>

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
