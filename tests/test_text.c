// Text for people: the word that was meant, and names too long to be shown. Distances are counted by hand in
// the comments.
#include "nearest.h"

#include "suite.h"
#include "utf8.h"

static const char *const known[] = {"next", "previous", "score", "scale", "softmax", NULL};

START_TEST(a_misspelled_word_finds_the_one_that_was_meant)
{
    ck_assert_str_eq(nearest_word("nxet", known), "next");        // one swap
    ck_assert_str_eq(nearest_word("scoer", known), "score");      // one swap; scale: two changes
    ck_assert_str_eq(nearest_word("soft max", known), "softmax"); // one letter left out
    ck_assert_str_eq(nearest_word("prevous", known), "previous"); // one letter added
    ck_assert_str_eq(nearest_word("scale", known), "scale");
}
END_TEST

// A tensor of another role is not what somebody meant, however few letters differ.
START_TEST(a_name_is_found_only_where_every_part_is_near)
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
END_TEST

START_TEST(a_word_like_none_of_them_finds_nothing)
{
    ck_assert_ptr_null(nearest_word("banana", known));
    ck_assert_ptr_null(nearest_word("", known));
    ck_assert_ptr_null(nearest_word("s", known)); // four letters short of "score"
    static const char *const signs[] = {"@", NULL}, *const none[] = {NULL};
    ck_assert_ptr_null(nearest_word("", signs));
    ck_assert_ptr_null(nearest_word("x", signs)); // nothing in common
    ck_assert_ptr_null(nearest_word("next", none));
}
END_TEST

START_TEST(the_earlier_word_wins_a_tie)
{
    // "scare" is one change from "score" and one from "scale"
    ck_assert_str_eq(nearest_word("scare", known), "score");
}
END_TEST

START_TEST(a_very_long_word_is_no_danger)
{
    static char word[100001];
    for (int i = 0; i < 100000; i++)
        word[i] = 'a';
    ck_assert_ptr_null(nearest_word(word, known));
}
END_TEST

// A third of the columns, rounded down, is left to the end; what is two columns wide is not halved.
START_TEST(a_long_name_keeps_its_end)
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
END_TEST

int main(void)
{
    Suite *suite = suite_create("text");
    TCase *cases = tcase_create("nearest");
    tcase_add_test(cases, a_misspelled_word_finds_the_one_that_was_meant);
    tcase_add_test(cases, a_name_is_found_only_where_every_part_is_near);
    tcase_add_test(cases, a_word_like_none_of_them_finds_nothing);
    tcase_add_test(cases, the_earlier_word_wins_a_tie);
    tcase_add_test(cases, a_very_long_word_is_no_danger);
    tcase_add_test(cases, a_long_name_keeps_its_end);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
