// What attnscope.h says about Tensor, for a test that includes tensor.h: the two cannot be included
// together.
#ifndef LEARNER_HEADER_LAYOUT_H
#define LEARNER_HEADER_LAYOUT_H

#include <stddef.h>

enum { LEARNER_HEADER_FACTS = 19, LEARNER_HEADER_CALLS = 8 };

void learner_header_layout(ptrdiff_t facts[LEARNER_HEADER_FACTS]);
void learner_header_elements(const void *tensor, const void *found[LEARNER_HEADER_CALLS]);

#endif
