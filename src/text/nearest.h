// Finds the known word that the user most likely meant.
#ifndef NEAREST_H
#define NEAREST_H

// The entry of `known` (NULL-terminated) with the fewest letters to change, add, leave out or swap
// with a neighbour to get from `word` to it; the earlier one on a tie. NULL when none is near: more
// than a third of the longer word's letters (but always one) would have to change, or all of them.
const char *nearest_word(const char *word, const char *const known[]);

// The same for names that are made of parts (".", "_" and blanks between them), as those of tensors
// are: only one of which `word` is a misspelling. Every part must be near to its partner, parts of
// one or two letters the same, so that nobody is sent from q_proj.weight to k_proj.weight or from
// query.weight to key.weight. Small and capital letters are alike.
const char *nearest_name(const char *word, const char *const known[]);

#endif
