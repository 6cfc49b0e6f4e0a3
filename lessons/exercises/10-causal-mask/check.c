// Tests the learner's causal_mask.
#include "grade.h"

#include <math.h>

// With as many queries as keys, with more and with fewer: code that counts keys from the end is wrong if they differ.
START_TEST(keys_after_the_query_get_minus_infinity)
{
    static const unsigned lengths[] = {GRADE_PLAIN, GRADE_CROSS, GRADE_MORE_KEYS};
    for (int n = 0; n < 3; n++) {
        GradeCase *drawn = grade_draw(GRADE_CAUSAL | lengths[n]);
        grade_ask(drawn);
        const Tensor *masked = grade_result(drawn);
        for (ptrdiff_t i = 0; i < masked->shape[2]; i++)
            for (ptrdiff_t j = i + 1; j < masked->shape[3]; j++)
                grade_expect_number(drawn, -INFINITY, (double)*tensor_at4(masked, 0, 0, i, j), 0.0,
                                    "scores_masked[0, 0, %td, %td]", i, j);
        grade_expect_right(drawn);
    }
}
END_TEST

START_TEST(a_query_may_look_at_itself_and_at_earlier_keys)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL);
    grade_ask(drawn);
    const Tensor *masked = grade_result(drawn);
    for (ptrdiff_t i = 0; i < masked->shape[2]; i++)
        for (ptrdiff_t j = 0; j <= i; j++)
            grade_expect_number(drawn, (double)*tensor_at4(&drawn->given.in[0], 0, 0, i, j),
                                (double)*tensor_at4(masked, 0, 0, i, j), 0.0,
                                "scores_masked[0, 0, %td, %td]", i, j);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(large_scores_are_masked_like_small_ones)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_LARGE);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, keys_after_the_query_get_minus_infinity,
               "쿼리보다 뒤에 오는 키는 -inf가 됩니다");
    grade_test(suite, 2, a_query_may_look_at_itself_and_at_earlier_keys,
               "쿼리는 자기 자신과 앞에 나온 키를 볼 수 있습니다");
    grade_test(suite, 1, large_scores_are_masked_like_small_ones, "점수가 커도 똑같이 가립니다");
}

const GradeExercise grade_causal_mask = {.name = "causal-mask",
                                         .stage = "mask",
                                         .output = 1,
                                         .in = {"scores"},
                                         .out = {NULL, "scores_masked"},
                                         .tests = tests};
