// The words of guide_words.def: what the program says inside a lecture, in the lecture's language.
#ifndef GUIDE_WORDS_H
#define GUIDE_WORDS_H

#include "lecture.h"

typedef enum GuideWord {
#define GUIDE_WORD(NAME, english, korean) WORD_##NAME,
#include "guide_words.def"
    WORD_COUNT
} GuideWord;

const char *guide_word(LectureLanguage language, GuideWord word);

#endif
