// What the command `seed` asks, and how a search is shown and kept.
#ifndef APP_SEED_H
#define APP_SEED_H

#include "app.h"
#include "seed_search.h"

// Opens the scenario of the options with its weights drawn from a seed, and runs it. False with a
// sentence. The caller closes the trace and finishes the scenario.
bool app_seed_open(const AppOptions *options, uint32_t seed, AppTrace *app, Error *err);

// Tries all seeds that are left, showing how far it is on a terminal. A search that is interrupted is
// kept, and the next one with the same question goes on there. False with a sentence.
bool app_seed_search(SeedSearch *search, Team *team, Error *err);

// Says which of the printed tensors a seed makes.
bool app_seed_tell(const AppOptions *options, uint32_t seed, const Printed *printed, Error *err);

#endif
