// Tests the learner's score.
#include "grade.h"

START_TEST(every_score_is_the_dot_product_of_its_query_and_its_key)
{
    GradeCase *drawn = grade_draw(GRADE_PLAIN);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(queries_and_keys_may_differ_in_number)
{
    for (int fewer = 0; fewer < 2; fewer++) {
        GradeCase *drawn = grade_draw(fewer ? GRADE_MORE_KEYS : GRADE_CROSS);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, every_score_is_the_dot_product_of_its_query_and_its_key,
               "점수 하나하나가 쿼리와 키의 내적입니다");
    grade_test(suite, 2, queries_and_keys_may_differ_in_number, "쿼리와 키의 수가 달라도 됩니다");
}

const GradeExercise grade_score = {.name = "score",
                                   .stage = "score",
                                   .output = -1,
                                   .in = {"q", "k"},
                                   .out = {"scores"},
                                   .tests = tests};
