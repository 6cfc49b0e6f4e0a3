// Tests the learner's weighted_sum_backward.
#include "grade.h"

START_TEST(the_gradient_of_a_weight_is_a_dot_product_with_its_value)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(queries_and_keys_may_differ_in_number)
{
    for (int fewer = 0; fewer < 2; fewer++) {
        GradeCase *drawn = grade_draw(GRADE_BACKWARD | (fewer ? GRADE_MORE_KEYS : GRADE_CROSS));
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, the_gradient_of_a_weight_is_a_dot_product_with_its_value,
               "가중치의 기울기는 그 밸류 벡터가 손실을 얼마나 바꾸는지입니다");
    grade_test(suite, 2, queries_and_keys_may_differ_in_number, "쿼리와 키의 수가 달라도 됩니다");
}

const GradeExercise grade_weighted_sum_backward = {.name = "weighted-sum-backward",
                                                   .stage = "weighted_sum_backward",
                                                   .output = -1,
                                                   .in = {"grad_context", "v"},
                                                   .out = {"grad_weights"},
                                                   .tests = tests};
