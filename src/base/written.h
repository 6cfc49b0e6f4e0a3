// Output that is complete, or reported as lost.
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "error.h"

// --- standard output

// Closes standard output. Returns false and sets err if any of it could not be written.
bool output_finish(Error *err);

// Prints "attnscope: " and the message to standard error, after flushing standard output.
void output_say(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

// --- a file in memory
//
// A memory stream drops what it has no memory for, and reports that only if asked. This asks once, at the
// end.
//
// Life cycle: written_begin; fprintf(written.out, ...); written_end; read written.text; written_drop, at
// any time, also repeatedly.

typedef struct Written {
    FILE *out;  // between written_begin and written_end
    char *text; // after written_end, NUL-terminated; NULL if incomplete
    size_t length;
} Written;

// Starts an empty text. Returns false, sets err and leaves `out` NULL without memory.
bool written_begin(Written *written, Error *err);

// Ends it. Returns false, sets err and frees the text if part of it was lost.
bool written_end(Written *written, Error *err);

// Frees it. Does nothing for a zeroed one.
void written_drop(Written *written);

#endif
