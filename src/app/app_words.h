// What the program's commands say: the rows of app_words.def, as words.h has them.
#ifndef APP_WORDS_H
#define APP_WORDS_H

#include "app.h"
#include "words.h"

#include "app_words.def"

#endif
