// The words of exercise_words.def: what the program says about exercises, in the learner's language.
#ifndef EXERCISE_WORDS_H
#define EXERCISE_WORDS_H

#include <stdio.h>
#include "lecture.h"

typedef enum ExerciseWord {
#define EXERCISE_WORD(NAME, english, korean) EXERCISE_SAYS_##NAME,
#include "exercise_words.def"
    EXERCISE_SAYS_COUNT
} ExerciseWord;

// A printf format; both languages have the same conversions in the same order.
const char *exercise_word(Language language, ExerciseWord word);

// Prints it.
void exercise_say(FILE *out, Language language, ExerciseWord word, ...);

#endif
