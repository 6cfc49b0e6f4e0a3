// Bytes of a terminal as the names of keys.
#include "tui.h"

#include "suite.h"

#include <string.h>

// The keys that bytes make, separated by spaces.
static const char *keys_of(const char *bytes)
{
    static char text[256];
    char key[KEY_NAME_MAX];
    KeyReader reader = {.count = 0};
    text[0] = '\0';
    for (; *bytes; bytes++)
        if (key_reader_take(&reader, (unsigned char)*bytes, key)) {
            strcat(text, text[0] ? " " : "");
            strcat(text, key);
        }
    return text;
}

TEST(characters_are_their_own_names)
{
    ck_assert_str_eq(keys_of("n?:"), "n ? :");
    ck_assert_str_eq(keys_of("\u00e9\uadf8\U0001F600x"),
                     "\u00e9 \uadf8 \U0001F600 x"); // 2, 3, 4, 1 bytes
}

TEST(keys_without_a_character_have_a_name)
{
    ck_assert_str_eq(keys_of(" \t\r\n\033\177\b"),
                     "Space Tab Enter Enter Escape Backspace Backspace");
    ck_assert_str_eq(keys_of("\001\014\027\037"), "^A ^L ^W ^_");
}

TEST(bytes_that_are_no_character_are_left_out)
{
    ck_assert_str_eq(keys_of("\377n\300\200n"),
                     "n n");                         // never part of UTF-8
    ck_assert_str_eq(keys_of("\355\240\200n"), "n"); // a surrogate
    ck_assert_str_eq(keys_of("\364\220\200\200n"),
                     "n"); // beyond the last character
    ck_assert_str_eq(keys_of("\352\267n\270"),
                     "n"); // the last byte came too late
    ck_assert_str_eq(keys_of("\352\267\352\267\270"),
                     "\uadf8"); // it began anew
}

SUITE("key_reader")
