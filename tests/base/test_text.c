// Text for people: the word that was meant, and names too long to be shown. Distances are counted by hand in
// the comments.
#include "shown_name.h"
#include "line_edit.h"
#include "suite.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const known[] = {"next", "previous", "score", "scale", "softmax", NULL};

TEST(a_misspelled_word_finds_the_one_that_was_meant)
{
    ck_assert_str_eq(nearest_word("nxet", known), "next");        // one swap
    ck_assert_str_eq(nearest_word("scoer", known), "score");      // one swap; scale: two changes
    ck_assert_str_eq(nearest_word("soft max", known), "softmax"); // one letter left out
    ck_assert_str_eq(nearest_word("prevous", known), "previous"); // one letter added
    ck_assert_str_eq(nearest_word("scale", known), "scale");
}

// A tensor of another role is not what somebody meant, however few letters differ.
TEST(a_name_is_found_only_where_every_part_is_near)
{
    static const char *const names[] = {"attention.self.key.weight", "attention.self.key.bias",
                                        "k_proj.weight", "q_heads", NULL};
    ck_assert_ptr_null(nearest_name("attention.self.query.weight", names));
    ck_assert_ptr_null(nearest_name("q_proj.weight", names));
    ck_assert_ptr_null(nearest_name("k_heads", names));
    ck_assert_ptr_null(nearest_name("k_proj", names));
    ck_assert_ptr_null(nearest_name("", names));
    ck_assert_str_eq(nearest_name("atention.self.key.weihgt", names), "attention.self.key.weight");
    ck_assert_str_eq(nearest_name("K_proj.weight", names), "k_proj.weight");
    ck_assert_str_eq(nearest_name("k.proj.weight", names), "k_proj.weight");
    ck_assert_str_eq(nearest_name("q_head", names), "q_heads");
}

TEST(a_word_like_none_of_them_finds_nothing)
{
    ck_assert_ptr_null(nearest_word("banana", known));
    ck_assert_ptr_null(nearest_word("", known));
    ck_assert_ptr_null(nearest_word("s", known)); // four letters short of "score"
    static const char *const signs[] = {"@", NULL}, *const none[] = {NULL};
    ck_assert_ptr_null(nearest_word("", signs));
    ck_assert_ptr_null(nearest_word("x", signs)); // nothing in common
    ck_assert_ptr_null(nearest_word("next", none));
}

TEST(the_earlier_word_wins_a_tie)
{
    // "scare" is one change from "score" and one from "scale"
    ck_assert_str_eq(nearest_word("scare", known), "score");
}

TEST(a_very_long_word_is_no_danger)
{
    static char word[100001];
    for (int i = 0; i < 100000; i++)
        word[i] = 'a';
    ck_assert_ptr_null(nearest_word(word, known));
}

// A third of the columns, rounded down, is left to the end; what is two columns wide is not halved.
TEST(a_long_name_keeps_its_end)
{
    char out[64];
    ck_assert_int_eq(utf8_shorten("kim_12345_attention", 10, out), 10);
    ck_assert_str_eq(out, "kim_12\u2026ion"); // 6 + 1 + 3
    ck_assert_int_eq(utf8_shorten("kim_123456", 10, out), 10);
    ck_assert_str_eq(out, "kim_123456");
    ck_assert_int_eq(utf8_shorten("\uae40\ubbfc\uc218\uae40\ubbfc\uc218", 10, out), 9);
    ck_assert_str_eq(out, "\uae40\ubbfc\uc218\u2026\uc218"); // 3 * 2 of 7, + 1, + 2 of 3
    utf8_shorten("", 10, out);
    ck_assert_str_eq(out, "");
}

// --- tokens: the letters for bytes are those of GPT-2's vocabulary. U+C548 is EC 95 88, a blank 20, a new
// line 0A; U+0120 stands for the 33rd byte that cannot be seen (00 to 20), so for 20.

static void check_token(const char *token, TokenSpelling spelling, const char *want)
{
    char out[200];
    ck_assert_str_eq(token_text(token, spelling, out), want);
}

