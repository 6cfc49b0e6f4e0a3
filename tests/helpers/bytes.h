// A file in the making, byte by byte, for tests of readers.
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct Bytes {
    unsigned char data[10000];
    size_t length;
} Bytes;

void bytes_put(Bytes *bytes, const void *data, size_t length);

// A number of `width` bytes, the lowest first.
void bytes_put_number(Bytes *bytes, uint64_t value, int width);

// A .npy file of version 1 with this dict and as many zeros behind it.
Bytes bytes_npy(const char *dict, size_t zeros);

// A .safetensors file with this header, in which ' stands for ", and as many zeros behind it.
Bytes bytes_safetensors(const char *header, size_t zeros);

#endif
