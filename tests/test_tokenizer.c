// A model's own tokenizer: the ids of a text, and files that are none. Ids are worked out by hand from
// the rules: the longest piece from the left (WordPiece), the pair that stands first in merges.txt
// (pairs of bytes).
#include "suite.h"
#include "tokenizer.h"

#include <string.h>

static Arena arena;

// --- WordPiece: BERT's model of the tests, whose vocab.txt has a token a line from 0:
//  0 [PAD]  1 [UNK]  2 [CLS]  3 [SEP]  4 [MASK]  5 the  6 un  7 ##aff  8 ##able  9 she  10 gave  11 him
//  12 a  13 book  14 ##s  15 .  16 ,  17 !  18 cafe  19 U+4E2D  20 U+1100  21 ##U+1161  22 U+BB38  23 '

static Tokenizer *of_words(const char *vocabulary, TokenizerCase letters)
{
    Error err = {.text = ""};
    const TokenizerBytes file = {(const unsigned char *)vocabulary, strlen(vocabulary)};
    Tokenizer *tokenizer = tokenizer_wordpiece(&file, "vocab.txt", letters, &arena, &err);
    ck_assert_msg(tokenizer != NULL, "%s", err.text);
    return tokenizer;
}

// BERT's words of the tests, for a tokenizer that leaves letters as they are.
static Tokenizer *open_cased(void)
{
    return of_words(
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nun\n##aff\n##able\nshe\ngave\nhim\na\n"
        "book\n##s\n.\n,\n!\ncafe\n\u4e2d\n\u1100\n##\u1161\n\ubb38\n'\n",
        TOKENIZER_CASED);
}

static Tokenizer *open_file(const char *path)
{
    Error err = {.text = ""};
    Tokenizer *tokenizer = tokenizer_open(test_file(path), &arena, &err);
    ck_assert_msg(tokenizer != NULL, "%s", err.text);
    return tokenizer;
}

static void check(const Tokenizer *tokenizer, const char *text, const int64_t want[], size_t count)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    ck_assert_msg(tokenizer_ids(tokenizer, text, NULL, &arena, &ids, &err), "%s: %s", text,
                  err.text);
    ck_assert_msg(ids.count == count, "%s: %zu tokens and not %zu", text, ids.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(ids.ids[i] == want[i], "%s: token %zu is %lld and not %lld", text, i,
                      (long long)ids.ids[i], (long long)want[i]);
}

#define CHECK(tokenizer, text, ...) \
    check(tokenizer, text, (const int64_t[]){__VA_ARGS__}, \
          sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

START_TEST(a_word_is_the_longest_pieces_from_the_left)
{
    Tokenizer *bert = open_file("golden/models/bert/vocab.txt");
    CHECK(bert, "She gave him books.", 2, 9, 10, 11, 13, 14, 15, 3);
    CHECK(bert, "unaffable", 2, 6, 7, 8, 3);
    CHECK(bert, "unaffably", 2, 1, 3); // un, ##aff, and nothing for "ably": the whole word
    CHECK(bert, "a\tbook\n,  the", 2, 12, 13, 16, 5, 3);
    CHECK(bert, "the [MASK]!", 2, 5, 4, 17, 3);          // stands for itself
    CHECK(bert, "the[MASK][mask]", 2, 5, 4, 1, 1, 1, 3); // small: [, mask and ] are no tokens
    arena_finish(&arena);
}
END_TEST

START_TEST(letters_become_small_and_lose_their_accents)
{
    Tokenizer *bert = open_file("golden/models/bert/vocab.txt");
    CHECK(bert, "CAF\u00c9", 2, 18, 3);
    CHECK(bert, "cafe\u0301 \u00dcN", 2, 18, 6, 3); // the accent may stand apart
    CHECK(bert, "th\u200be\001", 2, 5, 3);          // what controls is dropped
    CHECK(bert, "the\u00a0book\u3000a", 2, 5, 13, 12, 3);
    CHECK(bert, "she's", 2, 9, 23, 1, 3); // she ' s; s alone is no token
    bert = open_cased();
    CHECK(bert, "She she caf\u00e9", 2, 1, 9, 1, 3);
    arena_finish(&arena);
}
END_TEST

// A Chinese character is a word of its own. A Korean syllable comes apart into its letters where accents
// are taken away, as in bert-base-uncased: U+AC00 into U+1100 U+1161; U+BB38 into three that the
// vocabulary lacks, though it has U+BB38 itself.
START_TEST(other_scripts)
{
    Tokenizer *bert = open_file("golden/models/bert/vocab.txt");
    CHECK(bert, "the\u4e2da\u4e2d", 2, 5, 19, 12, 19, 3);
    CHECK(bert, "\uac00 \ubb38", 2, 20, 21, 1, 3);
    bert = open_cased();
    CHECK(bert, "\ubb38", 2, 22, 3);
    arena_finish(&arena);
}
END_TEST

static const char *of_letters(size_t count)
{
    static char text[4096];
    memset(text, 'a', count);
    text[count] = '\0';
    return text;
}

START_TEST(a_word_of_more_than_100_characters_is_unknown)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    Tokenizer *it = of_words("[UNK]\na\n##a\n", TOKENIZER_CASE_GUESSED);
    ck_assert(tokenizer_ids(it, of_letters(100), NULL, &arena, &ids, &err) && ids.count == 100);
    ck_assert(ids.ids[0] == 1 && ids.ids[99] == 2);
    CHECK(it, of_letters(101), 0);
    arena_finish(&arena);
}
END_TEST