TEST(a_token_is_shown_as_what_it_stands_for)
{
    check_token("\u0120low", TOKEN_BYTES, "\u00b7low");
    check_token("\u00ec\u0137\u012a", TOKEN_BYTES, "\uc548");
    check_token("\u00ec\u0137", TOKEN_BYTES, "<ec><95>"); // two bytes of three
    check_token("\u0120\u00ec\u0137\u012aa\u00ec", TOKEN_BYTES, "\u00b7\uc548a<ec>");
    check_token("\u010a\u0120", TOKEN_BYTES, "<0a>\u00b7");
    check_token("\u0100", TOKEN_BYTES, "<00>");
    check_token("\uc548", TOKEN_BYTES, "\uc548"); // an added token, of no such letters
    check_token("", TOKEN_BYTES, "");
    check_token("\u2581He", TOKEN_BLANKS, "\u00b7He");
    check_token("<0x0A>", TOKEN_BLANKS, "<0a>");
    check_token("<0xEC>", TOKEN_BLANKS, "<ec>");
    check_token("##ing", TOKEN_AS_IT_IS, "##ing");
    check_token(" the", TOKEN_AS_IT_IS, "\u00b7the"); // as a tokenizer decodes it
    check_token("New York ", TOKEN_AS_IT_IS, "New York\u00b7");
    check_token(" ", TOKEN_AS_IT_IS, "\u00b7");
    check_token("\n\t", TOKEN_AS_IT_IS, "<0a><09>");
    check_token("a\u202eb", TOKEN_AS_IT_IS, "a<202e>b"); // turns what follows around
    check_token("\u0645\u06cc\u200c", TOKEN_AS_IT_IS, "\u0645\u06cc\u200c"); // joins or not
    check_token("cat</w>", TOKEN_AS_IT_IS, "cat\u00b7");
    check_token("</w>", TOKEN_AS_IT_IS, "</w>");
    check_token("caf\u00c3\u00a9</w>", TOKEN_BYTES, "caf\u00e9\u00b7"); // C3 A9
}

// As wcwidth of glibc counts them, and so terminals.
TEST(characters_take_the_columns_of_a_terminal)
{
    ck_assert_int_eq(utf8_width("\u0915\u093f"), 2);       // a vowel's mark beside the letter
    ck_assert_int_eq(utf8_width("\u0e2a\u0e31"), 1);       // one above it
    ck_assert_int_eq(utf8_width("\u1112\u1161\u11ab"), 2); // a Korean syllable in three parts
    ck_assert_int_eq(utf8_width("\u0628\u064e"), 1);
    ck_assert_int_eq(utf8_width("\U0001f600"), 2);
}

TEST(scripts_from_right_to_left_are_known)
{
    ck_assert(utf8_turns("abc \u05d0"));
    ck_assert(utf8_turns("\u0645"));
    ck_assert(!utf8_turns("abc 123 (\ud55c)"));
    ck_assert(!utf8_turns("\u0661")); // an Arabic number alone
    ck_assert(utf8_joins("\u0645"));
    ck_assert(utf8_joins("\u0915\u093f"));
    ck_assert(!utf8_joins("caf\u00e9 \ud55c \u0e2a\u0e31"));
}

