// Where a notebook's numbers leave the right ones, and what makes them so.
#ifndef VERIFY_H
#define VERIFY_H

#include "dump.h"
#include "relation.h"
#include "tensor.h"

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

#endif
