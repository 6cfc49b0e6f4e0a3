// guide_words: see guide_words.h.
#include "guide_words.h"

#include "guide.h"

static const char *const words[WORD_COUNT][LANGUAGE_COLUMNS] = {
#define GUIDE_WORD(NAME, english, korean) \
    [WORD_##NAME] = {[LANGUAGE_ENGLISH] = english, \
                     [LANGUAGE_KOREAN] = korean, \
                     [LANGUAGE_MARKED] = "\u27e6" english "\u27e7"},
#include "guide_words.def"
};

const char *guide_word(Language language, GuideWord word)
{
    return words[word][language_beside(language)];
}

const char *guide_session_word(const Session *session, GuideWord word)
{
    const Guide *guide = session->guide;
    return guide_word(guide ? guide->lecture->language : language_written(), word);
}
