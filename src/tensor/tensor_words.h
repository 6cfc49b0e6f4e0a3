// What `tensor` says: the rows of tensor_words.def, as words.h has them.
#ifndef TENSOR_WORDS_H
#define TENSOR_WORDS_H

#include "words.h"

#include "tensor_words.def"

#endif
