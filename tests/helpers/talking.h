// The one session of a test program, and how its tests talk to it; with a screen of it where there is one.
#ifndef TALKING_H
#define TALKING_H

#include "stepping.h"

extern Stepping it;

// A scenario of lessons/scenarios.
void open_named(const char *name);

// A tiny one (tiny.h), and that with every step computed.
void open_shape(TinyShape shape);
void open_computed(TinyShape shape);

// 2 sequences of 3 tokens, 2 heads of 2: steps project q, k, v, view q, k, v, transpose q, k, v,
// score, scale, softmax, weighted_sum, concat, output_projection.
void open_tiny(void);

// 3 sequences of up to 4 tokens out of 7, padding, 2 heads, positions, biases.
void open_batch(void);

void close_all(void);

// Whether the words are not refused; where they have to be, or not to be.
bool try_words(const char *words);
void say(const char *words);
void expect_refusal(const char *words, const char *says);

// The index of the element that is chosen.
const ptrdiff_t *at(void);

#endif
