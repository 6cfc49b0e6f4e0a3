// Tests the learner's dropout.
#include "grade.h"

// The draw is made here: the learner's function has no random generator.
static const StageCall call = {
    .reads = {{.role = "weights", .axes = "B H Lq Lk"},
              {.role = "keep", .axes = "B H Lq Lk", .dtype = DTYPE_BOOL}},
    .writes = {{.role = "dropped", .tensor = "dropped", .axes = "B H Lq Lk"}},
};

static void arrange(GradeCase *drawn)
{
    drawn->call = &call;
    drawn->given.in[0] = grade_tensor(drawn, "attn_weights");
    drawn->given.in[1] = grade_tensor(drawn, "dropout_mask");
    drawn->expected[0] = grade_tensor(drawn, "attn_weights_dropped");
    drawn->given.out[0] = grade_room(drawn, &drawn->expected[0]);
}

// With as many queries as keys, with more and with fewer: code that confuses the two passes some of these.
START_TEST(dropped_weights_are_0_and_kept_ones_are_scaled_up)
{
    static const unsigned lengths[] = {GRADE_PLAIN, GRADE_CROSS, GRADE_MORE_KEYS};
    for (int i = 0; i < 3; i++) {
        GradeCase *drawn = grade_draw(GRADE_DROPOUT | lengths[i]);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

START_TEST(kept_weights_are_divided_by_1_minus_p)
{
    GradeCase *drawn = grade_draw(GRADE_DROPOUT | GRADE_CAUSAL);
    grade_ask(drawn);
    const Tensor *weights = &drawn->given.in[0], *keep = &drawn->given.in[1];
    double p = drawn->given.options->dropout_p;
    for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
        if (*tensor_flag4(keep, 0, 0, i, 0))
            grade_expect_number(drawn, (double)*tensor_at4(weights, 0, 0, i, 0) / (1.0 - p),
                                (double)*tensor_at4(grade_result(drawn), 0, 0, i, 0), 1e-6,
                                "dropped[0, 0, %td, 0]", i);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(with_p_0_nothing_changes)
{
    GradeCase *drawn = grade_draw(GRADE_KEEP_ALL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, dropped_weights_are_0_and_kept_ones_are_scaled_up,
               "버린 가중치는 0이고 남은 가중치는 커집니다");
    grade_test(suite, 2, kept_weights_are_divided_by_1_minus_p,
               "남은 가중치는 1 - p로 나눈 것입니다");
    grade_test(suite, 1, with_p_0_nothing_changes, "p가 0이면 그대로입니다");
}

const GradeExercise grade_dropout = {.name = "dropout",
                                     .stage = "dropout",
                                     .output = 1,
                                     .arrange = arrange,
                                     .in = {"weights", "keep"},
                                     .out = {"dropped"},
                                     .takes = GRADE_TAKES_P,
                                     .tests = tests};
