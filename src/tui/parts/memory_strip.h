// Storage as a strip of boxes in the order of its places, and under it which boxes tensors visit. A
// box is a run of numbers with the same mark.
#ifndef MEMORY_STRIP_H
#define MEMORY_STRIP_H

#include "cells.h"
#include "memory_marks.h"

enum { MEMORY_READERS_MAX = 3, MEMORY_READER_NAME_MAX = 64 };

// A tensor that reads the storage. Its matrix is the two last axes around the chosen place.
typedef struct MemoryReader {
    const Tensor *tensor;
    char name[MEMORY_READER_NAME_MAX]; // "q_heads[0,2]"
} MemoryReader;

typedef struct MemoryStrip {
    MemoryMarks marks;
    MemoryReader readers[MEMORY_READERS_MAX];
    int reader_count;
    ptrdiff_t chosen; // a place that every reader reads
} MemoryStrip;

MemoryStrip memory_strip(const MemoryMarks *marks, ptrdiff_t chosen);

// Adds a tensor over the same storage; those with fewer than two axes have no matrix and are left
// out.
void memory_strip_add(MemoryStrip *strip, const Trace *trace, int tensor);

// Draws as many lines of boxes as fit into `rows` rows from `row` on, around the chosen place, and
// returns the rows used. Each line: places, marks, and for every reader the number of the row of its
// matrix that visits the box, a dot where none does.
int memory_strip_draw(const MemoryStrip *strip, Area area, int row, int rows);

#endif
