// The words of open_lecture_words.def: what the program says inside a lecture, in the lecture's language.
#ifndef OPEN_LECTURE_WORDS_H
#define OPEN_LECTURE_WORDS_H

#include "lecture.h"

typedef struct Session Session;

typedef enum OpenLectureWord {
#define OPEN_LECTURE_WORD(NAME, english, korean) WORD_##NAME,
#include "open_lecture_words.def"
    WORD_COUNT
} OpenLectureWord;

const char *open_lecture_word(Language language, OpenLectureWord word);

// In the language of the session's lecture; without one, in English.
const char *open_lecture_session_word(const Session *session, OpenLectureWord word);

#endif
