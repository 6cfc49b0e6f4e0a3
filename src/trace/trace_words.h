// What is said of a trace: the rows of trace_words.def, as words.h has them.
#ifndef TRACE_WORDS_H
#define TRACE_WORDS_H

#include "words.h"

#include "trace_words.def"

#endif
