// bytes: see bytes.h.
#include "bytes.h"

#include "suite.h"
#include <string.h>

void bytes_put(Bytes *bytes, const void *data, size_t length)
{
    ck_assert_uint_le(bytes->length + length, sizeof bytes->data);
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void bytes_put_number(Bytes *bytes, uint64_t value, int width)
{
    for (int i = 0; i < width; i++) {
        unsigned char byte = (unsigned char)(value >> (8 * i));
        bytes_put(bytes, &byte, 1);
    }
}

static void put_zeros(Bytes *bytes, size_t zeros)
{
    for (size_t i = 0; i < zeros; i++)
        bytes_put_number(bytes, 0, 1);
}

Bytes bytes_npy(const char *dict, size_t zeros)
{
    Bytes bytes = {.length = 0};
    bytes_put(&bytes, "\x93NUMPY\x01\x00", 8);
    bytes_put_number(&bytes, strlen(dict), 2);
    bytes_put(&bytes, dict, strlen(dict));
    put_zeros(&bytes, zeros);
    return bytes;
}

Bytes bytes_safetensors(const char *header, size_t zeros)
{
    Bytes bytes = {.length = 0};
    bytes_put_number(&bytes, strlen(header), 8);
    for (const char *letter = header; *letter; letter++)
        bytes_put(&bytes, *letter == '\'' ? "\"" : letter, 1);
    put_zeros(&bytes, zeros);
    return bytes;
}
