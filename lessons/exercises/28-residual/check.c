// Tests the learner's residual.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "output", .axes = "B L Dout"}, {.role = "x", .axes = "B L Dout"}},
    .writes = {{.role = "output_residual", .tensor = "output_residual", .axes = "B L Dout"}},
};

// Uses q and k of all heads: two tensors of the same shape.
static void arrange(GradeCase *drawn)
{
    Error err;
    Tensor output = grade_tensor(drawn, "q"), x = grade_tensor(drawn, "k");
    drawn->call = &call;
    drawn->given.in[0] = output;
    drawn->given.in[1] = x;
    drawn->expected[0] = grade_room(drawn, &output);
    drawn->given.out[0] = grade_room(drawn, &output);
    StageArgs right = {
        .in = {output, x}, .out = {drawn->expected[0]}, .options = &drawn->scenario.options};
    ck_assert(stage_find("residual")->run(&right, &err));
}

START_TEST(every_output_is_added_to_its_input)
{
    GradeCase *drawn = grade_draw(GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(padding_is_added_like_any_token)
{
    GradeCase *drawn = grade_draw(GRADE_PADDING);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, every_output_is_added_to_its_input, "모든 수를 들어간 것에 더합니다");
    grade_test(suite, 2, padding_is_added_like_any_token, "패딩도 다른 토큰처럼 더합니다");
}

const GradeExercise grade_residual = {.name = "residual",
                                      .stage = "transpose",
                                      .explains = "residual",
                                      .output = 0,
                                      .arrange = arrange,
                                      .in = {"output", "x"},
                                      .out = {"output_residual"},
                                      .tests = tests};
