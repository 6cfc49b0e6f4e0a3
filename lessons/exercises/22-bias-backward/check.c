// Tests the learner's bias_backward.
#include "grade.h"

START_TEST(every_row_got_the_bias_so_every_row_counts)
{
    GradeCase *drawn = grade_draw_call(GRADE_BACKWARD | GRADE_BIAS, "v");
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(the_last_layer_has_a_bias_too)
{
    GradeCase *drawn = grade_draw_call(GRADE_BACKWARD | GRADE_BIAS | GRADE_CROSS, "out");
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, every_row_got_the_bias_so_every_row_counts,
               "편향은 모든 행에 더해졌으므로 모든 행을 셉니다");
    grade_test(suite, 2, the_last_layer_has_a_bias_too, "마지막 층에도 편향이 있습니다");
}

const GradeExercise grade_bias_backward = {.name = "bias-backward",
                                           .stage = "linear_backward_bias",
                                           .output = -1,
                                           .in = {"grad_out"},
                                           .out = {"grad_bias"},
                                           .tests = tests};
