// Tests the learner's score_backward.
#include "grade.h"

START_TEST(every_query_that_looked_at_a_key_pulls_at_it)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(queries_before_a_key_did_not_see_it)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD | GRADE_CAUSAL);
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
    grade_test(suite, 2, every_query_that_looked_at_a_key_pulls_at_it,
               "키를 본 쿼리는 모두 그 키를 끌어당깁니다");
    grade_test(suite, 2, queries_before_a_key_did_not_see_it,
               "앞에 있는 쿼리는 그 키를 보지 못했습니다");
    grade_test(suite, 1, queries_and_keys_may_differ_in_number, "쿼리와 키의 수가 달라도 됩니다");
}

const GradeExercise grade_score_backward = {.name = "score-backward",
                                            .stage = "score_backward_k",
                                            .output = -1,
                                            .in = {"grad_scores", "q"},
                                            .out = {"grad_k"},
                                            .tests = tests};
