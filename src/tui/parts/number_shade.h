// A number's sign and size as the shade of its cell. The same is in its digits; the shade only makes
// it quick to see.
#ifndef NUMBER_SHADE_H
#define NUMBER_SHADE_H

#include "cells.h"

// Orange above zero, blue below, the brighter the nearer to `largest` (the largest absolute value in
// sight); nothing for numbers near zero, NaN and infinities. Text stays readable on every back. Where
// there are too few `colours` for backs, a large number has a coloured front.
Shade number_shade(float number, float largest, int colours);

#endif
