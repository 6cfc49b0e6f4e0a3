// Tests the learner's scale.
#include "grade.h"

#include <math.h>

// With as many queries as keys, with more and with fewer: code that confuses the two passes some of these.
START_TEST(every_score_is_divided_by_the_square_root_of_the_head_width)
{
    static const unsigned lengths[] = {GRADE_PLAIN, GRADE_CROSS, GRADE_MORE_KEYS};
    for (int i = 0; i < 3; i++) {
        GradeCase *drawn = grade_draw(lengths[i]);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

START_TEST(minus_infinity_stays_minus_infinity)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_MASK_FIRST);
    grade_ask(drawn);
    const Tensor *scaled = grade_result(drawn), *scores = &drawn->given.in[0];
    for (ptrdiff_t i = 0; i < scaled->shape[2]; i++)
        for (ptrdiff_t j = 0; j < scaled->shape[3]; j++)
            if (*tensor_at4(scores, 0, 0, i, j) == -INFINITY)
                grade_expect_number(drawn, -INFINITY, (double)*tensor_at4(scaled, 0, 0, i, j), 0.0,
                                    "scores_scaled[0, 0, %td, %td]", i, j);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, every_score_is_divided_by_the_square_root_of_the_head_width,
               "모든 점수를 d_k의 제곱근으로 나눕니다");
    grade_test(suite, 2, minus_infinity_stays_minus_infinity, "-inf는 나누어도 -inf입니다");
}

const GradeExercise grade_scale = {.name = "scale",
                                   .stage = "scale",
                                   .output = -1,
                                   .in = {"scores"},
                                   .out = {"scores_scaled"},
                                   .takes = GRADE_TAKES_D_K,
                                   .tests = tests};
