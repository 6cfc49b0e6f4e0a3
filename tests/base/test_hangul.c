// Hangul from a keyboard as the keys beneath it.
#include "utf8.h"

#include "suite.h"

#include <stdlib.h>
#include <string.h>

// The two-set layout as it is printed on Korean keyboards, row by row: what is read off here is not
// read from the table.
TEST(every_letter_lies_on_its_key)
{
    static const char *const rows[][2] = {
        {"ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ", "qwertyuiop"},
        {"ㅁㄴㅇㄹㅎㅗㅓㅏㅣ", "asdfghjkl"},
        {"ㅋㅌㅊㅍㅠㅜㅡ", "zxcvbnm"},
        {"ㅃㅉㄸㄲㅆㅒㅖ", "QWERTOP"},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        ck_assert_uint_eq(strlen(rows[row][0]), 3 * strlen(rows[row][1]));
        for (size_t i = 0; rows[row][1][i]; i++) {
            char letter[4] = "", key[2] = {rows[row][1][i], '\0'};
            memcpy(letter, rows[row][0] + 3 * i, 3);
            ck_assert_msg(hangul_key(letter), "%s lies nowhere", letter);
            ck_assert_str_eq(hangul_key(letter), key);
            ck_assert_str_eq(hangul_or_key(letter), key);
        }
    }
}

TEST(what_is_no_single_letter_lies_on_no_key)
{
    static const char *const others[] = {"a", "누", "ㅘ", "ㄳ", "Enter", "", "日", "ㆍ"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert_ptr_null(hangul_key(others[i]));
        ck_assert_str_eq(hangul_or_key(others[i]), others[i]);
    }
}

// The Latin keys of the letters that were pressed for a character.
static const char *keys_of(const char *text)
{
    static char keys[HANGUL_LETTERS_MAX + 1];
    HangulLetters pressed = hangul_letters(text);
    keys[0] = '\0';
    for (int i = 0; i < pressed.count; i++)
        strcat(keys, hangul_key(pressed.letters[i]));
    return keys;
}

TEST(a_syllable_is_the_keys_that_were_pressed_for_it)
{
    static const char *const syllables[][2] = {
        {"ㅁ", "a"},   {"ㅘ", "hk"},   {"ㄳ", "rt"},    {"가", "rk"},   {"힣", "glg"},
        {"누", "sn"},  {"안", "dks"},  {"녕", "sud"},   {"꺄", "Ri"},   {"쀍", "Qnpfr"},
        {"의", "dml"}, {"값", "rkqt"}, {"뷁", "qnpfr"}, {"넋", "sjrt"}, {"ㅢ", "ml"},
    };
    for (size_t i = 0; i < sizeof syllables / sizeof *syllables; i++)
        ck_assert_str_eq(keys_of(syllables[i][0]), syllables[i][1]);
}

TEST(letters_of_syllables_that_are_not_composed_are_known_too)
{
    ck_assert_str_eq(keys_of("\u1102"), "s"); // the ㄴ that begins a syllable
    ck_assert_str_eq(keys_of("\u116e"), "n"); // ㅜ
    ck_assert_str_eq(keys_of("\u11bc"), "d"); // the ㅇ that ends one
}

TEST(what_is_no_hangul_has_no_letters)
{
    static const char *const others[] = {"", "a", "é", "日", "\u1113", "\ud7a4", "\u318e", "\377"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_int_eq(hangul_letters(others[i]).count, 0);
}

SUITE("hangul")
