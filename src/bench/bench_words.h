// What `bench` says: the rows of bench_words.def, as words.h has them.
#ifndef BENCH_WORDS_H
#define BENCH_WORDS_H

#include "words.h"

#include "bench_words.def"

#endif
