// Text that is written in memory as into a file: whole, or not at all.
//
// A stream into memory takes what it has memory for, and says so only to those who ask. Here one asks
// once, at the end.
//
// Life cycle: written_begin; fprintf(written.out, ...); written_end; read written.text; written_drop, at
// any time, and again.
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "error.h"

typedef struct Written {
    FILE *out;  // to write to, between written_begin and written_end
    char *text; // after written_end, with a NUL behind it; NULL when it is not whole
    size_t length;
} Written;

// Begins an empty text. False with a sentence when there is no memory; `out` is NULL then.
bool written_begin(Written *written, Error *err);

// Ends it. False with a sentence, and without a text, when there was no memory for some of it.
bool written_end(Written *written, Error *err);

// Gives back what it has. A zeroed one has nothing.
void written_drop(Written *written);

#endif
