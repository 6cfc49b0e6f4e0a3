// What `train` says: the rows of train_words.def, as words.h has them.
#ifndef TRAIN_WORDS_H
#define TRAIN_WORDS_H

#include "words.h"

#include "train_words.def"

#endif
