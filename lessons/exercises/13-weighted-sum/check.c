// Tests the learner's weighted_sum.
#include "grade.h"

// Also with dropout: then the weights of a row do not sum to 1.
START_TEST(every_query_gets_the_values_in_proportion_to_its_weights)
{
    for (int dropout = 0; dropout < 2; dropout++) {
        GradeCase *drawn = grade_draw(dropout ? GRADE_DROPOUT : GRADE_PLAIN);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

START_TEST(a_query_that_sees_only_one_key_gets_its_value)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL); // the first query sees the first key only
    grade_ask(drawn);
    const Tensor *context = grade_result(drawn), *v = &drawn->given.in[1];
    for (ptrdiff_t d = 0; d < v->shape[3]; d++)
        grade_expect_number(drawn, (double)*tensor_at4(v, 0, 0, 0, d),
                            (double)*tensor_at4(context, 0, 0, 0, d), 1e-6, "context[0, 0, 0, %td]",
                            d);
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
    grade_test(suite, 2, every_query_gets_the_values_in_proportion_to_its_weights,
               "쿼리마다 가중치 비율대로 밸류를 섞습니다");
    grade_test(suite, 2, a_query_that_sees_only_one_key_gets_its_value,
               "키 하나만 보는 쿼리는 그 키의 밸류를 그대로 받습니다");
    grade_test(suite, 1, queries_and_keys_may_differ_in_number, "쿼리와 키의 수가 달라도 됩니다");
}

const GradeExercise grade_weighted_sum = {.name = "weighted-sum",
                                          .stage = "weighted_sum",
                                          .output = -1,
                                          .in = {"weights", "v"},
                                          .out = {"context"},
                                          .tests = tests};
