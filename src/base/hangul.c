// hangul: see utf8.h.
#include "utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Unicode 15, section 3.12: a syllable is initial * 588 + vowel * 28 + final.
enum {
    SYLLABLES = 0xac00,
    SYLLABLE_COUNT = 11172,
    VOWELS = 21,
    FINALS = 28, // with none
    LETTERS = 0x3131,
    FIRST_VOWEL = 30, // in the table
    // The letters that a text holds whose syllables are not composed.
    INITIALS_ALONE = 0x1100,
    INITIAL_COUNT = 19,
    VOWELS_ALONE = 0x1161,
    FINALS_ALONE = 0x11a8,
};

typedef struct Letter {
    const char *text, *keys;
    int initial, final;
} Letter;

static const Letter letters[] = {
#define CONSONANT(letter, keys, initial, final) {letter, keys, initial, final},
#define VOWEL(letter, keys) {letter, keys, -1, -1},
#include "hangul.def"
};

enum { LETTER_COUNT = sizeof letters / sizeof *letters };

// The letter on one key; NULL when none lies there.
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

static void add_vowel(HangulLetters *pressed, int number)
{
    add(pressed, &letters[FIRST_VOWEL + number]);
}

static void add_final(HangulLetters *pressed, int number)
{
    for (int i = 0; i < FIRST_VOWEL && number > 0; i++)
        if (letters[i].final == number)
            add(pressed, &letters[i]);
}

// Whether a character is one of `count` from `first` on; its number among them then.
static int number_among(uint32_t character, uint32_t first, int count)
{
    return character >= first && character - first < (uint32_t)count ? (int)(character - first)
                                                                     : -1;
}

HangulLetters hangul_letters(const char *text)
{
    HangulLetters pressed = {.count = 0};
    uint32_t character;
    utf8_next(text, &character);
    int syllable = number_among(character, SYLLABLES, SYLLABLE_COUNT);
    int letter = number_among(character, LETTERS, LETTER_COUNT);
    int initial = number_among(character, INITIALS_ALONE, INITIAL_COUNT);
    int vowel = number_among(character, VOWELS_ALONE, VOWELS);
    int final = number_among(character, FINALS_ALONE, FINALS - 1);
    if (syllable >= 0) {
        add_initial(&pressed, syllable / (VOWELS * FINALS));
        add_vowel(&pressed, syllable / FINALS % VOWELS);
        add_final(&pressed, syllable % FINALS);
    }
    if (letter >= 0)
        add(&pressed, &letters[letter]);
    if (initial >= 0)
        add_initial(&pressed, initial);
    if (vowel >= 0)
        add_vowel(&pressed, vowel);
    if (final >= 0)
        add_final(&pressed, final + 1);
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
