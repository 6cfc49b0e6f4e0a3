// Inputs made of others: bytes changed, taken out, doubled, words of the format put in. The same
// start gives the same inputs.
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_INPUT_MAX = 64 * 1024, FUZZ_WORDS_MAX = 1024 };

typedef struct FuzzInput {
    uint8_t *data;
    size_t size;
} FuzzInput;

// Begins zeroed but for `state`, which is not 0.
typedef struct FuzzMutator {
    uint64_t state;
    FuzzInput words[FUZZ_WORDS_MAX];
    int word_count;
    uint8_t bytes[FUZZ_INPUT_MAX]; // of the last input
} FuzzMutator;

// Reads the words of a dictionary as libFuzzer has them: a line each, "te\x78t".
void fuzz_dictionary(FuzzMutator *mutator, const char *path);

// A whole number in 0 ... limit-1.
int fuzz_below(FuzzMutator *mutator, int limit);

// Changes a few places of `input`, sometimes with bytes of `other`. The result lives until the next
// call; what is larger than FUZZ_INPUT_MAX is cut.
FuzzInput fuzz_mutate(FuzzMutator *mutator, const FuzzInput *input, const FuzzInput *other);

void fuzz_mutator_finish(FuzzMutator *mutator);

#endif