// --- pairs of bytes: GPT-2's model of the tests. merges.txt has, in this order: l o, lo w, e r, G low,
// n e, G ne, EC 95, EC95 88, ' s; G is a blank (U+0120), and EC 95 88 are the bytes of U+C548.
//  0 l  1 o  2 w  3 e  4 r  5 G  6 n  7 lo  8 low  9 er  10 Glow  11 ne  12 Gne  13 new  14 's  15 !
//  16 s  17 '  18 EC  19 95  20 88  21 EC9588  22 EC95  23 <|endoftext|>

START_TEST(pairs_are_merged_in_their_order)
{
    Tokenizer *gpt2 = open_file("golden/models/gpt2/merges.txt");
    // G l o w e r -> G lo w e r -> G low e r -> G low er (e r stands before G low) -> Glow er
    CHECK(gpt2, "low lower", 8, 10, 9);
    // G n e w -> G ne w -> Gne w: there is no line for ne w, so that the token new is never made
    CHECK(gpt2, "new new", 11, 2, 12, 2);
    CHECK(gpt2, "ol", 1, 0);
    CHECK(gpt2, "lowlow", 8, 8); // l o l o w ...: both pairs at once
    arena_finish(&arena);
}
END_TEST

START_TEST(texts_are_cut_before_words_and_marks)
{
    Tokenizer *gpt2 = open_file("golden/models/gpt2/merges.txt");
    CHECK(gpt2, "low's!", 8, 14, 15);
    CHECK(gpt2, "low  low", 8, 5, 10); // of two blanks the last one goes with the word
    CHECK(gpt2, "low ", 8, 5);
    CHECK(gpt2, "low<|endoftext|>low", 8, 23, 8);
    CHECK(gpt2, "\uc548 \uc548", 21, 5, 21);
    arena_finish(&arena);
}
END_TEST

START_TEST(tokens_are_shown_as_what_they_stand_for)
{
    enum { ROWS = 25 };
    Error err;
    Tokenizer *gpt2 = open_file("golden/models/gpt2/vocab.json");
    const char **shown = tokenizer_shown(gpt2, ROWS, &arena, &err);
    ck_assert_str_eq(shown[10], "\u00b7low");
    ck_assert_str_eq(shown[21], "\uc548");
    ck_assert_str_eq(shown[22], "<ec><95>"); // no whole character
    ck_assert_str_eq(shown[23], "<|endoftext|>");
    ck_assert_str_eq(shown[24], "<24>");
    arena_finish(&arena);
}
END_TEST

