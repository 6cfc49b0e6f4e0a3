// From the 24-bit colours of cells to the colours that a terminal has.
#ifndef SHADE_H
#define SHADE_H

#include "cells.h"

// Colour numbers of a terminal; -1 is its own.
typedef struct ShadeNumbers {
    int front, back;
} ShadeNumbers;

// What a terminal with `colours` colours is told: with 2^24 the colour itself; from 256 on the
// nearest of the colour cube and the greys, which no theme changes; from 8 on the nearest hue for a
// front, and nothing where there is a back, whose text could not be read; below, nothing.
ShadeNumbers shade_numbers(Shade shade, int colours);

#endif
