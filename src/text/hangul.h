// Maps Hangul letters to the Latin keys of the two-set layout, which nearly every Korean keyboard has. The
// table is hangul.def.
//
// The input is a single letter, or a syllable that an input method made of several letters. Seven letters
// imply Shift; for all others Shift is unknown, and the result is the key without it.
#ifndef HANGUL_H
#define HANGUL_H

#include <stdbool.h>

enum { HANGUL_LETTERS_MAX = 5, HANGUL_LETTER_BYTES = 4 };

typedef struct HangulLetters {
    int count;
    char letters[HANGUL_LETTERS_MAX][HANGUL_LETTER_BYTES];
} HangulLetters;

// The key of a single letter: "a" for "ㅁ"; NULL for anything else.
const char *hangul_key(const char *letter);

// The Latin name of a key: hangul_key if there is one, else `key`.
const char *hangul_or_key(const char *key);

// The letters typed for the first character of `text`, in order: three for most syllables, none if it is not
// Hangul.
HangulLetters hangul_letters(const char *text);

// Moves the first of them into `letter`. Returns false, and leaves `letter` alone, if none is left.
bool hangul_next(HangulLetters *pressed, char letter[HANGUL_LETTER_BYTES]);

#endif
