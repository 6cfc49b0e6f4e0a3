// Text for people: UTF-8 checked, measured in terminal columns and cut, the same in every locale.
// Widths come from utf8proc (Unicode East Asian Width), not from the C library's locale.
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// True when the bytes are valid UTF-8 without NUL.
bool utf8_valid(const char *bytes, size_t length);

// The first character of `text` and how many bytes it has; U+FFFD and 1 for a broken byte; 0 bytes
// at the end.
size_t utf8_next(const char *text, uint32_t *character);

// Columns one character takes: 0 combining (an accent, a later letter of a Korean syllable), 1, or 2
// (Korean, Chinese, Japanese, emoji), as terminals count them. Control characters take 1 (they are drawn as
// a replacement).
int utf8_character_width(uint32_t character);

// Columns the whole text takes.
int utf8_width(const char *text);

// Prints the text, and blanks up to `columns`.
void utf8_print(FILE *out, const char *text, int columns);

// Copies at most `columns` columns of `text` into `out` (room bytes). Cuts between characters, and ends a cut
// text with an ellipsis. Returns the columns used.
int utf8_cut(const char *text, int columns, char *out, size_t room);

// The same for names, which differ at their ends too: puts the ellipsis after two thirds of the columns. `out`
// has room for strlen(text) + 4 bytes.
int utf8_shorten(const char *text, int columns, char *out);

// True if the text has a letter of a right-to-left script.
bool utf8_turns(const char *text);

// True if the text has a letter whose form depends on its neighbours, so that words must be drawn as a whole:
// right-to-left scripts and the scripts of India and its neighbours.
bool utf8_joins(const char *text);

// True if `word` occurs in `text`. Ignores case and composition: a Korean syllable may be one character or
// several. Returns false with errno ENOMEM if out of memory; otherwise leaves errno alone.
bool utf8_contains(const char *text, const char *word);

// --- Hangul on a keyboard
//
// Maps Hangul letters to the Latin keys of the two-set layout, which nearly every Korean keyboard has.
//
// The input is a single letter, or a syllable that an input method made of several letters. Seven letters
// imply Shift; for all others Shift is unknown, and the result is the key without it.

enum { HANGUL_LETTERS_MAX = 5, HANGUL_LETTER_BYTES = 4 };

typedef struct HangulLetters {
    int count;
    char letters[HANGUL_LETTERS_MAX][HANGUL_LETTER_BYTES];
} HangulLetters;

// The key of a single letter: "a" for "ㅁ"; NULL for anything else.
const char *hangul_key(const char *letter);

// The Latin name of a key: hangul_key if there is one, else `key`.
const char *hangul_or_key(const char *key);

// The letters typed for the first character of `text`, in order: three for most syllables, none if it is not
// Hangul.
HangulLetters hangul_letters(const char *text);

// Moves the first of them into `letter`. Returns false, and leaves `letter` alone, if none is left.
bool hangul_next(HangulLetters *pressed, char letter[HANGUL_LETTER_BYTES]);

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

#endif
