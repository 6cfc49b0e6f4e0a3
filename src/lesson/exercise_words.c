// exercise_words: see exercise_words.h.
#include "exercise_words.h"

#include <stdarg.h>
#include "words.h"

static const char *const words[EXERCISE_SAYS_COUNT][LANGUAGE_COLUMNS] = {
#define EXERCISE_WORD(NAME, english, korean) \
    [EXERCISE_SAYS_##NAME] = {[LANGUAGE_ENGLISH] = english, \
                              [LANGUAGE_KOREAN] = korean, \
                              [LANGUAGE_MARKED] = "\u27e6" english "\u27e7"},
#include "exercise_words.def"
};

const char *exercise_word(Language language, ExerciseWord word)
{
    return words[word][language_beside(language)];
}

void exercise_say(FILE *out, Language language, ExerciseWord word, ...)
{
    va_list arguments;
    va_start(arguments, word);
    words_vprint(out, exercise_word(language, word), arguments);
    va_end(arguments);
}
