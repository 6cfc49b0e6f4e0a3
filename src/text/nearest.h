// The known word that somebody most likely meant.
#ifndef NEAREST_H
#define NEAREST_H

// The entry of `known` (NULL-terminated) with the fewest letters to change, add, leave out or swap
// with a neighbour to get from `word` to it; the earlier one on a tie. NULL when none is near: more
// than a third of the longer word's letters (but always one) would have to change, or all of them.
const char *nearest_word(const char *word, const char *const known[]);

#endif
