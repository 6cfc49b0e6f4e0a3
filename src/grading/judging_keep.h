// A finished check as JSON, and back: a check that is read back gives the same report as a fresh one.
#ifndef JUDGING_KEEP_H
#define JUDGING_KEEP_H

#include "judging.h"

// Takes `folder` out of a text, in which a compiler's words have it as worker_words_printable makes it:
// where somebody's work lies is nobody's business.
void judging_without(char *text, const char *folder);

// The caller's to free; NULL: no memory. Paths below `folder`, which ends in a slash, begin below it:
// where it lay does not matter. What this machine could not judge says so, to be tried again.
json_t *judging_keep(const Judging *judging, const Exercise *exercise, const char *folder);

// Fills a zeroed Judging, for judging_finish. False where this is none.
bool judging_take(Judging *judging, const json_t *kept);

#endif
