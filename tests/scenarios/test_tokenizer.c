// A model's own tokenizer: the ids of a text, and files that are none. Ids are worked out by hand from
// the rules: the longest piece from the left (WordPiece), the pair that stands first in merges.txt
// (pairs of bytes).
#include "scenario_file.h"
#include "suite.h"
#include "tensor_file.h"
#include "tokenizer.h"
#include "trace.h"

#include <stdio.h>
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

TEST(a_word_is_the_longest_pieces_from_the_left)
{
    Tokenizer *bert = open_file("golden/models/bert/vocab.txt");
    CHECK(bert, "She gave him books.", 2, 9, 10, 11, 13, 14, 15, 3);
    CHECK(bert, "unaffable", 2, 6, 7, 8, 3);
    CHECK(bert, "unaffably", 2, 1, 3); // un, ##aff, and nothing for "ably": the whole word
    CHECK(bert, "a\tbook\n,  the", 2, 12, 13, 16, 5, 3);
    CHECK(bert, "the [MASK]!", 2, 5, 4, 17, 3);          // stands for itself
    CHECK(bert, "the[MASK][mask]", 2, 5, 4, 1, 1, 1, 3); // small: [, mask and ] are not tokens
    arena_finish(&arena);
}

TEST(letters_become_small_and_lose_their_accents)
{
    Tokenizer *bert = open_file("golden/models/bert/vocab.txt");
    CHECK(bert, "CAF\u00c9", 2, 18, 3);
    CHECK(bert, "cafe\u0301 \u00dcN", 2, 18, 6, 3); // the accent may stand apart
    CHECK(bert, "th\u200be\001", 2, 5, 3);          // what controls is dropped
    CHECK(bert, "the\u00a0book\u3000a", 2, 5, 13, 12, 3);
    CHECK(bert, "she's", 2, 9, 23, 1, 3); // she ' s; s alone is not a token
    bert = open_cased();
    CHECK(bert, "She she caf\u00e9", 2, 1, 9, 1, 3);
    arena_finish(&arena);
}

// A Chinese character is a word of its own. A Korean syllable comes apart into its letters where accents
// are taken away, as in bert-base-uncased: U+AC00 into U+1100 U+1161; U+BB38 into three that the
// vocabulary lacks, though it has U+BB38 itself.
TEST(other_scripts)
{
    Tokenizer *bert = open_file("golden/models/bert/vocab.txt");
    CHECK(bert, "the\u4e2da\u4e2d", 2, 5, 19, 12, 19, 3);
    CHECK(bert, "\uac00 \ubb38", 2, 20, 21, 1, 3);
    bert = open_cased();
    CHECK(bert, "\ubb38", 2, 22, 3);
    arena_finish(&arena);
}

static const char *of_letters(size_t count)
{
    static char text[4096];
    memset(text, 'a', count);
    text[count] = '\0';
    return text;
}

TEST(a_word_of_more_than_100_characters_is_unknown)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    Tokenizer *it = of_words("[UNK]\na\n##a\n", TOKENIZER_CASE_GUESSED);
    ck_assert(tokenizer_ids(it, of_letters(100), NULL, &arena, &ids, &err) && ids.count == 100);
    ck_assert(ids.ids[0] == 1 && ids.ids[99] == 2);
    CHECK(it, of_letters(101), 0);
    arena_finish(&arena);
}

// --- pairs of bytes: GPT-2's model of the tests. merges.txt has, in this order: l o, lo w, e r, G low,
// n e, G ne, EC 95, EC95 88, ' s; G is a blank (U+0120), and EC 95 88 are the bytes of U+C548.
//  0 l  1 o  2 w  3 e  4 r  5 G  6 n  7 lo  8 low  9 er  10 Glow  11 ne  12 Gne  13 new  14 's  15 !
//  16 s  17 '  18 EC  19 95  20 88  21 EC9588  22 EC95  23 <|endoftext|>

