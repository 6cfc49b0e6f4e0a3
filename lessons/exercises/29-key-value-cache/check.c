// Tests the learner's attend_with_cache.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "q", .axes = "B H 1 d_k"},
              {.role = "k_cache", .axes = "B H Lt d_k"},
              {.role = "v_cache", .axes = "B H Lt d_v"},
              {.role = "k_new", .axes = "B H 1 d_k"},
              {.role = "v_new", .axes = "B H 1 d_v"}},
    .writes = {{.role = "context", .tensor = "context", .axes = "B H 1 d_v"}},
};

// Expects what the last token of a causal text finds: computing the other rows too does not change its row.
static void arrange(GradeCase *drawn)
{
    Tensor q = grade_tensor(drawn, "q_heads"), k = grade_tensor(drawn, "k_heads");
    Tensor v = grade_tensor(drawn, "v_heads"), context = grade_tensor(drawn, "context_heads");
    ptrdiff_t before = k.shape[2] - 1;
    drawn->call = &call;
    drawn->given.in[0] = tensor_narrow(&q, 2, before, 1);
    drawn->given.in[1] = tensor_narrow(&k, 2, 0, before);
    drawn->given.in[2] = tensor_narrow(&v, 2, 0, before);
    drawn->given.in[3] = tensor_narrow(&k, 2, before, 1);
    drawn->given.in[4] = tensor_narrow(&v, 2, before, 1);
    drawn->expected[0] = tensor_narrow(&context, 2, before, 1);
    drawn->given.out[0] = grade_room(drawn, &drawn->expected[0]);
}

START_TEST(the_new_token_finds_what_the_whole_run_finds)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(large_scores_do_not_overflow)
{
    for (int i = 0; i < 4; i++) {
        GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_FULL | GRADE_LARGE);
        grade_ask(drawn);
        grade_expect_right(drawn);
    }
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 4, the_new_token_finds_what_the_whole_run_finds,
               "새 토큰은 전체를 계산했을 때와 같은 것을 찾습니다");
    grade_test(suite, 1, large_scores_do_not_overflow, "점수가 커도 오버플로가 나지 않습니다");
}

const GradeExercise grade_key_value_cache = {.name = "key-value-cache",
                                             .stage = "weighted_sum",
                                             .output = 0,
                                             .arrange = arrange,
                                             .in = {"q", "k_cache", "v_cache", "k_new", "v_new"},
                                             .out = {"context"},
                                             .tests = tests};
