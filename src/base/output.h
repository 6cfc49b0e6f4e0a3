// What a program prints on its standard output has arrived, or it says so.
#ifndef OUTPUT_H
#define OUTPUT_H

#include "error.h"

// Closes the standard output. False with a sentence when something that was printed could not be written.
bool output_finish(Error *err);

#endif
