// Tests the learner's softmax_backward.
#include "grade.h"

// With as many queries as keys, with more and with fewer: code that confuses the two passes some of these.
START_TEST(what_one_weight_gains_the_others_in_its_row_lose)
{
    static const unsigned lengths[] = {GRADE_PLAIN, GRADE_CROSS, GRADE_MORE_KEYS};
    for (int i = 0; i < 3; i++) {
        GradeCase *drawn = grade_draw(GRADE_BACKWARD | lengths[i]);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

START_TEST(the_gradients_of_a_row_sum_to_0)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD | GRADE_CAUSAL);
    grade_ask(drawn);
    const Tensor *grad = grade_result(drawn), *right = grade_expected(drawn);
    for (ptrdiff_t h = 0; h < grad->shape[1]; h++)
        for (ptrdiff_t i = 0; i < grad->shape[2]; i++) {
            double sum = 0.0, size = 1.0;
            for (ptrdiff_t j = 0; j < grad->shape[3]; j++) {
                double here = (double)*tensor_at4(right, 0, h, i, j);
                sum += (double)*tensor_at4(grad, 0, h, i, j);
                size = here > size ? here : -here > size ? -here : size;
            }
            grade_expect_number(drawn, 0.0, sum, 1e-4 * size, "grad_scores[0, %td, %td, :].sum()",
                                h, i);
        }
    grade_expect_right(drawn);
}
END_TEST

START_TEST(masked_keys_have_gradient_0)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD | GRADE_CAUSAL | GRADE_PADDING);
    grade_ask(drawn);
    const Tensor *grad = grade_result(drawn), *weights = &drawn->given.in[0];
    ptrdiff_t b = grad->shape[0] > 1, h = grad->shape[1] > 1; // the second, if there is one
    for (ptrdiff_t i = 0; i < grad->shape[2]; i++)
        for (ptrdiff_t j = 0; j < grad->shape[3]; j++)
            if (*tensor_at4(weights, b, h, i, j) == 0.0f)
                grade_expect_number(drawn, 0.0, (double)*tensor_at4(grad, b, h, i, j), 0.0,
                                    "grad_scores[%td, %td, %td, %td]", b, h, i, j);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, what_one_weight_gains_the_others_in_its_row_lose,
               "한 가중치가 얻는 만큼 같은 행의 다른 가중치가 잃습니다");
    grade_test(suite, 2, the_gradients_of_a_row_sum_to_0, "한 행의 기울기를 더하면 0입니다");
    grade_test(suite, 1, masked_keys_have_gradient_0, "가려진 키의 점수는 기울기가 0입니다");
}

const GradeExercise grade_softmax_backward = {.name = "softmax-backward",
                                              .stage = "softmax_backward",
                                              .output = -1,
                                              .times = 100.0f,
                                              .in = {"weights", "grad_weights"},
                                              .out = {"grad_scores"},
                                              .tests = tests};