#define SPELLING(...) \
    token_spelling_of((const char *const[]){__VA_ARGS__}, \
                      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

TEST(a_spelling_is_told_by_the_tokens)
{
    ck_assert_int_eq(SPELLING("He", "\u0120looks"), TOKEN_BYTES);
    ck_assert_int_eq(SPELLING("<s>", "He", "\u0120looks", "</s>"), TOKEN_BYTES);
    ck_assert_int_eq(SPELLING("\u00ec\u0137", "\u012a"), TOKEN_BYTES); // EC 95, 88: one character
    ck_assert_int_eq(SPELLING("<s>", "\u2581He", "<0x0A>"), TOKEN_BLANKS);
    ck_assert_int_eq(SPELLING("\uadf8", "<0x0A>"), TOKEN_BLANKS);
    ck_assert_int_eq(SPELLING("[CLS]", "he", "##s"), TOKEN_AS_IT_IS);
    ck_assert_int_eq(SPELLING("caf\u00c3\u00a9</w>", "cat</w>"), TOKEN_BYTES); // CLIP: C3 A9
    ck_assert_int_eq(SPELLING("caf\u00e9</w>", "cat</w>"), TOKEN_AS_IT_IS);    // the first GPT
    ck_assert_int_eq(SPELLING("caf\u00e9", NULL, "\u010caj"), TOKEN_AS_IT_IS);
    ck_assert_int_eq(SPELLING("\uc548\ub155"), TOKEN_AS_IT_IS);
}

// --- Hangul from a keyboard as the keys beneath it.

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

// --- A text as one word of a shell: written by hand, and read back by the shell itself.

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

// --- A line that is edited, and the lines typed before.

static LineEdit line;

// The line with its cursor shown as '|'.
static const char *shown(void)
{
    static char text[LINE_EDIT_ROOM + 1];
    snprintf(text, sizeof text, "%.*s|%s", (int)line.cursor, line.text, line.text + line.cursor);
    return text;
}

TEST(text_goes_in_where_the_cursor_is)
{
    line_edit_set(&line, "goto");
    ck_assert_str_eq(shown(), "goto|");
    line_edit_insert(&line, " ");
    line_edit_insert(&line, "score");
    ck_assert_str_eq(shown(), "goto score|");
    line_edit_start(&line);
    line_edit_insert(&line, "x");
    ck_assert_str_eq(shown(), "x|goto score");
    line_edit_right(&line);
    ck_assert_str_eq(shown(), "xg|oto score");
    line_edit_end(&line);
    line_edit_left(&line);
    line_edit_insert(&line, "-");
    ck_assert_str_eq(shown(), "xgoto scor-|e");
}

TEST(the_cursor_stays_inside_the_line)
{
    line_edit_set(&line, "ab");
    line_edit_right(&line);
    ck_assert_str_eq(shown(), "ab|");
    line_edit_erase_after(&line);
    ck_assert_str_eq(shown(), "ab|");
    line_edit_start(&line);
    line_edit_left(&line);
    line_edit_erase(&line);
    line_edit_erase_word(&line);
    ck_assert_str_eq(shown(), "|ab");
}

TEST(characters_words_and_both_ends_can_be_taken_away)
{
    line_edit_set(&line, "goto project  q");
    line_edit_erase(&line);
    ck_assert_str_eq(shown(), "goto project  |");
    line_edit_erase_word(&line);
    ck_assert_str_eq(shown(), "goto |");
    line_edit_left(&line);
    line_edit_left(&line);
    line_edit_erase_after(&line);
    ck_assert_str_eq(shown(), "got| ");
    line_edit_set(&line, "left right");
    for (int i = 0; i < 6; i++)
        line_edit_left(&line);
    line_edit_erase_to_start(&line);
    ck_assert_str_eq(shown(), "| right");
    line_edit_right(&line);
    line_edit_right(&line);
    line_edit_erase_to_end(&line);
    ck_assert_str_eq(shown(), " r|");
}

TEST(a_wide_character_and_one_with_marks_are_one_step)
{
    line_edit_set(&line, "\uadf8e\u0301\ucc45"); // a Korean syllable, e with an accent, another
    line_edit_left(&line);
    ck_assert_str_eq(shown(), "\uadf8e\u0301|\ucc45");
    line_edit_left(&line);
    ck_assert_str_eq(shown(), "\uadf8|e\u0301\ucc45");
    line_edit_erase_after(&line);
    ck_assert_str_eq(shown(), "\uadf8|\ucc45");
    line_edit_right(&line);
    line_edit_erase(&line);
    ck_assert_str_eq(shown(), "\uadf8|");
}

TEST(what_does_not_fit_is_not_taken_and_no_character_is_cut)
{
    char text[LINE_EDIT_ROOM + 1];
    memset(text, 'a', sizeof text);
    text[LINE_EDIT_ROOM - 2] = '\0';
    line_edit_set(&line, text);
    ck_assert_uint_eq(line.cursor, LINE_EDIT_ROOM - 2);
    line_edit_insert(&line, "\u00e9"); // two bytes, one is free
    ck_assert_uint_eq(strlen(line.text), LINE_EDIT_ROOM - 2);
    line_edit_insert(&line, "b");
    line_edit_insert(&line, "c");
    ck_assert_uint_eq(strlen(line.text), LINE_EDIT_ROOM - 1);
    ck_assert_int_eq(line.text[LINE_EDIT_ROOM - 2], 'b');
    strcpy(text + LINE_EDIT_ROOM - 2, "\u00e9");
    line_edit_set(&line, text);
    ck_assert_uint_eq(strlen(line.text), LINE_EDIT_ROOM - 2);
}

TEST(a_line_is_remembered_once_the_newest_last)
{
    static History history;
    ck_assert_ptr_null(history_line(&history, 1));
    history_add(&history, "first");
    history_add(&history, "goto score");
    history_add(&history, "first");
    history_add(&history, "");
    ck_assert_int_eq(history.count, 2);
    ck_assert_str_eq(history_line(&history, 1), "first");
    ck_assert_str_eq(history_line(&history, 2), "goto score");
    ck_assert_ptr_null(history_line(&history, 3));
    ck_assert_ptr_null(history_line(&history, 0));
}

TEST(of_too_many_lines_the_oldest_are_forgotten)
{
    static History history;
    char text[LINE_EDIT_ROOM + 1];
    for (int i = 0; i < HISTORY_MAX + 5; i++) {
        snprintf(text, sizeof text, "pick %d", i);
        history_add(&history, text);
    }
    ck_assert_int_eq(history.count, HISTORY_MAX);
    ck_assert_str_eq(history_line(&history, HISTORY_MAX), "pick 5");
    ck_assert_str_eq(history_line(&history, 1), "pick 204");
    memset(text, 'a', sizeof text);
    text[LINE_EDIT_ROOM] = '\0';
    history_add(&history, text);
    ck_assert_str_eq(history_line(&history, 1), "pick 204");
}

SUITE("text")
