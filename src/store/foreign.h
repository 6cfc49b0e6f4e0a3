// What a file is that holds no tensors we read: told by its first bytes, or by its name.
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"

// How many of a file's first bytes foreign_check looks at.
enum { FOREIGN_BYTES = 512 };

// The first `count` bytes of a file that is called `path`. False with a sentence that says what the file
// is and what to do, where it is known to be something else than tensors that are read here.
bool foreign_check(const char *path, const unsigned char *bytes, size_t count, Error *err);

// Whether a path ends as files do that are named by foreign_check, or might be.
bool foreign_ending(const char *path);

#endif
