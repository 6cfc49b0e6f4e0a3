// exercise_words: see exercise_words.h.
#include "exercise_words.h"

#include <stdarg.h>

static const char *const words[EXERCISE_SAYS_COUNT][LANGUAGES] = {
#define EXERCISE_WORD(NAME, english, korean) \
    [EXERCISE_SAYS_##NAME] = {[LANGUAGE_ENGLISH] = english, [LANGUAGE_KOREAN] = korean},
#include "exercise_words.def"
};

const char *exercise_word(Language language, ExerciseWord word)
{
    return words[word][language];
}

void exercise_say(FILE *out, Language language, ExerciseWord word, ...)
{
    va_list arguments;
    va_start(arguments, word);
    vfprintf(out, words[word][language], arguments);
    va_end(arguments);
}
