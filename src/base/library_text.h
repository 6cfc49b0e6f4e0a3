// What a library or a signal says of a failure, for a sentence in the person's language.
#ifndef LIBRARY_TEXT_H
#define LIBRARY_TEXT_H

#include "words.h"

// --- libraries
//
// What a library says of a failure, for a sentence in the person's language.

// "did not find expected key"; "'이름:'이 있어야 할 곳입니다", as library_words.def has it. What is not
// in that list is quoted, so that no sentence goes over into another language: libyaml이 이렇게 말합니다:
// "...". It lasts until the same thread asks again.
const char *library_text(const char *library, const char *said);

// --- signals
//
// What ended a process: the signals that somebody who learns C can meet, in words.

// "Aborted", "abort 호출로 중단(SIGABRT)"; "signal 40" where it is a rare one; then it
// lasts until the same thread asks for the next rare one in that language.
const char *signal_text(int number, Language language);

#endif
