// What a program prints on its standard output has arrived, or it says so; and what it says besides.
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdarg.h>
#include "error.h"

// Closes the standard output. False with a sentence when something that was printed could not be written.
bool output_finish(Error *err);

// Says a sentence on the error output, after what was printed: "attnscope: ...".
void output_say(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#endif