TEST(pairs_are_merged_in_their_order)
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

TEST(texts_are_cut_before_words_and_marks)
{
    Tokenizer *gpt2 = open_file("golden/models/gpt2/merges.txt");
    CHECK(gpt2, "low's!", 8, 14, 15);
    CHECK(gpt2, "low  low", 8, 5, 10); // of two blanks the last one goes with the word
    CHECK(gpt2, "low ", 8, 5);
    CHECK(gpt2, "low<|endoftext|>low", 8, 23, 8);
    CHECK(gpt2, "\uc548 \uc548", 21, 5, 21);
    arena_finish(&arena);
}

TEST(tokens_are_shown_as_what_they_stand_for)
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

// --- files that are none

static void refuse_wordpiece(const char *vocabulary, size_t length, const char *says)
{
    Error err = {.text = ""};
    const TokenizerBytes file = {(const unsigned char *)vocabulary, length};
    Tokenizer *it = tokenizer_wordpiece(&file, "vocab.txt", TOKENIZER_CASED, &arena, &err);
    ck_assert_msg(!it && strstr(err.text, says), "%s", err.text);
}

TEST(vocabularies_that_are_none)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    refuse_wordpiece("", 0, "no tokens");
    refuse_wordpiece("a\nb\na\n", 6, "'a' appears twice");
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

TEST(pairs_that_are_none)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    refuse_pairs("[1]", "", "is not a JSON object");
    refuse_pairs("{", "", "is not a JSON object");
    refuse_pairs("{}", "", "no tokens");
    refuse_pairs("{\"a\": -1}", "", "id of 'a' is not a whole number");
    refuse_pairs("{\"a\": 1e9}", "", "id of 'a' is not a whole number");
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

// --- a vocabulary that says how letters are to be read

TEST(korean_words_are_read_as_their_vocabulary_has_them)
{
    // Capital letters: nothing is changed. In a vocabulary without, they become small, but a syllable
    // comes apart only where the vocabulary has its letters apart.
    Tokenizer *cased =
        of_words("[UNK]\n[CLS]\n[SEP]\n\ud55c\uad6d\n##\uc5b4\nBERT\n", TOKENIZER_CASE_GUESSED);
    CHECK(cased, "\ud55c\uad6d\uc5b4 BERT bert", 1, 3, 4, 5, 0, 2);
    Tokenizer *lower =
        of_words("[UNK]\n[CLS]\n[SEP]\n\ud55c\uad6d\n##\uc5b4\nbert\n", TOKENIZER_CASE_GUESSED);
    CHECK(lower, "\ud55c\uad6d\uc5b4 BERT", 1, 3, 4, 5, 2);
    Tokenizer *apart =
        of_words("[UNK]\n\u1112\u1161\u11ab\n##\u1100\u116e\u11a8\n", TOKENIZER_CASE_GUESSED);
    CHECK(apart, "\ud55c\uad6d", 1, 2);
    Error err;
    TokenizerIds ids;
    Tokenizer *other = of_words("[UNK]\n[CLS]\n[SEP]\n\ud55c\uad6d\n", TOKENIZER_UNCASED);
    ck_assert(tokenizer_ids(other, "\ud55c\uad6d \ud55c\uad6d", NULL, &arena, &ids, &err));
    ck_assert_uint_eq(tokenizer_unknown(other, &ids), 2); // both came apart
    arena_finish(&arena);
}

// --- tokenizer.json

#define ADDED(id, text) \
    "{\"id\": " #id ", \"content\": \"" text "\", \"single_word\": false, \"lstrip\": false, " \
    "\"rstrip\": false, \"normalized\": false, \"special\": true}"

static Tokenizer *of_json(const char *json, Error *err)
{
    *err = (Error){.text = ""};
    const TokenizerBytes file = {(const unsigned char *)json, strlen(json)};
    return tokenizer_json(&file, "tokenizer.json", &arena, err);
}

