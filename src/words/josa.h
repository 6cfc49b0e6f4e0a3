// Korean particles after words that are only known when the program runs: 은/는, 이/가, 을/를, 과/와,
// 으로/로, 이라/라, 이어야/여야.
//
// The choice depends on how the word before it ends when read aloud: in a consonant or in a vowel; 으로 needs a
// consonant other than ㄹ.
#ifndef JOSA_H
#define JOSA_H

#include <stddef.h>

typedef enum JosaEnd { JOSA_VOWEL, JOSA_RIEUL, JOSA_CONSONANT } JosaEnd;

// How the first `length` bytes of a text end, read aloud in Korean: "행" in a consonant, "7" (칠) in ㄹ,
// "mask" (마스크) in a vowel. Skips closing brackets and quotes. Text that nobody reads aloud
// counts as a vowel.
JosaEnd josa_end(const char *text, size_t length);

// Replaces each {은/는} in place with one of the two; the text becomes shorter. Both sides must be Hangul;
// leaves other braces alone.
void josa_settle(char *text);

#endif
