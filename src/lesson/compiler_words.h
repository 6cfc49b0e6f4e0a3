// What a compiler's errors and warnings mean, for somebody who has not met them often.
#ifndef COMPILER_WORDS_H
#define COMPILER_WORDS_H

#include <stdio.h>
#include "lecture.h"

// Writes a sentence for each kind of error or warning in what gcc or clang said in English, in its
// order and each kind once, a few at most. How many it wrote; what nobody knows gets none.
int compiler_words_print(const char *said, Language language, FILE *out);

// The first place where a compiler warns that something is read before it is set: its line, as text, and what
// it calls that. False where it warns of none.
typedef struct CompilerUnset {
    char line[12], name[64];
} CompilerUnset;
bool compiler_words_unset(const char *said, CompilerUnset *unset);

// What the first error means that is known, in `text` with the names of this one. The result tells kinds
// apart, in whatever words a compiler has them; -1: none is known.
int compiler_words_kind(const char *said, Language language, char *text, size_t room);

// The first line that says error, else the first one; `length` is its bytes. "" for nothing said, and for
// what a linker ends with, which tells nothing.
const char *compiler_words_first(const char *said, size_t *length);

#endif
