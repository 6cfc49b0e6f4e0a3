// Tests the learner's online_softmax.
#include "grade.h"

#include <math.h>

static const StageCall call = {
    .reads = {{.role = "scores", .axes = "B H Lq Lk"}, {.role = "v", .axes = "B H Lk d_v"}},
    .writes = {{.role = "context", .tensor = "context", .axes = "B H Lq d_v"}},
};

static void arrange(GradeCase *drawn)
{
    bool masked = drawn->wishes & (GRADE_CAUSAL | GRADE_PADDING);
    drawn->call = &call;
    drawn->given.in[0] = grade_tensor(drawn, masked ? "scores_masked" : "scores_scaled");
    drawn->given.in[1] = grade_tensor(drawn, "v_heads");
    drawn->expected[0] = grade_tensor(drawn, "context_heads");
    drawn->given.out[0] = grade_room(drawn, &drawn->expected[0]);
}

START_TEST(every_query_gets_the_mixture_that_softmax_gives)
{
    static const unsigned lengths[] = {GRADE_PLAIN, GRADE_CROSS, GRADE_MORE_KEYS};
    for (int i = 0; i < 3; i++) {
        GradeCase *drawn = grade_draw(lengths[i]);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

// With a window, most rows begin with masked keys: there is no maximum yet.
START_TEST(masked_keys_contribute_nothing)
{
    static const unsigned masks[] = {GRADE_CAUSAL | GRADE_PADDING, GRADE_CAUSAL | GRADE_WINDOW};
    for (int i = 0; i < 2; i++) {
        GradeCase *drawn = grade_draw(masks[i]);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
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
    grade_test(suite, 2, every_query_gets_the_mixture_that_softmax_gives,
               "쿼리마다 소프트맥스로 섞은 것과 같은 값을 얻습니다");
    grade_test(suite, 1, masked_keys_contribute_nothing, "가려진 키에서는 아무것도 오지 않습니다");
    grade_test(suite, 2, large_scores_do_not_overflow, "점수가 커도 오버플로가 나지 않습니다");
}

const GradeExercise grade_online_softmax = {.name = "online-softmax",
                                            .stage = "weighted_sum",
                                            .output = 0,
                                            .arrange = arrange,
                                            .in = {"scores", "v"},
                                            .out = {"context"},
                                            .tests = tests};
