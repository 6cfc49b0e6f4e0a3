// A text as one word of a shell: written by hand, and read back by the shell itself.
#include "shown_name.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(what_a_shell_reads_as_it_stands_is_not_quoted)
{
    static const char *const words[] = {"trained.safetensors", "/tmp/a-b_c/x.npz",
                                        "\xea\xb0\x80.npz"};
    char word[64];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_str_eq(shell_word(words[i], word), words[i]);
}

TEST(all_else_stands_in_quotes)
{
    char word[64];
    ck_assert_str_eq(shell_word("my folder/x.npz", word), "'my folder/x.npz'");
    ck_assert_str_eq(shell_word("it's", word), "'it'\\''s'");
    ck_assert_str_eq(shell_word("~", word), "'~'");
    ck_assert_str_eq(shell_word("", word), "''");
}

// 4096 bytes are the longest path of Linux (PATH_MAX).
TEST(a_path_has_room_however_long_it_is)
{
    static char path[SHELL_PATH_MAX + 2], word[SHELL_PATH_ROOM];
    ck_assert_str_eq(shell_path("my folder", word), "'my folder'");
    memset(path, '\'', SHELL_PATH_MAX);
    ck_assert_uint_eq(strlen(shell_path(path, word)), 4 * SHELL_PATH_MAX + 2);
    path[SHELL_PATH_MAX] = '\'';
    ck_assert_ptr_eq(shell_path(path, word), path);
}

// Every byte but NUL, each between two letters: the shell says what went in.
TEST(the_shell_reads_what_was_written)
{
    for (int byte = 1; byte < 256; byte++) {
        char text[] = {'a', (char)byte, 'b', '\0'}, word[SHELL_WORD_ROOM(3)], line[64], read[16];
        snprintf(line, sizeof line, "printf %%s %s", shell_word(text, word));
        FILE *shell = popen(line, "r");
        ck_assert_ptr_nonnull(shell);
        size_t count = fread(read, 1, sizeof read - 1, shell);
        read[count] = '\0';
        ck_assert_int_eq(pclose(shell), 0);
        ck_assert_str_eq(read, text);
    }
}

SUITE("shell_word")
