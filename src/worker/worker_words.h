// What is said of a learner's source that makes no program: the rows of worker_words.def, as words.h has
// them. What becomes of a function that runs is in worker_sentences.def.
#ifndef WORKER_WORDS_H
#define WORKER_WORDS_H

#include "words.h"

#include "worker_words.def"

#endif
