// A session for tests to talk to, in the words that people type.
#ifndef STEPPING_H
#define STEPPING_H

#include "session.h"
#include "tiny.h"

typedef struct Stepping {
    Scenario scenario;
    Session session;
    Error err; // of the last words that were refused
} Stepping;

// Document 002's printed Q, K and V, (1, 3, 4) each: steps score, scale by 2, softmax, weighted_sum.
void stepping_open_printed(Stepping *stepping);

// A tiny scenario (tiny.h), drawn with `seed`.
void stepping_open_tiny(Stepping *stepping, TinyShape shape, uint64_t seed);

// Opens the session again over the scenario as it is now.
void stepping_open_again(Stepping *stepping);

void stepping_close(Stepping *stepping);

// False, with a sentence in stepping->err, when the words are refused.
bool stepping_try(Stepping *stepping, const char *words);

// The test fails when the words are refused.
void stepping_say(Stepping *stepping, const char *words);

// The name of the step that is shown; valid until the next call.
const char *stepping_step(const Stepping *stepping);

// The tensor that is looked at, and the index of the element chosen in it.
const Tensor *stepping_tensor(const Stepping *stepping);
const ptrdiff_t *stepping_at(const Stepping *stepping);

// "scores[0, 2, 1]": what is chosen; valid until the next call.
const char *stepping_chosen(const Stepping *stepping);

#endif
