// What `scenarios` says: the rows of scenarios_words.def, as words.h has them.
#ifndef SCENARIOS_WORDS_H
#define SCENARIOS_WORDS_H

#include "words.h"

#include "scenarios_words.def"

#endif
