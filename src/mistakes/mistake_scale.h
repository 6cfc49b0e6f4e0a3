// What the mistakes of the stage scale share: they divide by another number.
#ifndef MISTAKE_SCALE_H
#define MISTAKE_SCALE_H

#include "mistake.h"

// The right stage with another divisor.
bool mistake_scale_run(StageArgs *args, float divisor, Error *err);
void mistake_scale_origin(const StageArgs *args, float divisor, int slot, const ptrdiff_t at[],
                          TermVisit *visit, void *context);

// Why dividing by `divisor` shows no difference; NULL: it shows one.
const Words *mistake_scale_cannot_show(const Scenario *scenario, float divisor);

#endif
