// What Unicode says of a character, for whoever cuts texts as tokenizers do.
#ifndef CHARACTER_H
#define CHARACTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CharacterKind {
    CHARACTER_LETTER,      // L*
    CHARACTER_MARK,        // Mn: an accent that takes no place of its own
    CHARACTER_NUMBER,      // N*
    CHARACTER_PUNCTUATION, // P*
    CHARACTER_SEPARATOR,   // Zs
    CHARACTER_CONTROL,     // C*: control and format characters, and what is no character yet
    CHARACTER_OTHER,
} CharacterKind;

CharacterKind character_kind(uint32_t character);

// White space (property White_Space), which is more than the blanks of Zs.
bool character_is_space(uint32_t character);

// The small letter, as long as it is one character.
uint32_t character_lower(uint32_t character);

// The characters that it is made of (canonical decomposition): a letter and its accents, a Korean
// syllable's letters. How many.
enum { CHARACTER_PARTS_MAX = 64 };
size_t character_parts(uint32_t character, uint32_t parts[CHARACTER_PARTS_MAX]);

// Writes it in UTF-8, without a NUL; how many bytes.
size_t character_put(uint32_t character, char bytes[4]);

#endif
