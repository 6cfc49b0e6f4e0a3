// What `grading` says: the rows of grading_words.def, as words.h has them.
#ifndef GRADING_WORDS_H
#define GRADING_WORDS_H

#include "words.h"

#include "grading_words.def"

// A row as a value, for tables of sentences.
#define ROW(NAME) \
    { \
        { \
            word_##NAME##_english, word_##NAME##_korean, word_##NAME##_marked \
        } \
    }

#endif
