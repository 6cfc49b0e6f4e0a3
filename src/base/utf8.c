// UTF-8 and Hangul, using utf8proc; see utf8.h.
#include "utf8.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { REPLACEMENT = 0xFFFD };

bool utf8_valid(const char *bytes, size_t length)
{
    const utf8proc_uint8_t *rest = (const utf8proc_uint8_t *)bytes;
    while (length > 0) {
        utf8proc_int32_t character;
        utf8proc_ssize_t used = utf8proc_iterate(rest, (utf8proc_ssize_t)length, &character);
        if (used <= 0 || character == 0)
            return false;
        rest += used;
        length -= (size_t)used;
    }
    return true;
}

size_t utf8_next(const char *text, uint32_t *character)
{
    *character = 0;
    if (!*text)
        return 0;
    if ((unsigned char)*text < 0x80) { // the usual case, without a table
        *character = (unsigned char)*text;
        return 1;
    }
    utf8proc_int32_t found;
    size_t room = strnlen(text, 4);
    utf8proc_ssize_t used =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)room, &found);
    if (used <= 0) {
        *character = REPLACEMENT;
        return 1;
    }
    *character = (uint32_t)found;
    return (size_t)used;
}

int utf8_character_width(uint32_t character)
{
    utf8proc_int32_t known = (utf8proc_int32_t)character;
    bool ends_syllable =
        (character >= 0x1160 && character < 0x1200) || (character >= 0xd7b0 && character < 0xd800);
    if (character < 0xa0) // ASCII, or a control character, which is replaced when drawn
        return 1;
    if (ends_syllable) // the syllable's first letter took both columns
        return 0;
    if (utf8proc_category(known) == UTF8PROC_CATEGORY_MC) // a spacing mark
        return 1;
    return utf8proc_charwidth(known);
}

int utf8_width(const char *text)
{
    int width = 0;
    uint32_t character;
    for (size_t used; (used = utf8_next(text, &character)) > 0; text += used)
        width += utf8_character_width(character);
    return width;
}

void utf8_print(FILE *out, const char *text, int columns)
{
    int width = utf8_width(text);
    fprintf(out, "%s%*s", text, width < columns ? columns - width : 0, "");
}

int utf8_cut(const char *text, int columns, char *out, size_t room)
{
    static const char ellipsis[] = "\u2026";
    bool fits = utf8_width(text) <= columns;
    int limit = fits ? columns : columns - 1;
    size_t spare = fits ? 1 : sizeof ellipsis;
    size_t length = 0;
    int width = 0;
    uint32_t character;

    for (size_t used; (used = utf8_next(text, &character)) > 0; text += used) {
        int wide = utf8_character_width(character);
        if (width + wide > limit || length + used + spare > room)
            break;
        memcpy(out + length, text, used);
        length += used;
        width += wide;
    }
    if (!fits && columns > 0 && length + sizeof ellipsis <= room) {
        memcpy(out + length, ellipsis, sizeof ellipsis - 1);
        length += sizeof ellipsis - 1;
        width++;
    }
    if (room > 0)
        out[length] = '\0';
    return width;
}

int utf8_shorten(const char *text, int columns, char *out)
{
    const char *end = text;
    uint32_t character;
    size_t room = strlen(text) + 4;
    int behind = utf8_width(text), width = behind;
    if (width <= columns)
        return utf8_cut(text, columns, out, room);
    while (behind > columns / 3) {
        end += utf8_next(end, &character);
        behind -= utf8_character_width(character);
    }
    width = utf8_cut(text, columns - behind, out, room);
    size_t length = strlen(out);
    snprintf(out + length, room - length, "%s", end);
    return width + behind;
}

bool utf8_turns(const char *text)
{
    uint32_t character;
    for (size_t used; (used = utf8_next(text, &character)) > 0; text += used) {
        unsigned kind = utf8proc_get_property((utf8proc_int32_t)character)->bidi_class;
        if (kind == UTF8PROC_BIDI_CLASS_R || kind == UTF8PROC_BIDI_CLASS_AL)
            return true;
    }
    return false;
}

bool utf8_joins(const char *text)
{
    static const uint32_t blocks[][2] = {{0x0900, 0x0dff}, {0x0f00, 0x109f}, {0x1780, 0x17ff}};
    uint32_t character;
    for (const char *at = text; *at;) {
        at += utf8_next(at, &character);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            if (character >= blocks[i][0] && character <= blocks[i][1])
                return true;
    }
    return utf8_turns(text);
}

