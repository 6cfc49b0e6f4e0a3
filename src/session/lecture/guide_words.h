// The words of guide_words.def: what the program says inside a lecture, in the lecture's language.
#ifndef GUIDE_WORDS_H
#define GUIDE_WORDS_H

#include "lecture.h"

typedef struct Session Session;

typedef enum GuideWord {
#define GUIDE_WORD(NAME, english, korean) WORD_##NAME,
#include "guide_words.def"
    WORD_COUNT
} GuideWord;

const char *guide_word(Language language, GuideWord word);

// In the language of the session's lecture; without one, in English.
const char *guide_session_word(const Session *session, GuideWord word);

#endif
