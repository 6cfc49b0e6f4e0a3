// What several mistakes are made of. Most do the right thing to the wrong numbers: they hand a right
// stage changed arguments.
#ifndef MISTAKE_PARTS_H
#define MISTAKE_PARTS_H

#include "mistake.h"

// The right stage, run and told with axes a and b of its first input and first output exchanged:
// softmax goes along another axis so.
bool mistake_run_exchanged(const char *stage, StageArgs *args, int a, int b, Error *err);
void mistake_origin_exchanged(const char *stage, const StageArgs *args, int a, int b,
                              const ptrdiff_t at[], TermVisit *visit, void *context);

// What the right stage tells of changed arguments, its inputs named as they are: the one that it
// takes for number i is number places[i] of the mistake.
void mistake_origin_replaced(const char *stage, const StageArgs *args, const int places[], int slot,
                             const ptrdiff_t at[], TermVisit *visit, void *context);

// One term: element `at` of a float input, copied (TERM_COPY) or only looked at (TERM_PLACE).
void mistake_tell_element(const StageArgs *args, TermKind kind, Source source, TermVisit *visit,
                          void *context);

#endif
