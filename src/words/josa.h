// Korean particles after words that are only known when the program runs: 은/는, 이/가, 을/를, 과/와,
// 으로/로, 이라/라, 이어야/여야.
//
// Which of the two stands depends on how the word before it ends when it is read aloud: in a consonant
// or in a vowel; 으로 wants a consonant other than ㄹ.
#ifndef JOSA_H
#define JOSA_H

#include <stddef.h>

typedef enum JosaEnd { JOSA_VOWEL, JOSA_RIEUL, JOSA_CONSONANT } JosaEnd;

// How the first `length` bytes of a text end, read aloud in Korean: "행" in a consonant, "7" (칠) in ㄹ,
// "mask" (마스크) in a vowel. Closing brackets and quotes are passed over. What nobody reads aloud ends
// in a vowel.
JosaEnd josa_end(const char *text, size_t length);

// Puts one of the two in the place of each {은/는}, in the text itself, which becomes shorter. Both
// sides must be Hangul; other braces stay.
void josa_settle(char *text);

#endif
