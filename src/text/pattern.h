// Regular expressions as files of tokenizers have them (Oniguruma's, a part of it): letters, classes
// with \p{L}, \s and ranges, groups, (?i:...), (?=...), (?!...), * + ? {m,n}, lazy and possessive.
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"

typedef struct Pattern Pattern;

// In the arena. NULL with an empty sentence where the text asks for what is not known here; with a sentence when
// memory is short.
const Pattern *pattern_read(const char *text, Arena *arena, Error *err);

// Where to look, and what came of it.
typedef struct PatternSearch {
    const char *text; // ends in a NUL, at `length` or behind it
    size_t length, from;
    long left;         // steps that may still be taken, over all searches with this struct
    size_t begin, end; // of what was found
} PatternSearch;

typedef enum PatternFound { PATTERN_FOUND, PATTERN_NOT_FOUND, PATTERN_TOO_LONG } PatternFound;

// The first place from `from` on where the pattern fits at least one character. Of the ways that it fits
// there it is the one that comes first in the pattern. PATTERN_TOO_LONG: no steps are left to tell.
PatternFound pattern_find(const Pattern *pattern, PatternSearch *search);

// Whether a character belongs to \w: letters, marks, digits, and lines that join them.
bool pattern_is_word(uint32_t character);

#endif
