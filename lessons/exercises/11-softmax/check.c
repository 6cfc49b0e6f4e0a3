// Tests the learner's softmax.
#include "grade.h"

#include <math.h>

// With as many queries as keys, with more and with fewer: code that confuses the two passes some of these.
START_TEST(every_weight_is_its_exp_divided_by_the_sum_of_its_row)
{
    static const unsigned lengths[] = {GRADE_PLAIN, GRADE_CROSS, GRADE_MORE_KEYS};
    for (int i = 0; i < 3; i++) {
        GradeCase *drawn = grade_draw(lengths[i]);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

START_TEST(rows_sum_to_1)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL);
    grade_ask(drawn);
    const Tensor *weights = grade_result(drawn);
    for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
        for (ptrdiff_t i = 0; i < weights->shape[2]; i++) {
            double sum = 0.0;
            for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
                sum += (double)*tensor_at4(weights, 0, h, i, j);
            grade_expect_number(drawn, 1.0, sum, 1e-5, "weights[0, %td, %td, :].sum()", h, i);
        }
    grade_expect_right(drawn);
}
END_TEST

START_TEST(masked_keys_get_exactly_0)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_PADDING);
    grade_ask(drawn);
    const Tensor *weights = grade_result(drawn), *scores = &drawn->given.in[0];
    ptrdiff_t b = weights->shape[0] > 1,
              h = weights->shape[1] > 1; // the second, if there is one
    for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
        for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
            if (*tensor_at4(scores, b, h, i, j) == -INFINITY)
                grade_expect_number(drawn, 0.0, (double)*tensor_at4(weights, b, h, i, j), 0.0,
                                    "weights[%td, %td, %td, %td]", b, h, i, j);
    grade_expect_right(drawn);
}
END_TEST

// Few rows have only scores far below 0: four draws contain some.
START_TEST(large_scores_do_not_overflow)
{
    for (int i = 0; i < 4; i++) {
        GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_LARGE);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, every_weight_is_its_exp_divided_by_the_sum_of_its_row,
               "가중치는 지수 함수의 결과를 그 행의 합으로 나눈 것입니다");
    grade_test(suite, 1, rows_sum_to_1, "행마다 더하면 1입니다");
    grade_test(suite, 1, masked_keys_get_exactly_0, "가려진 키의 가중치는 정확히 0입니다");
    grade_test(suite, 1, large_scores_do_not_overflow, "점수가 커도 오버플로가 나지 않습니다");
}

const GradeExercise grade_softmax = {.name = "softmax",
                                     .stage = "softmax",
                                     .output = -1,
                                     .in = {"scores"},
                                     .out = {"weights"},
                                     .tests = tests};
