// Rules of query i and key j by which people mask other keys than they should. The numbers of the rules go
// from 0 on.
#ifndef RELATION_MASKED_H
#define RELATION_MASKED_H

#include "relation.h"

enum { RELATION_MASKED_RULES = 10 };

// Whether a rule masks key j, of so many, for query i.
bool relation_masked_hides(int rule, ptrdiff_t i, ptrdiff_t j, ptrdiff_t keys);

// One sentence about a rule.
void relation_masked_say(int rule, Language language, char text[RELATION_TEXT_MAX]);

#endif