static Tokenizer *read_json(const char *json)
{
    Error err;
    Tokenizer *tokenizer = of_json(json, &err);
    ck_assert_msg(tokenizer != NULL, "%s", err.text);
    return tokenizer;
}

#define BERT_MODEL \
    "\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", " \
    "\"continuing_subword_prefix\": \"##\", \"max_input_chars_per_word\": 100, \"vocab\": " \
    "{\"[UNK]\": 0, \"[CLS]\": 1, \"[SEP]\": 2, \"the\": 3, \"book\": 4, \"##s\": 5, \"a\": 6}}"
#define BERT_PARTS \
    "\"normalizer\": {\"type\": \"BertNormalizer\", \"clean_text\": true, " \
    "\"handle_chinese_chars\": true, \"strip_accents\": null, \"lowercase\": true}, " \
    "\"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, "

TEST(two_texts_have_types)
{
    Error err;
    TokenizerIds ids;
    Tokenizer *bert =
        read_json("{" BERT_PARTS "\"post_processor\": {\"type\": \"BertProcessing\", "
                  "\"sep\": [\"[SEP]\", 2], \"cls\": [\"[CLS]\", 1]}, " BERT_MODEL "}");
    CHECK(bert, "The b\u00f6oks", 1, 3, 4, 5, 2);
    ck_assert(tokenizer_ids(bert, "the books", "a", &arena, &ids, &err));
    const int64_t want[] = {1, 3, 4, 5, 2, 6, 2}, types[] = {0, 0, 0, 0, 0, 1, 1};
    ck_assert(ids.count == 7 && memcmp(ids.ids, want, sizeof want) == 0);
    ck_assert(memcmp(ids.types, types, sizeof types) == 0);

    // RoBERTa's has two ends between the texts, and no types.
    Tokenizer *roberta =
        read_json("{" BERT_PARTS "\"post_processor\": {\"type\": \"RobertaProcessing\", \"sep\": "
                  "[\"[SEP]\", 2], \"cls\": [\"[CLS]\", 1], \"trim_offsets\": true, "
                  "\"add_prefix_space\": false}, " BERT_MODEL "}");
    const int64_t ends[] = {1, 3, 2, 2, 6, 2}, none[6] = {0};
    ck_assert(tokenizer_ids(roberta, "the", "a", &arena, &ids, &err));
    ck_assert(ids.count == 6 && memcmp(ids.ids, ends, sizeof ends) == 0);
    ck_assert(memcmp(ids.types, none, sizeof none) == 0);
    arena_finish(&arena);
}

#define UNIGRAM(ab, more) \
    "{\"pre_tokenizer\": {\"type\": \"Metaspace\", \"replacement\": \"\u2581\", " \
    "\"prepend_scheme\": \"always\", \"split\": true}, \"model\": {\"type\": \"Unigram\", " \
    "\"unk_id\": 0, " more "[\"<unk>\", 0], [\"\u2581a\", -1], [\"b\", -2], [\"\u2581ab\", " ab \
    "], [\"c\", -1]"

TEST(the_pieces_with_the_largest_sum_are_taken)
{
    // _ab is -2.5, _a and b are -3 together; _ alone is not a piece, and is unknown.
    CHECK(read_json(UNIGRAM("-2.5", "\"vocab\": [") "]}}"), "ab c", 3, 0, 4);
    // -3.5 is less than -3.
    CHECK(read_json(UNIGRAM("-3.5", "\"vocab\": [") "]}}"), "ab", 1, 2);
    // Unknown characters in a row are one token, or their bytes: U+2581 is E2 96 81.
    CHECK(read_json(UNIGRAM("-3.5", "\"vocab\": [") "]}}"), "xyc", 0, 4);
    CHECK(read_json(UNIGRAM(
              "-3.5", "\"byte_fallback\": true, \"vocab\": [") ", [\"<0xE2>\", -9], "
                                                               "[\"<0x96>\", -9], [\"<0x81>\", "
                                                               "-9], [\"<0x78>\", -9]]}}"),
          "xc", 5, 6, 7, 8, 4);
    arena_finish(&arena);
}

