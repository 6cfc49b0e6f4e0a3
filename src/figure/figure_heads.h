// Heads picked to be shown together: a set of their numbers, and its words "1,3".
#ifndef FIGURE_HEADS_H
#define FIGURE_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

enum { FIGURE_HEADS_MAX = 1024, FIGURE_HEADS_WORDS = FIGURE_HEADS_MAX / 64 }; // higher ones: never

// All zero: none is picked, which means that all are shown.
typedef struct FigureHeads {
    uint64_t bits[FIGURE_HEADS_WORDS];
} FigureHeads;

bool figure_heads_any(const FigureHeads *heads);
bool figure_heads_has(const FigureHeads *heads, ptrdiff_t head);
void figure_heads_put(FigureHeads *heads, ptrdiff_t head, bool in);

// How many of the first `count` are picked.
ptrdiff_t figure_heads_count(const FigureHeads *heads, ptrdiff_t count);

// Reads "1,3", "0-2,5" or "all". False, with a sentence and nothing changed, when it is neither.
bool figure_heads_read(FigureHeads *heads, const char *words, Error *err);

// Those of the first `count` as "1, 3, 4", of many "all but 7", as far as it fits;
// "" when none is picked.
const char *figure_heads_text(const FigureHeads *heads, ptrdiff_t count, char text[64]);

#endif
