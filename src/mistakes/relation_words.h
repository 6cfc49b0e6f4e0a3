// What is said of somebody's wrong numbers: the rows of relation_words.def, as words.h has them.
#ifndef RELATION_WORDS_H
#define RELATION_WORDS_H

#include "words.h"

#include "relation_words.def"

// A row as a value, for tables of sentences.
#define ROW(NAME) \
    { \
        { \
            word_##NAME##_english, word_##NAME##_korean, word_##NAME##_marked \
        } \
    }

#endif
