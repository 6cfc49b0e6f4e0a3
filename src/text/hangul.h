// Keys that were pressed while the keyboard writes Hangul: the Latin keys they lie on in the two-set
// layout, which nearly every Korean keyboard has. The table is hangul.def.
//
// What arrives is a letter by itself, or the syllable that an input method has made of several letters.
// Seven letters tell that Shift was held; of all the others it is not known, and the key is the one
// without Shift.
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

// The name of a key as it would be without Hangul: hangul_key where there is one, `key` where not.
const char *hangul_or_key(const char *key);

// The letters that were pressed for the first character of `text`, in their order: three for most
// syllables. None where that is no Hangul.
HangulLetters hangul_letters(const char *text);

// Takes the first of them away, into `letter`; false, and `letter` stays, when none is left.
bool hangul_next(HangulLetters *pressed, char letter[HANGUL_LETTER_BYTES]);

#endif
