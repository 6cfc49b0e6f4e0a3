// What the learner's grouped_queries is asked.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "k", .axes = "B G Lk d_k"}},
    .writes = {{.role = "k_repeated", .tensor = "k_repeated", .axes = "B H Lk d_k"}},
};

static void arrange_for(GradeCase *drawn, ptrdiff_t group)
{
    Error err;
    Tensor k = grade_tensor(drawn, "k_heads"), like = k;
    like.shape[1] *= group;
    drawn->call = &call;
    drawn->given.in[0] = k;
    drawn->expected[0] = grade_room(drawn, &like);
    drawn->given.out[0] = grade_room(drawn, &like);
    StageArgs right = {.in = {k}, .out = {drawn->expected[0]}, .options = &drawn->scenario.options};
    ck_assert(stage_find("repeat")->run(&right, &err));
}

// With queries of another length two heads share one of keys; else three.
static void arrange(GradeCase *drawn)
{
    arrange_for(drawn, drawn->wishes & GRADE_CROSS ? 2 : 3);
}

START_TEST(neighbouring_heads_share_the_keys_of_one)
{
    GradeCase *drawn = grade_draw(GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(groups_may_have_another_size)
{
    GradeCase *drawn = grade_draw(GRADE_MORE_KEYS);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, neighbouring_heads_share_the_keys_of_one,
               "이웃한 헤드들이 키 헤드 하나를 함께 씁니다");
    grade_test(suite, 2, groups_may_have_another_size, "한 묶음의 헤드 수는 다를 수 있습니다");
}

const GradeExercise grade_grouped_queries = {.name = "grouped-queries",
                                             .stage = "transpose",
                                             .explains = "repeat",
                                             .output = 0,
                                             .arrange = arrange,
                                             .in = {"k"},
                                             .out = {"k_repeated"},
                                             .tests = tests};
