// What pages say: the rows of export_words.def, as words.h has them.
#ifndef EXPORT_WORDS_H
#define EXPORT_WORDS_H

#include "words.h"

#include "export_words.def"

#endif
