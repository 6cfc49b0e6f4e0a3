// Tests the learner's layer_backward.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "x", .axes = "B L Din"},
              {.role = "w_q", .axes = "Dk Din"},
              {.role = "w_k", .axes = "Dk Din"},
              {.role = "w_v", .axes = "Dv Din"},
              {.role = "w_o", .axes = "Dout Dv"},
              {.role = "grad_output", .axes = "B L Dout"}},
    .writes = {{.role = "grad_x", .tensor = "grad_x", .axes = "B L Din"}},
};

static void arrange(GradeCase *drawn)
{
    static const char *const names[] = {
        "x", "q_proj.weight", "k_proj.weight", "v_proj.weight", "out_proj.weight", "grad.output"};
    drawn->call = &call;
    for (int i = 0; i < 6; i++)
        drawn->given.in[i] = grade_tensor(drawn, names[i]);
    drawn->expected[0] = grade_tensor(drawn, "grad.x");
    drawn->given.out[0] = grade_room(drawn, &drawn->expected[0]);
}

START_TEST(the_gradient_reaches_every_token)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD | GRADE_FULL | GRADE_EQUAL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(no_gradient_comes_from_masked_keys)
{
    GradeCase *drawn = grade_draw(GRADE_BACKWARD | GRADE_FULL | GRADE_CAUSAL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 6, the_gradient_reaches_every_token, "기울기가 모든 토큰으로 되돌아옵니다");
    grade_test(suite, 4, no_gradient_comes_from_masked_keys,
               "가려진 키에서는 아무것도 되돌아오지 않습니다");
}

const GradeExercise grade_layer_backward = {.name = "layer-backward",
                                            .tensor = "grad.x",
                                            .output = 0,
                                            .arrange = arrange,
                                            .in = {"x", "w_q", "w_k", "w_v", "w_o", "grad_output"},
                                            .out = {"grad_x"},
                                            .takes = GRADE_TAKES_HEADS | GRADE_TAKES_CAUSAL,
                                            .tests = tests};