// NULL if it is not valid text, or with errno ENOMEM.
static char *folded(const char *text)
{
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t length =
        utf8proc_map((const utf8proc_uint8_t *)text, 0, &out,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    if (length == UTF8PROC_ERROR_NOMEM)
        errno = ENOMEM;
    return (char *)out;
}

bool utf8_contains(const char *text, const char *word)
{
    char *in_text = folded(text), *in_word = folded(word);
    bool found = in_text && in_word && strstr(in_text, in_word) != NULL;
    free(in_text);
    free(in_word);
    return found;
}

// --- Hangul

enum {
    VOWELS = 21,
    FINALS = 27,
    LETTERS = 0x3131,
    FIRST_VOWEL = 30, // in the table
    // Letters of decomposed syllables.
    INITIALS_ALONE = 0x1100,
    INITIAL_COUNT = 19,
    VOWELS_ALONE = 0x1161,
    FINALS_ALONE = 0x11a8,
};

typedef struct Letter {
    const char *text, *keys; // the Latin keys of the two-set layout (KS X 5002)
    int initial, final;      // among initial letters, from 0; among final ones, from 1; -1: none
} Letter;

// In the order of Unicode from U+3131; vowels also in the order of syllables.
static const Letter letters[] = {
    {"ㄱ", "r", 0, 1},    {"ㄲ", "R", 1, 2},    {"ㄳ", "rt", -1, 3},  {"ㄴ", "s", 2, 4},
    {"ㄵ", "sw", -1, 5},  {"ㄶ", "sg", -1, 6},  {"ㄷ", "e", 3, 7},    {"ㄸ", "E", 4, -1},
    {"ㄹ", "f", 5, 8},    {"ㄺ", "fr", -1, 9},  {"ㄻ", "fa", -1, 10}, {"ㄼ", "fq", -1, 11},
    {"ㄽ", "ft", -1, 12}, {"ㄾ", "fx", -1, 13}, {"ㄿ", "fv", -1, 14}, {"ㅀ", "fg", -1, 15},
    {"ㅁ", "a", 6, 16},   {"ㅂ", "q", 7, 17},   {"ㅃ", "Q", 8, -1},   {"ㅄ", "qt", -1, 18},
    {"ㅅ", "t", 9, 19},   {"ㅆ", "T", 10, 20},  {"ㅇ", "d", 11, 21},  {"ㅈ", "w", 12, 22},
    {"ㅉ", "W", 13, -1},  {"ㅊ", "c", 14, 23},  {"ㅋ", "z", 15, 24},  {"ㅌ", "x", 16, 25},
    {"ㅍ", "v", 17, 26},  {"ㅎ", "g", 18, 27},  {"ㅏ", "k", -1, -1},  {"ㅐ", "o", -1, -1},
    {"ㅑ", "i", -1, -1},  {"ㅒ", "O", -1, -1},  {"ㅓ", "j", -1, -1},  {"ㅔ", "p", -1, -1},
    {"ㅕ", "u", -1, -1},  {"ㅖ", "P", -1, -1},  {"ㅗ", "h", -1, -1},  {"ㅘ", "hk", -1, -1},
    {"ㅙ", "ho", -1, -1}, {"ㅚ", "hl", -1, -1}, {"ㅛ", "y", -1, -1},  {"ㅜ", "n", -1, -1},
    {"ㅝ", "nj", -1, -1}, {"ㅞ", "np", -1, -1}, {"ㅟ", "nl", -1, -1}, {"ㅠ", "b", -1, -1},
    {"ㅡ", "m", -1, -1},  {"ㅢ", "ml", -1, -1}, {"ㅣ", "l", -1, -1},
};

enum { LETTER_COUNT = sizeof letters / sizeof *letters };

// The letter on a key, or NULL.
static const Letter *letter_on(char key)
{
    const char keys[] = {key, '\0'};
    for (int i = 0; i < LETTER_COUNT; i++)
        if (strcmp(letters[i].keys, keys) == 0)
            return &letters[i];
    return NULL;
}

static void add(HangulLetters *pressed, const Letter *letter)
{
    for (const char *key = letter->keys; *key && pressed->count < HANGUL_LETTERS_MAX; key++)
        snprintf(pressed->letters[pressed->count++], HANGUL_LETTER_BYTES, "%s",
                 letter_on(*key)->text);
}

static void add_initial(HangulLetters *pressed, int number)
{
    for (int i = 0; i < FIRST_VOWEL; i++)
        if (letters[i].initial == number)
            add(pressed, &letters[i]);
}

static void add_final(HangulLetters *pressed, int number)
{
    for (int i = 0; i < FIRST_VOWEL; i++)
        if (letters[i].final == number)
            add(pressed, &letters[i]);
}

// True if a character is one of `count` from `first` on; sets its index.
static int number_among(uint32_t character, uint32_t first, int count)
{
    return character >= first && character - first < (uint32_t)count ? (int)(character - first)
                                                                     : -1;
}

static void add_letters(HangulLetters *pressed, uint32_t character)
{
    int letter = number_among(character, LETTERS, LETTER_COUNT);
    int initial = number_among(character, INITIALS_ALONE, INITIAL_COUNT);
    int vowel = number_among(character, VOWELS_ALONE, VOWELS);
    int final = number_among(character, FINALS_ALONE, FINALS);
    if (letter >= 0)
        add(pressed, &letters[letter]);
    if (initial >= 0)
        add_initial(pressed, initial);
    if (vowel >= 0)
        add(pressed, &letters[FIRST_VOWEL + vowel]);
    if (final >= 0)
        add_final(pressed, final + 1);
}

HangulLetters hangul_letters(const char *text)
{
    HangulLetters pressed = {.count = 0};
    uint32_t character, parts[CHARACTER_PARTS_MAX];
    utf8_next(text, &character);
    size_t count = character_parts(character, parts); // of a syllable its letters
    for (size_t i = 0; i < count; i++)
        add_letters(&pressed, parts[i]);
    return pressed;
}

bool hangul_next(HangulLetters *pressed, char letter[HANGUL_LETTER_BYTES])
{
    if (pressed->count == 0)
        return false;
    memcpy(letter, pressed->letters[0], HANGUL_LETTER_BYTES);
    pressed->count--;
    memmove(pressed->letters[0], pressed->letters[1],
            sizeof pressed->letters - sizeof pressed->letters[0]);
    return true;
}

const char *hangul_key(const char *letter)
{
    for (int i = 0; i < LETTER_COUNT; i++)
        if (strcmp(letters[i].text, letter) == 0 && !letters[i].keys[1])
            return letters[i].keys;
    return NULL;
}

const char *hangul_or_key(const char *key)
{
    const char *latin = hangul_key(key);
    return latin ? latin : key;
}

// --- characters

CharacterKind character_kind(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO)
        return CHARACTER_LETTER;
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO)
        return CHARACTER_NUMBER;
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
        return CHARACTER_PUNCTUATION;
    if (category == UTF8PROC_CATEGORY_CN || category >= UTF8PROC_CATEGORY_CC)
        return CHARACTER_CONTROL;
    return category == UTF8PROC_CATEGORY_MN   ? CHARACTER_MARK
           : category == UTF8PROC_CATEGORY_ZS ? CHARACTER_SEPARATOR
                                              : CHARACTER_OTHER;
}

