// Prose: Markdown becomes lines that fit, in English and Korean, with and without a prefix.
#include "shown_name.h"

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

TEST(paragraphs_are_broken_at_spaces)
{
    ck_assert_str_eq(printed("one two\nthree four", "", 9), "one two\nthree\nfour\n");
    ck_assert_str_eq(printed("one two\n\nthree", "", 80), "one two\n\nthree\n");
    ck_assert_str_eq(printed("averylongword a", "", 5), "averylongword\na\n");
}

TEST(a_prefix_counts_and_leaves_no_space_behind)
{
    ck_assert_str_eq(printed("one two\n\nthree", "// ", 9), "// one\n// two\n//\n// three\n");
}

TEST(items_hang)
{
    ck_assert_str_eq(printed("Do:\n- one two\n- three", "", 7), "Do:\n- one\n  two\n- three\n");
    ck_assert_str_eq(printed("10. one two", "", 8), "10. one\n    two\n");
}

TEST(code_stays_as_it_is)
{
    ck_assert_str_eq(printed("So:\n\n```c\nint  a;\n\n  b\n```\nend", "", 7),
                     "So:\n\n    int  a;\n\n      b\nend\n");
}

TEST(emphasis_is_left_out_and_a_product_is_not)
{
    ck_assert_str_eq(printed("a **b c** `d*e` f * g", "", 80), "a b c `d*e` f * g\n");
}

// Each syllable takes two columns.
TEST(korean_counts_two_columns)
{
    ck_assert_str_eq(printed("점수를 나눕니다", "", 14), "점수를\n나눕니다\n");
    ck_assert_str_eq(printed("점수를 나눕니다", "", 15), "점수를 나눕니다\n");
}

SUITE("prose")
