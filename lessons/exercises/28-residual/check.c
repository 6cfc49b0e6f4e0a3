// What the learner's residual is asked.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "output", .axes = "B L Dout"}, {.role = "x", .axes = "B L Dout"}},
    .writes = {{.role = "output_residual", .tensor = "output_residual", .axes = "B L Dout"}},
};

// Queries and keys of all heads are two tensors of one shape.
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

START_TEST(every_number_is_added_to_what_was_there)
{
    GradeCase *drawn = grade_draw(GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(padding_is_added_like_all_others)
{
    GradeCase *drawn = grade_draw(GRADE_PADDING);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, every_number_is_added_to_what_was_there, "모든 수를 들어간 것에 더합니다");
    grade_test(suite, 2, padding_is_added_like_all_others, "패딩도 다른 토큰처럼 더합니다");
}

const GradeExercise grade_residual = {.name = "residual",
                                      .stage = "transpose",
                                      .explains = "residual",
                                      .output = 0,
                                      .arrange = arrange,
                                      .in = {"output", "x"},
                                      .out = {"output_residual"},
                                      .tests = tests};
