// open_lecture_words: see open_lecture_words.h.
#include "open_lecture_words.h"

#include "open_lecture.h"

static const char *const words[WORD_COUNT][LANGUAGE_COLUMNS] = {
#define OPEN_LECTURE_WORD(NAME, english, korean) \
    [WORD_##NAME] = {[LANGUAGE_ENGLISH] = english, \
                     [LANGUAGE_KOREAN] = korean, \
                     [LANGUAGE_MARKED] = "\u27e6" english "\u27e7"},
#include "open_lecture_words.def"
};

const char *open_lecture_word(Language language, OpenLectureWord word)
{
    return words[word][language_beside(language)];
}

const char *open_lecture_session_word(const Session *session, OpenLectureWord word)
{
    const OpenLecture *open = session->lecture;
    return open_lecture_word(open ? open->lecture->language : language_written(), word);
}
