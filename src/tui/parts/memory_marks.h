// How a place in storage is marked for a person: a letter for the token, a number for the head.
#ifndef MEMORY_MARKS_H
#define MEMORY_MARKS_H

#include "cells.h"
#include "storage.h"

enum { MEMORY_MARK_MAX = 48, MEMORY_WORDS_MAX = 160 };

// The marks of the storage that a tensor reads. Without tokens and heads, rows are numbered.
typedef struct MemoryMarks {
    const Trace *trace;
    int owner;
    StorageAxes axes;
    ptrdiff_t run;   // numbers with the same mark
    ptrdiff_t count; // numbers in the storage
    int columns;     // of the longest mark
    bool by_head;    // colours tell heads apart, not tokens
} MemoryMarks;

MemoryMarks memory_marks(const Trace *trace, int tensor, bool by_head);

// "B": the token, "" where there is none. From the 53rd token on, its number.
const char *memory_token(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX]);

// "2": the head, "" where there is none.
const char *memory_head(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX]);

// "B2", "60.2", "B", or the number of the run.
const char *memory_mark(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX]);

// "head 2 of token B "gave"", "row 7"
const char *memory_words(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_WORDS_MAX]);

// A colour of its own for each of eight neighbours among the tokens, or the heads; where there are
// none of the one, the other.
Shade memory_shade(const MemoryMarks *marks, ptrdiff_t place);

#endif
