// Where a notebook's numbers leave the right ones, and what makes them so.
#ifndef VERIFY_H
#define VERIFY_H

#include "dump.h"
#include "relation.h"
#include "tensor_difference.h"

typedef struct VerifyFinding {
    int dumped; // the first tensor of the dump, in the order of the pipeline, that differs; -1: none
    int same;   // how many that come before it agree
    TensorDifference difference;
    const Mistake *mistakes[MISTAKE_FOUND_MAX];
    int mistake_count;
    RelationReadings relations; // where no mistake makes the numbers
    Error failure; // of_machine: why this machine cannot tell which mistake or relation it is
} VerifyFinding;

// Matches a dump with a trace that has run: by map, names and numbers (dump_match); by the numbers of the
// known mistake that explains most of what is left; at last by shape. False, with a sentence, where the
// map does not fit or this machine could not run the mistakes.
bool verify_match(Dump *dump, const char *map, const Trace *right, Error *err);

// Compares a matched dump with its trace, which has run.
void verify_find(const Dump *dump, const Trace *right, VerifyFinding *finding);

// The scenario that a dump tells of itself, as --set texts for "scaled-dot-product" in the arena: its
// input, weights and heads; causal where its attention is. The result is how many; -1, with a
// sentence, where x or a weight is missing. `path` is the dump's.
enum { VERIFY_SETS = 4 };
int verify_scenario(const Dump *dump, const char *path, const char *sets[VERIFY_SETS], Arena *arena,
                    Error *err);

// Whether such a dump tells its heads and its mask: by scores or weights. Else one head and no mask are
// taken.
bool verify_tells_heads(const Dump *dump);

#endif
