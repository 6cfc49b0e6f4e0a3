// Tests the learner's project_backward.
#include "grade.h"

START_TEST(every_token_of_every_sequence_adds_to_the_gradient)
{
    GradeCase *drawn = grade_draw_call(GRADE_BACKWARD, "q");
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(a_square_weight_has_rows_for_outputs_too)
{
    GradeCase *drawn = grade_draw_call(GRADE_BACKWARD | GRADE_SQUARE, "q");
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(the_value_layer_learns_too)
{
    GradeCase *drawn = grade_draw_call(GRADE_BACKWARD | GRADE_CAUSAL, "v");
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, every_token_of_every_sequence_adds_to_the_gradient,
               "모든 문장의 모든 토큰이 기울기에 더해집니다");
    grade_test(suite, 1, a_square_weight_has_rows_for_outputs_too,
               "정사각형 weight도 행이 출력입니다");
    grade_test(suite, 2, the_value_layer_learns_too, "밸류 벡터를 만드는 층도 배웁니다");
}

const GradeExercise grade_project_backward = {.name = "project-backward",
                                              .stage = "linear_backward_weight",
                                              .output = -1,
                                              .in = {"grad_out", "x"},
                                              .out = {"grad_weight"},
                                              .tests = tests};
