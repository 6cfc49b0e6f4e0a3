// Regular expressions in tokenizer files, a subset of Oniguruma: letters, classes with \p{L}, \s and ranges,
// groups, (?i:...), (?=...), (?!...), * + ? {m,n}, lazy and possessive.
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"

// --- characters
//
// Unicode properties of characters, for tokenizers.

typedef enum CharacterKind {
    CHARACTER_LETTER,      // L*
    CHARACTER_MARK,        // Mn: an accent without its own width
    CHARACTER_NUMBER,      // N*
    CHARACTER_PUNCTUATION, // P*
    CHARACTER_SEPARATOR,   // Zs
    CHARACTER_CONTROL,     // C*: control and format characters, unassigned
    CHARACTER_OTHER,
} CharacterKind;

CharacterKind character_kind(uint32_t character);

// Its general category in two letters: "Lu".
const char *character_category(uint32_t character);

// White space (property White_Space), which is more than the blanks of Zs.
bool character_is_space(uint32_t character);

// Lower and upper case, if the result is one character.
uint32_t character_lower(uint32_t character);

// Canonical decomposition: a letter and its accents, the letters of a Korean syllable. Returns the count.
enum { CHARACTER_PARTS_MAX = 64 };
size_t character_parts(uint32_t character, uint32_t parts[CHARACTER_PARTS_MAX]);

// Normalizes a text and writes at most `room` characters. Returns the full count, which exceeds `room` if
// they do not fit.
typedef enum CharacterForm {
    CHARACTER_NFD,
    CHARACTER_NFC,
    CHARACTER_NFKD,
    CHARACTER_NFKC
} CharacterForm;
size_t character_normalize(const char *text, size_t length, CharacterForm form, uint32_t out[],
                           size_t room);

// True between two extended grapheme clusters. `state` is 0 before the first character.
bool character_parts_from(uint32_t before, uint32_t character, int *state);

// Writes it in UTF-8, without a NUL. Returns the number of bytes.
size_t character_put(uint32_t character, char bytes[4]);

// --- expressions

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

// True if \w matches the character: letters, marks, digits, connectors.
bool pattern_is_word(uint32_t character);

#endif
