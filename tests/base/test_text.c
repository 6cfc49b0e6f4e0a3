// Text for people: the word that was meant, and names too long to be shown. Distances are counted by hand in
// the comments.
#include "shown_name.h"

#include "suite.h"
#include "utf8.h"

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

SUITE("text")