// LLaMA's parts: _ in front and for blanks, bytes for what is not known.
TEST(blanks_and_bytes_are_tokens)
{
    Tokenizer *llama = read_json("{\"added_tokens\": [" ADDED(
        7, "<s>") "], \"normalizer\": {\"type\": \"Sequence\", "
                  "\"normalizers\": [{\"type\": \"Prepend\", \"prepend\": \"\u2581\"}, {\"type\": "
                  "\"Replace\", "
                  "\"pattern\": {\"String\": \" \"}, \"content\": \"\u2581\"}]}, "
                  "\"pre_tokenizer\": null, "
                  "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": "
                  "[{\"SpecialToken\": "
                  "{\"id\": \"<s>\", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"A\", \"type_id\": "
                  "0}}], "
                  "\"pair\": [], \"special_tokens\": {\"<s>\": {\"id\": \"<s>\", \"ids\": [7], "
                  "\"tokens\": "
                  "[\"<s>\"]}}}, \"model\": {\"type\": \"BPE\", \"unk_token\": \"<unk>\", "
                  "\"fuse_unk\": true, "
                  "\"byte_fallback\": true, \"vocab\": {\"<unk>\": 0, \"<0x0A>\": 1, \"\u2581\": "
                  "2, \"h\": 3, "
                  "\"i\": 4, \"hi\": 5, \"\u2581hi\": 6}, \"merges\": [\"h i\", [\"\u2581\", "
                  "\"hi\"]]}}");
    CHECK(llama, "hi hi", 7, 6, 6);
    CHECK(llama, "hi\n", 7, 6, 1);
    CHECK(llama, "xx", 7, 2, 0);
    CHECK(llama, "hi<s>hi", 7, 6, 7, 6);
    arena_finish(&arena);
}

#define DIGITS(cut, how) \
    "{\"pre_tokenizer\": {\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Split\", " \
    "\"pattern\": {\"Regex\": \"" cut "\"}, \"behavior\": \"" how "\", \"invert\": false}, " \
    "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"use_regex\": false}]}, \"model\": " \
    "{\"type\": \"BPE\", \"vocab\": {\"1\": 1, \"2\": 2, \"3\": 3, \"4\": 4, \"5\": 5, \"34\": " \
    "34, " \
    "\"12\": 12, \"\u0120\": 32}, \"merges\": [\"3 4\", \"1 2\"]}}"

// 3 and 4 go together, unless a cut lies between them.
TEST(regular_expressions_cut)
{
    CHECK(read_json(DIGITS("\\\\p{L}+|\\\\p{N}{1,3}", "Isolated")), "12345", 12, 3, 4, 5);
    CHECK(read_json(DIGITS("\\\\p{N}", "Contiguous")), "12345", 12, 34, 5);
    CHECK(read_json(DIGITS("[4-9]", "Removed")), "12345", 12, 3);
    CHECK(read_json(DIGITS("3", "MergedWithNext")), "123 34", 12, 3, 32, 34);
    CHECK(read_json(DIGITS("3", "MergedWithPrevious")), "134", 1, 3, 4);
    CHECK(read_json(DIGITS("(?<=3)4", "Isolated")), "1234", 12, 3, 4); // looks behind
    CHECK(read_json(DIGITS("\\\\p{Hangul}|3(?!5)", "Isolated")), "34", 3, 4);
    arena_finish(&arena);
}

// Each 3 can be matched in two ways, and no 1 follows the 5: 2 to the power of 40 ways to fail.
TEST(an_expression_cannot_run_for_ever)
{
    Error err;
    TokenizerIds ids;
    const Tokenizer *it = read_json(DIGITS("(?:3|3)*5(?=1)", "Isolated"));
    ck_assert(
        !tokenizer_ids(it, "333333333333333333333333333333333333333354", NULL, &arena, &ids, &err));
    ck_assert_msg(strstr(err.text, "takes too long"), "%s", err.text);
    arena_finish(&arena);
}

