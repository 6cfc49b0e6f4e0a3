// guide_words: see guide_words.h.
#include "guide_words.h"

static const char *const words[WORD_COUNT][LECTURE_LANGUAGES] = {
#define GUIDE_WORD(NAME, english, korean) \
    [WORD_##NAME] = {[LECTURE_ENGLISH] = english, [LECTURE_KOREAN] = korean},
#include "guide_words.def"
};

const char *guide_word(LectureLanguage language, GuideWord word)
{
    return words[word][language];
}
