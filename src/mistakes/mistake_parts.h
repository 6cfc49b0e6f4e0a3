// What several mistakes are made of. Most do the right thing to the wrong numbers: they hand a right
// stage changed arguments.
#ifndef MISTAKE_PARTS_H
#define MISTAKE_PARTS_H

#include "mistake.h"

// A right stage wired wrongly: its arguments, where what it takes for input i is input from[i] of the
// mistake.
typedef struct Rewired {
    StageArgs args;
    int from[STAGE_READS_MAX];
} Rewired;

// What the right stage tells of them, its inputs named as the mistake has them.
void mistake_rewired_origin(const char *stage, const Rewired *rewired, int slot,
                            const ptrdiff_t at[], TermVisit *visit, void *context);

// One term: element `at` of a float input, copied (TERM_COPY) or only looked at (TERM_PLACE).
void mistake_tell_element(const StageArgs *args, TermKind kind, Source source, TermVisit *visit,
                          void *context);

#endif
