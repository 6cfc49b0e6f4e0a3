// Ten questions about attention with small whole numbers that a seed draws: neighbours in a room get
// other ones. Their answers are what the program computes, on a sheet of their own.
#ifndef SEED_SHEET_H
#define SEED_SHEET_H

#include <stdint.h>
#include <stdio.h>
#include "error.h"
#include "language.h"

// Writes both sheets as the inside of a page of HTML.
bool seed_sheet(uint64_t seed, Language language, FILE *out, Error *err);

#endif
