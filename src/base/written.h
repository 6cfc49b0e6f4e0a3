// What a program writes, and whether it arrived.
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "error.h"

// --- standard output
//
// What a program prints on its standard output has arrived, or it says so; and what it says besides.

// Closes the standard output. False with a sentence when something that was printed could not be written.
bool output_finish(Error *err);

// Says a sentence on the error output, after what was printed: "attnscope: ...".
void output_say(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

// --- a file in memory
//
// Text that is written in memory as into a file: whole, or not at all.
//
// A stream into memory takes what it has memory for, and says so only to those who ask. Here one asks
// once, at the end.
//
// Life cycle: written_begin; fprintf(written.out, ...); written_end; read written.text; written_drop, at
// any time, and again.

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
