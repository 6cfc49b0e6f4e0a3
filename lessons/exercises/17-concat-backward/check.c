// Tests the learner's concat_backward.
#include "grade.h"

START_TEST(every_head_gets_its_own_columns_back)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

// With a contiguous input, and with one that is not contiguous.
START_TEST(no_number_moves)
{
    for (int strided = 0; strided < 2; strided++) {
        GradeCase *drawn = grade_draw(GRADE_BACKWARD | (strided ? GRADE_STRIDED : GRADE_PLAIN));
        grade_ask(drawn);
        grade_expect_view(drawn);
    }
}
END_TEST

START_TEST(there_may_be_more_queries_than_keys)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD | GRADE_CROSS);
    grade_ask(drawn);
    grade_expect_view(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, every_head_gets_its_own_columns_back,
               "헤드마다 자기 열의 기울기를 돌려받습니다");
    grade_test(suite, 1, no_number_moves, "숫자는 하나도 움직이지 않습니다");
    grade_test(suite, 1, there_may_be_more_queries_than_keys, "쿼리가 키보다 많아도 됩니다");
}

const GradeExercise grade_concat_backward = {.name = "concat-backward",
                                             .stage = "concat_backward",
                                             .output = 1,
                                             .in = {"grad_concat"},
                                             .out = {NULL, "grad_heads"},
                                             .takes = GRADE_TAKES_HEADS,
                                             .tests = tests};
