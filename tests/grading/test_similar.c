// How alike two texts are: renaming and layout change nothing, other code does.
#include "class.h"

#include <string.h>
#include "suite.h"

static Arena arena;
static Error err;

static const char loop[] =
    "void f(const float *a, float *out, int n)\n{\n"
    "    float sum = 0;\n    for (int i = 0; i < n; i++)\n"
    "        sum += a[i] * a[i];\n    if (sum > 3)\n        out[0] = sum;\n}\n";
static const char renamed[] =
    "// mine, all of it\nvoid total(const float *values, float *answer, int length) {\n"
    "  float s = 0; /* from nothing */ for (int k = 0; k < length; k++) s += values[k]*values[k];\n"
    "  if (s > 4) answer[1] = s; }\n";
static const char other[] = "int g(int n)\n{\n    while (n > 1) {\n        switch (n % 3) {\n"
                            "        case 0:\n            n /= 2;\n            break;\n"
                            "        default:\n            return n - 1;\n        }\n    }\n"
                            "    return n ? -n : n + 2;\n}\n";

static SimilarText read_text(const char *source)
{
    SimilarText text;
    ck_assert(similar_read(&text, source, &arena, &err));
    return text;
}

START_TEST(renaming_changes_nothing)
{
    SimilarText one = read_text(loop), same = read_text(renamed);
    ck_assert_int_gt(one.count, 5);
    ck_assert_double_eq(similar_share(&one, &same), 1.0);
}
END_TEST

START_TEST(other_code_is_other)
{
    SimilarText one = read_text(loop), strange = read_text(other);
    ck_assert_double_lt(similar_share(&one, &strange), 0.1);
}
END_TEST

START_TEST(a_part_is_found_within)
{
    char both[sizeof loop + sizeof other];
    strcpy(both, other);
    strcat(both, loop);
    SimilarText one = read_text(loop), all = read_text(both);
    ck_assert_double_eq(similar_share(&one, &all), 1.0);
}
END_TEST

START_TEST(what_was_given_does_not_count)
{
    SimilarText one = read_text(loop), given = read_text(renamed);
    similar_take_out(&one, &given);
    ck_assert_int_eq(one.count, 0);
    ck_assert_double_eq(similar_share(&one, &given), 0.0);
}
END_TEST

START_TEST(a_few_tokens_have_no_fingerprint)
{
    SimilarText little = read_text("int x;"), nothing = read_text("/* never closed");
    ck_assert_int_eq(little.count, 0);
    ck_assert_int_eq(nothing.count, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("similar");
    TCase *tests = tcase_create("similar");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, renaming_changes_nothing);
    tcase_add_test(tests, other_code_is_other);
    tcase_add_test(tests, a_part_is_found_within);
    tcase_add_test(tests, what_was_given_does_not_count);
    tcase_add_test(tests, a_few_tokens_have_no_fingerprint);
    int code = suite_run(suite);
    arena_finish(&arena);
    return code;
}