// A trie with one word, a tab (9), which leads to a blank: unit 0 goes to 1 ^ 9 = 8, unit 8 has the label
// 9 and a leaf at 8 ^ 2 = 10, and that has the place 0 in the text behind the 64 bytes of units.
#define TABLE \
    "QAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACQkAAAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAg" \
    "AA=="

TEST(normalizers_come_in_their_order)
{
    static const char model[] =
        "\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"?\", \"vocab\": "
        "{\"?\": 0, \"a b\": 1, \"xa\": 2, \"e\": 3, \"\u00e9\": 4}}}";
    static const char *const normals[][3] = {
        {"{\"type\": \"Precompiled\", \"precompiled_charsmap\": \"" TABLE "\"}", "a\tb", "1"},
        {"{\"type\": \"Replace\", \"pattern\": {\"Regex\": \" {2,}\"}, \"content\": \" \"}",
         "a   b", "1"},
        {"{\"type\": \"Lowercase\"}, {\"type\": \"Prepend\", \"prepend\": \"x\"}", "A", "2"},
        {"{\"type\": \"Strip\", \"strip_left\": true, \"strip_right\": true}, {\"type\": \"NFC\"}",
         " e\u0301\n", "4"},
        {"{\"type\": \"NFD\"}, {\"type\": \"StripAccents\"}", "\u00e9", "3"},
        {"{\"type\": \"NFKC\"}", "\uff45", "3"}, // fullwidth
    };
    for (size_t i = 0; i < sizeof normals / sizeof *normals; i++) {
        char json[1000];
        snprintf(json, sizeof json,
                 "{\"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [%s]}, %s",
                 normals[i][0], model);
        CHECK(read_json(json), normals[i][1], normals[i][2][0] - '0');
    }
    arena_finish(&arena);
}

#define WORD_MODEL \
    "\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"?\", \"vocab\": {\"?\": 0}}"

