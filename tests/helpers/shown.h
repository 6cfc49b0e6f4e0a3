// What a grid of cells shows, for tests of what is drawn.
#ifndef SHOWN_H
#define SHOWN_H

#include "cells.h"

// As lines of text, until the next call.
const char *shown(const Cells *cells);

#endif
