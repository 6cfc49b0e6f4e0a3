// Regular expressions as files of tokenizers have them (Oniguruma's, a part of it): letters, classes
// with \p{L}, \s and ranges, groups, (?i:...), (?=...), (?!...), * + ? {m,n}, lazy and possessive.
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"

typedef struct Pattern Pattern;

// Allocated in the arena. NULL with an empty error if the text uses unsupported syntax; NULL with a message if
// out of memory.
const Pattern *pattern_read(const char *text, Arena *arena, Error *err);

// The input and result of a search.
typedef struct PatternSearch {
    const char *text; // ends in a NUL, at `length` or after it
    size_t length, from;
    long left;         // steps left, over all searches with this struct
    size_t begin, end; // of the match
} PatternSearch;

typedef enum PatternFound { PATTERN_FOUND, PATTERN_NOT_FOUND, PATTERN_TOO_LONG } PatternFound;

// Finds the first nonempty match at or after `from`. Among matches at one place, the first alternative of the
// pattern wins. PATTERN_TOO_LONG: no steps are left.
PatternFound pattern_find(const Pattern *pattern, PatternSearch *search);

// Whether a character belongs to \w: letters, marks, digits, and lines that join them.
bool pattern_is_word(uint32_t character);

#endif
