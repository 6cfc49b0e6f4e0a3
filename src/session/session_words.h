// What the stepper says: the rows of session_words.def, as words.h has them.
#ifndef SESSION_WORDS_H
#define SESSION_WORDS_H

#include "words.h"

#include "session_words.def"

#endif