// --- files that are none

static void refuse_wordpiece(const char *vocabulary, size_t length, const char *says)
{
    Error err = {.text = ""};
    const TokenizerBytes file = {(const unsigned char *)vocabulary, length};
    Tokenizer *it = tokenizer_wordpiece(&file, "vocab.txt", TOKENIZER_CASED, &arena, &err);
    ck_assert_msg(!it && strstr(err.text, says), "%s", err.text);
}

START_TEST(vocabularies_that_are_none)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    refuse_wordpiece("", 0, "there is no token in it");
    refuse_wordpiece("a\nb\na\n", 6, "'a' stands there twice");
    refuse_wordpiece("a\n\nb\n", 5, "line 2 is empty");
    refuse_wordpiece("a\n\xff\n", 4, "is not UTF-8");
    refuse_wordpiece("a\0b\n", 4, "is not UTF-8");
    Tokenizer *bare = of_words("a", TOKENIZER_CASE_GUESSED);
    ck_assert(!tokenizer_ids(bare, "b", NULL, &arena, &ids, &err));
    ck_assert_msg(strstr(err.text, "has no token like [UNK]"), "%s", err.text);
    ck_assert(!tokenizer_ids(bare, " \t", NULL, &arena, &ids, &err));
    ck_assert(!tokenizer_ids(bare, "\xc3", NULL, &arena, &ids, &err));
    CHECK(bare, "a A", 0, 0);
    arena_finish(&arena);
}
END_TEST

static Tokenizer *pairs(const char *json, const char *merges, Error *err)
{
    return tokenizer_byte_pairs(&(TokenizerBytes){(const unsigned char *)json, strlen(json)},
                                &(TokenizerBytes){(const unsigned char *)merges, strlen(merges)},
                                "merges.txt", &arena, err);
}

static void refuse_pairs(const char *json, const char *merges, const char *says)
{
    Error err = {.text = ""};
    Tokenizer *it = pairs(json, merges, &err);
    ck_assert_msg(!it && strstr(err.text, says), "%s", err.text);
}

START_TEST(pairs_that_are_none)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    refuse_pairs("[1]", "", "is no JSON object");
    refuse_pairs("{", "", "is no JSON object");
    refuse_pairs("{}", "", "there is no token in it");
    refuse_pairs("{\"a\": -1}", "", "gives 'a' no whole number");
    refuse_pairs("{\"a\": 1e9}", "", "gives 'a' no whole number");
    refuse_pairs("{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b\nab\n", "line 2 is not two pieces");
    refuse_pairs("{\"a\": 0}", "a b c", "line 1 is not two pieces");
    refuse_pairs("{\"a\": 0}", "\xff", "is not UTF-8");
    refuse_pairs("{\"a\": 0, \"b\": 1}", "a b\n", "lacks the token 'ab'");
    Tokenizer *it = pairs("{\"a\": 0}", "", &err);
    ck_assert(it && !tokenizer_ids(it, "ab", NULL, &arena, &ids, &err));
    ck_assert_msg(strstr(err.text, "lacks the token 'b'"), "%s", err.text);
    ck_assert(!tokenizer_open("weights.txt", &arena, &err));
    ck_assert_msg(strstr(err.text, "a tokenizer is a file called tokenizer.json, vocab.txt"), "%s",
                  err.text);
    arena_finish(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_word_is_the_longest_pieces_from_the_left);
    tcase_add_test(all, letters_become_small_and_lose_their_accents);
    tcase_add_test(all, other_scripts);
    tcase_add_test(all, a_word_of_more_than_100_characters_is_unknown);
    tcase_add_test(all, pairs_are_merged_in_their_order);
    tcase_add_test(all, texts_are_cut_before_words_and_marks);
    tcase_add_test(all, tokens_are_shown_as_what_they_stand_for);
    tcase_add_test(all, vocabularies_that_are_none);
    tcase_add_test(all, pairs_that_are_none);
    suite_add_tcase(suite, all);
    return suite_run(suite);
}
