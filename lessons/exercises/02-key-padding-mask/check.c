// Tests the learner's key_padding_mask.
#include "grade.h"

START_TEST(padding_is_1_and_tokens_are_0)
{
    GradeCase *drawn = grade_draw(GRADE_PADDING);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(a_batch_without_padding_has_no_1)
{
    GradeCase *drawn = grade_draw(GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, padding_is_1_and_tokens_are_0, "패딩은 1, 토큰은 0입니다");
    grade_test(suite, 2, a_batch_without_padding_has_no_1, "패딩이 없는 배치에는 1이 없습니다");
}

const GradeExercise grade_key_padding_mask = {.name = "key-padding-mask",
                                              .stage = "pad",
                                              .output = 1,
                                              .in = {NULL, "lengths"},
                                              .out = {NULL, "mask"},
                                              .tests = tests};