const char *character_category(uint32_t character)
{
    return utf8proc_category_string((utf8proc_int32_t)character);
}

bool character_is_space(uint32_t character)
{
    static const uint32_t others[] = {0x20,   0x85,   0xa0,   0x1680, 0x2028,
                                      0x2029, 0x202f, 0x205f, 0x3000};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (character == others[i])
            return true;
    return (character >= 0x09 && character <= 0x0d) || (character >= 0x2000 && character <= 0x200a);
}

uint32_t character_lower(uint32_t character)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
}

size_t character_parts(uint32_t character, uint32_t parts[CHARACTER_PARTS_MAX])
{
    int boundary = 0;
    utf8proc_int32_t made[CHARACTER_PARTS_MAX];
    utf8proc_ssize_t count = utf8proc_decompose_char(
        (utf8proc_int32_t)character, made, CHARACTER_PARTS_MAX, UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > CHARACTER_PARTS_MAX) {
        parts[0] = character;
        return 1;
    }
    for (utf8proc_ssize_t i = 0; i < count; i++)
        parts[i] = (uint32_t)made[i];
    return (size_t)count;
}

size_t character_normalize(const char *text, size_t length, CharacterForm form, uint32_t out[],
                           size_t room)
{
    bool composes = form == CHARACTER_NFC || form == CHARACTER_NFKC;
    bool is_compatible = form == CHARACTER_NFKD || form == CHARACTER_NFKC;
    utf8proc_option_t options = (composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
                                (is_compatible ? UTF8PROC_COMPAT : 0) | UTF8PROC_STABLE;
    utf8proc_int32_t *made = (utf8proc_int32_t *)(void *)out;
    utf8proc_ssize_t count =
        utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, made,
                           (utf8proc_ssize_t)room, options);
    if (count > (utf8proc_ssize_t)room || count < 0)
        return count < 0 ? room + 1 : (size_t)count;
    return composes ? (size_t)utf8proc_normalize_utf32(made, count, options) : (size_t)count;
}

bool character_parts_from(uint32_t before, uint32_t character, int *state)
{
    return utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)character,
                                            state);
}

size_t character_put(uint32_t character, char bytes[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)character, (utf8proc_uint8_t *)bytes);
}