TEST(what_is_not_done_is_named)
{
    static const char *const refused[][2] = {
        {"{\"normalizer\": {\"type\": \"Odd\"}, " WORD_MODEL "}",
         "'normalizer' asks for 'type': \"Odd\""},
        {"{\"normalizer\": {\"type\": \"NFC\", \"odd\": 1}, " WORD_MODEL "}", "asks for 'odd': 1"},
        {"{\"pre_tokenizer\": {\"type\": \"UnicodeScripts\"}, " WORD_MODEL "}",
         "\"UnicodeScripts\""},
        {DIGITS("(a", "Isolated"), "asks for 'pattern': \"(a\""},
        {DIGITS("\\\\p{Hanja}", "Isolated"), "p{Hanja}"},
        {"{\"post_processor\": {\"type\": \"Odd\"}, " WORD_MODEL "}", "'post_processor' asks for"},
        {"{\"odd\": true, " WORD_MODEL "}", "asks for 'odd': true"},
        {"{\"model\": {\"type\": \"Odd\"}}", "'model' asks for 'type': \"Odd\""},
        {"{\"model\": {\"type\": \"BPE\", \"dropout\": 0.5, \"vocab\": {\"a\": 0}, \"merges\": "
         "[]}}",
         "asks for 'dropout': 0.5"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a a\"]}}",
         "lacks the token 'aa'"},
        {"{\"added_tokens\": [" ADDED(5, "?") "], " WORD_MODEL "}", "'added_tokens' asks for 'id'"},
        {"{\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": "
         "\"AAA\"}, " WORD_MODEL "}",
         "'precompiled_charsmap' is missing or does not"},
        {"{\"model\": []}", "'model' is missing or does not"},
        {"{\"model\": {\"type\": \"WordPiece\", \"continuing_subword_prefix\": \"##\"}}",
         "'unk_token' is missing or does not"},
        {"{\n \"a\": }", "tokenizer.json:2:7: this is not JSON"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Error err;
        Tokenizer *it = of_json(refused[i][0], &err);
        ck_assert_msg(!it && strstr(err.text, refused[i][1]), "%s: %s", refused[i][0], err.text);
    }
    Error err;
    TokenizerIds ids;
    Tokenizer *it = read_json("{\"truncation\": {\"max_length\": 1}, \"pre_tokenizer\": {\"type\": "
                              "\"WhitespaceSplit\"}, " WORD_MODEL "}");
    ck_assert(!tokenizer_ids(it, "a b", NULL, &arena, &ids, &err));
    ck_assert_msg(strstr(err.text, "cuts off a text after 1 tokens"), "%s", err.text);
    ck_assert(!tokenizer_open("x/tokenizer.model", &arena, &err));
    ck_assert_msg(strstr(err.text, "SentencePiece's own format"), "%s", err.text);
    arena_finish(&arena);
}

// RoBERTa's vocabulary has a token for a gap, and special tokens; GPT-2's has none.
TEST(special_tokens_are_the_model_s_own)
{
    Error err = {.text = ""};
    Tokenizer *it =
        pairs("{\"<s>\": 0, \"<pad>\": 1, \"</s>\": 2, \"<unk>\": 3, \"a\": 4, \"<mask>\": "
              "5, \"\u0120\": 6}",
              "", &err);
    ck_assert_msg(it != NULL, "%s", err.text);
    CHECK(it, "a <mask>a", 0, 4, 5, 4, 2); // which takes the blank before it
    refuse_pairs("{\"a</w>\": 0}", "", "</w>");
    arena_finish(&arena);
}

// --- in a scenario

// x is the embedding, then the type's row, then the place's: [CLS] she gave [SEP] a book [SEP] is 2 9 10 3 12
// 13 3, of which the last three belong to the second text.
TEST(types_go_into_the_embedding)
{
    static const char *const sets[] = {"weights.layers=1", "input.pair=\"a book\""};
    static const int ids[] = {2, 9, 10, 3, 12, 13, 3}, types[] = {0, 0, 0, 0, 1, 1, 1};
    enum { LENGTH = 7, WIDTH = 12 };
    const char *path = test_file("golden/models/bert/model.npz");
    ScenarioRequest request = {.what = path, .text = "she gave", .sets = sets, .set_count = 2};
    Scenario scenario;
    Trace trace;
    Tensor words, types_of, places;
    Error err = {.text = ""};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err), "%s", err.text);
    TensorFile *file = tensor_file_open(path, &arena, &err);
    ck_assert_msg(file &&
                      tensor_file_read(file, "bert.embeddings.word_embeddings.weight", &arena,
                                       &words, &err) &&
                      tensor_file_read(file, "bert.embeddings.token_type_embeddings.weight", &arena,
                                       &types_of, &err) &&
                      tensor_file_read(file, "bert.embeddings.position_embeddings.weight", &arena,
                                       &places, &err),
                  "%s", err.text);
    const Tensor *x = NULL;
    for (int i = 0; i < trace.step_count && !x; i++)
        if (strcmp(trace.steps[i].stage->name, "learned_position") == 0)
            x = &trace.tensors[trace.steps[i].writes[0]].tensor;
    ck_assert_ptr_nonnull(x);
    for (int l = 0; l < LENGTH; l++)
        for (int d = 0; d < WIDTH; d++) {
            float typed = *tensor_at2(&words, ids[l], d) + *tensor_at2(&types_of, types[l], d);
            ck_assert_float_eq(*tensor_at3(x, 0, l, d), typed + *tensor_at2(&places, l, d));
        }
    tensor_file_close(file);
    trace_close(&trace);
    scenario_finish(&scenario);
    arena_finish(&arena);
}

SUITE("tokenizer")
