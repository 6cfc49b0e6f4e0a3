// Tests the learner's adam_step.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "weight", .axes = "Dout Din"},
              {.role = "gradient", .axes = "Dout Din"},
              {.role = "moment1", .axes = "Dout Din"},
              {.role = "moment2", .axes = "Dout Din"}},
    .writes = {{.role = "next", .tensor = "next", .axes = "Dout Din"}},
};

static void arrange(GradeCase *drawn)
{
    static const char *const names[] = {"parameter", "gradient", "moment1", "moment2"};
    drawn->call = &call;
    for (int i = 0; i < 4; i++)
        drawn->given.in[i] = grade_tensor(drawn, names[i]);
    drawn->expected[0] = grade_tensor(drawn, "parameter_next");
    drawn->given.out[0] = grade_room(drawn, &drawn->expected[0]);
}

START_TEST(the_first_step_moves_every_weight_by_the_rate)
{
    GradeCase *drawn = grade_draw(GRADE_UPDATE | GRADE_FIRST_UPDATE);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(later_steps_remember_earlier_gradients)
{
    GradeCase *drawn = grade_draw(GRADE_UPDATE);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, the_first_step_moves_every_weight_by_the_rate,
               "첫 단계에서는 모든 가중치가 rate만큼 움직입니다");
    grade_test(suite, 3, later_steps_remember_earlier_gradients,
               "다음 단계부터는 앞의 기울기를 기억합니다");
}

const GradeExercise grade_adam_step = {.name = "adam-step",
                                       .stage = "adam",
                                       .output = 0,
                                       .arrange = arrange,
                                       .in = {"weight", "gradient", "moment1", "moment2"},
                                       .out = {"next"},
                                       .takes = GRADE_TAKES_RATE | GRADE_TAKES_T,
                                       .tests = tests};
