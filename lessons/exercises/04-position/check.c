// Tests the learner's position.
#include "grade.h"

START_TEST(the_first_token_gets_0_1_0_1)
{
    GradeCase *drawn = grade_draw(GRADE_POSITIONS);
    grade_ask(drawn);
    const Tensor *encoding = &drawn->given.out[0];
    for (ptrdiff_t d = 0; d < encoding->shape[2]; d++)
        grade_expect_number(drawn, d % 2 == 0 ? 0.0 : 1.0, (double)*tensor_at3(encoding, 0, 0, d),
                            1e-6, "positional_encoding[0, 0, %td]", d);
}
END_TEST

START_TEST(even_columns_are_sines_and_odd_ones_cosines)
{
    GradeCase *drawn = grade_draw(GRADE_POSITIONS);
    grade_ask(drawn);
    grade_expect_output(drawn, 0);
}
END_TEST

START_TEST(x_is_the_embedding_plus_the_encoding)
{
    GradeCase *drawn = grade_draw(GRADE_POSITIONS);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 1, the_first_token_gets_0_1_0_1, "첫 토큰의 위치 인코딩은 0, 1, 0, 1입니다");
    grade_test(suite, 2, even_columns_are_sines_and_odd_ones_cosines,
               "짝수 열은 사인, 홀수 열은 코사인입니다");
    grade_test(suite, 2, x_is_the_embedding_plus_the_encoding,
               "x는 임베딩에 위치 인코딩을 더한 것입니다");
}

const GradeExercise grade_position = {.name = "position",
                                      .stage = "position",
                                      .output = -1,
                                      .in = {"embeddings"},
                                      .out = {"positional_encoding", "x"},
                                      .tests = tests};
