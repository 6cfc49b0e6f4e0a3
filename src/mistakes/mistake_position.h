// What the mistakes of the stage position share: another pattern is added.
#ifndef MISTAKE_POSITION_H
#define MISTAKE_POSITION_H

#include "mistake.h"

// The right pattern: sine where d is even, cosine where it is odd.
float mistake_sinusoid(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width);

// The number of the pattern that is added to element d of token l.
typedef float PositionPattern(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width);

void mistake_position_run(StageArgs *args, PositionPattern *pattern);
void mistake_position_origin(const StageArgs *args, const char *rule, int slot,
                             const ptrdiff_t at[], TermVisit *visit, void *context);

const Words *mistake_position_cannot_show(const Scenario *scenario);

#endif
