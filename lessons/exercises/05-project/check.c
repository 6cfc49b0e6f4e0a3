// Tests the learner's project.
#include "grade.h"

START_TEST(every_number_is_the_dot_product_of_a_token_and_a_row_of_the_weight)
{
    GradeCase *drawn = grade_draw(GRADE_PLAIN);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(a_square_weight_is_read_by_rows_too)
{
    GradeCase *drawn = grade_draw(GRADE_SQUARE);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(the_bias_is_added_once)
{
    GradeCase *drawn = grade_draw(GRADE_BIAS);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, every_number_is_the_dot_product_of_a_token_and_a_row_of_the_weight,
               "숫자 하나하나가 토큰과 weight의 한 행의 내적입니다");
    grade_test(suite, 1, a_square_weight_is_read_by_rows_too,
               "정사각형 weight도 행 단위로 읽습니다");
    grade_test(suite, 2, the_bias_is_added_once, "편향(bias)을 한 번 더합니다");
}

const GradeExercise grade_project = {.name = "project",
                                     .stage = "project",
                                     .output = -1,
                                     .in = {"x", "weight", "bias"},
                                     .out = {"out"},
                                     .tests = tests};
