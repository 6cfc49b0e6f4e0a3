// Prose: Markdown becomes lines that fit, in English and Korean, with and without a prefix.
#include "prose.h"

#include "suite.h"

#include <stdio.h>

static const char *printed(const char *markdown, const char *prefix, int columns)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof text, "w");
    prose_print(markdown, prefix, columns, out);
    fclose(out);
    return text;
}

START_TEST(paragraphs_are_broken_at_spaces)
{
    ck_assert_str_eq(printed("one two\nthree four", "", 9), "one two\nthree\nfour\n");
    ck_assert_str_eq(printed("one two\n\nthree", "", 80), "one two\n\nthree\n");
    ck_assert_str_eq(printed("averylongword a", "", 5), "averylongword\na\n");
}
END_TEST

START_TEST(a_prefix_counts_and_leaves_no_space_behind)
{
    ck_assert_str_eq(printed("one two\n\nthree", "// ", 9), "// one\n// two\n//\n// three\n");
}
END_TEST

START_TEST(items_hang)
{
    ck_assert_str_eq(printed("Do:\n- one two\n- three", "", 7), "Do:\n- one\n  two\n- three\n");
    ck_assert_str_eq(printed("10. one two", "", 8), "10. one\n    two\n");
}
END_TEST

START_TEST(code_stays_as_it_is)
{
    ck_assert_str_eq(printed("So:\n\n```c\nint  a;\n\n  b\n```\nend", "", 7),
                     "So:\n\n    int  a;\n\n      b\nend\n");
}
END_TEST

START_TEST(emphasis_is_left_out_and_a_product_is_not)
{
    ck_assert_str_eq(printed("a **b c** `d*e` f * g", "", 80), "a b c `d*e` f * g\n");
}
END_TEST

// Each syllable takes two columns.
START_TEST(korean_counts_two_columns)
{
    ck_assert_str_eq(printed("점수를 나눕니다", "", 14), "점수를\n나눕니다\n");
    ck_assert_str_eq(printed("점수를 나눕니다", "", 15), "점수를 나눕니다\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("prose");
    TCase *tests = tcase_create("prose");
    tcase_add_test(tests, paragraphs_are_broken_at_spaces);
    tcase_add_test(tests, a_prefix_counts_and_leaves_no_space_behind);
    tcase_add_test(tests, items_hang);
    tcase_add_test(tests, code_stays_as_it_is);
    tcase_add_test(tests, emphasis_is_left_out_and_a_product_is_not);
    tcase_add_test(tests, korean_counts_two_columns);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
