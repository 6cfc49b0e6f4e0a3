// Tests the learner's transpose.
#include "grade.h"

START_TEST(each_head_has_a_row_for_every_token)
{
    GradeCase *drawn = grade_draw(GRADE_PLAIN);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

// With a contiguous input, and with one that is not contiguous.
START_TEST(a_transposed_tensor_shares_its_storage)
{
    for (int strided = 0; strided < 2; strided++) {
        GradeCase *drawn = grade_draw_call(strided ? GRADE_STRIDED : GRADE_PLAIN, "k");
        grade_ask(drawn);
        grade_expect_view(drawn);
    }
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, each_head_has_a_row_for_every_token, "헤드마다 토큰 수만큼 행이 있습니다");
    grade_test(suite, 2, a_transposed_tensor_shares_its_storage,
               "전치(transpose)한 텐서는 저장 공간을 함께 씁니다");
}

const GradeExercise grade_transpose = {.name = "transpose",
                                       .stage = "transpose",
                                       .output = -1,
                                       .in = {"q_view"},
                                       .out = {"q_heads"},
                                       .tests = tests};
