// What a fenced compiler is allowed to read besides the system's folders of headers and libraries: its
// own programs, and the folders that a compiler from elsewhere brings.
#ifndef WORKER_TOOLCHAIN_H
#define WORKER_TOOLCHAIN_H

#include "arena.h"
#include "error.h"

enum { TOOLCHAIN_MAX = 64 };

typedef struct Toolchain {
    char *paths[TOOLCHAIN_MAX + 1]; // files and folders; NULL ends them
    int count;
    Arena arena;
} Toolchain;

// Finds what belongs to this compiler, given as a path. ATTNSCOPE_TOOLCHAIN may name further folders,
// with a colon between. False with a sentence when there is no memory; close it in any case.
bool toolchain_open(Toolchain *toolchain, const char *compiler, Error *err);
void toolchain_close(Toolchain *toolchain);

// Whether a file, by its canonical path, is one of the system's or the compiler's own.
bool toolchain_owns(const Toolchain *toolchain, const char *path);

#endif
