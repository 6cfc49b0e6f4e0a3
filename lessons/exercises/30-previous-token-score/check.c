// Tests the learner's previous_token_score.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "weights", .axes = "B H L L"}},
    .writes = {{.role = "score", .tensor = "score", .axes = "B H"}},
};

static void arrange(GradeCase *drawn)
{
    Error err;
    Tensor weights = grade_tensor(drawn, "attn_weights"), score = {.rank = 0};
    ck_assert(tensor_take(&drawn->arena, DTYPE_F32, 2, weights.shape, &score, &err));
    drawn->call = &call;
    drawn->given.in[0] = weights;
    drawn->expected[0] = score;
    drawn->given.out[0] = grade_room(drawn, &score);
    for (ptrdiff_t b = 0; b < weights.shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights.shape[1]; h++) {
            double sum = 0.0;
            for (ptrdiff_t i = 1; i < weights.shape[2]; i++)
                sum += (double)*tensor_at4(&weights, b, h, i, i - 1);
            *tensor_at2(&score, b, h) = (float)(sum / (double)(weights.shape[2] - 1));
        }
}

// A text of one token has no token before, and the task does not say what its score is.
static void ask(unsigned wishes)
{
    GradeCase *drawn = grade_draw(wishes);
    grade_ask(drawn);
    if (drawn->given.in[0].shape[2] > 1)
        grade_expect_right(drawn);
}

START_TEST(it_is_the_mean_of_the_weights_left_of_the_diagonal)
{
    ask(GRADE_CAUSAL | GRADE_FULL);
}
END_TEST

START_TEST(heads_that_see_later_tokens_are_measured_the_same_way)
{
    ask(GRADE_FULL);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, it_is_the_mean_of_the_weights_left_of_the_diagonal,
               "대각선 바로 왼쪽 가중치의 평균입니다");
    grade_test(suite, 2, heads_that_see_later_tokens_are_measured_the_same_way,
               "뒤의 토큰을 보는 헤드도 똑같이 잽니다");
}

const GradeExercise grade_previous_token_score = {.name = "previous-token-score",
                                                  .stage = "softmax",
                                                  .output = 0,
                                                  .arrange = arrange,
                                                  .in = {"weights"},
                                                  .out = {"score"},
                                                  .tests = tests};
