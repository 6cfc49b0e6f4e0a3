// What ended a process: the signals that somebody who learns C can meet, in words.
#ifndef SIGNAL_TEXT_H
#define SIGNAL_TEXT_H

#include "language.h"

// "Aborted", "abort 호출로 중단(SIGABRT)"; "signal 40" where it is a rare one; then it
// lasts until the same thread asks for the next rare one in that language.
const char *signal_text(int number, Language language);

#endif
