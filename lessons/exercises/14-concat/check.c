// Tests the learner's concat.
#include "grade.h"

START_TEST(the_heads_of_a_token_are_side_by_side)
{
    GradeCase *drawn = grade_draw(GRADE_PLAIN);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(there_may_be_more_queries_than_keys)
{
    GradeCase *drawn = grade_draw(GRADE_CROSS);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, the_heads_of_a_token_are_side_by_side,
               "토큰마다 헤드의 결과가 나란히 놓입니다");
    grade_test(suite, 2, there_may_be_more_queries_than_keys, "쿼리가 키보다 많아도 됩니다");
}

const GradeExercise grade_concat = {.name = "concat",
                                    .stage = "concat",
                                    .output = 1,
                                    .in = {"context_heads"},
                                    .out = {NULL, "context_concat"},
                                    .tests = tests};
