// Tests the learner's view.
#include "grade.h"

START_TEST(each_head_gets_neighbouring_columns)
{
    GradeCase *drawn = grade_draw(GRADE_PLAIN);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

// With a contiguous input, and with one that is not contiguous.
START_TEST(a_view_shares_its_storage_and_no_number_moves)
{
    for (int strided = 0; strided < 2; strided++) {
        GradeCase *drawn = grade_draw(strided ? GRADE_STRIDED : GRADE_PLAIN);
        grade_ask(drawn);
        grade_expect_view(drawn);
    }
}
END_TEST

START_TEST(heads_of_v_may_have_a_different_width)
{
    GradeCase *drawn = grade_draw_call(GRADE_PLAIN, "v");
    grade_ask(drawn);
    grade_expect_view(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, each_head_gets_neighbouring_columns, "헤드마다 이어진 열들을 차지합니다");
    grade_test(suite, 1, a_view_shares_its_storage_and_no_number_moves,
               "view는 저장 공간을 그대로 함께 씁니다. 숫자는 움직이지 않습니다");
    grade_test(suite, 1, heads_of_v_may_have_a_different_width, "v는 헤드의 차원이 다릅니다");
}

const GradeExercise grade_view = {.name = "view",
                                  .stage = "view",
                                  .output = -1,
                                  .in = {"q"},
                                  .out = {"q_view"},
                                  .takes = GRADE_TAKES_HEADS,
                                  .tests = tests};
