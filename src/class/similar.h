// How alike two texts of C are: the hashes of short runs of tokens, of which winnowing keeps a few
// (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting", 2003). Names,
// numbers, comments and layout do not count, so renaming changes nothing.
#ifndef SIMILAR_H
#define SIMILAR_H

#include <stdint.h>
#include "arena.h"

typedef struct SimilarText {
    uint64_t *prints; // sorted, each once
    int count;
} SimilarText;

// Runs of this many tokens, and of so many in a row the smallest is kept: what two texts share of
// SIMILAR_RUN + SIMILAR_WINDOW - 1 tokens is found.
enum { SIMILAR_RUN = 9, SIMILAR_WINDOW = 4 };

// The fingerprints of a text; in the arena. False with a sentence: no memory.
bool similar_read(SimilarText *text, const char *source, Arena *arena, Error *err);

// Takes out what stands in `known` too: what everybody was given.
void similar_take_out(SimilarText *text, const SimilarText *known);

// The part of the smaller one's fingerprints that both have, from 0 to 1; 0 where one has none.
double similar_share(const SimilarText *one, const SimilarText *other);

#endif
