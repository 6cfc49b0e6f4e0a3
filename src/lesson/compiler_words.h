// Explains a compiler's errors and warnings to beginners.
#ifndef COMPILER_WORDS_H
#define COMPILER_WORDS_H

#include <stdio.h>
#include "lecture.h"

// Prints a sentence about each kind of error or warning in the output of gcc or clang (in English), in order and
// without repetition, up to a limit. Returns the count; unknown messages get none.
int compiler_words_print(const char *said, FILE *out);

// Finds the first warning about an uninitialised read: its line, as text, and the variable. Returns false if
// there is none.
typedef struct CompilerUnset {
    char line[12], name[64];
} CompilerUnset;
bool compiler_words_unset(const char *said, CompilerUnset *unset);

// Explains the first known error in `text`, with its names filled in. Returns its kind, the same for all
// compilers, or -1.
int compiler_words_kind(const char *said, char *text, size_t room);

// The first line with an error, else the first line; `length` is its bytes. "" for empty output or a linker's
// closing line.
const char *compiler_words_first(const char *said, size_t *length);

#endif
