// Tests the learner's grouped_queries.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "k", .axes = "B G Lk d_k"}},
    .writes = {{.role = "k_repeated", .tensor = "k_repeated", .axes = "B H Lk d_k"}},
};

// The keys of the case; if they have fewer heads than `groups`, multiples of them are added. The result is also a view:
// the heads of a token are adjacent.
static Tensor keys_of(GradeCase *drawn, ptrdiff_t groups)
{
    Tensor k = grade_tensor(drawn, "k_heads"), apart = tensor_transpose(&k, 1, 2);
    ptrdiff_t heads = k.shape[1];
    if (heads >= groups)
        return k;
    apart.shape[2] = groups;
    Tensor more = grade_room(drawn, &apart);
    more = tensor_transpose(&more, 1, 2);
    for (ptrdiff_t b = 0; b < k.shape[0]; b++)
        for (ptrdiff_t g = 0; g < groups; g++)
            for (ptrdiff_t j = 0; j < k.shape[2]; j++)
                for (ptrdiff_t d = 0; d < k.shape[3]; d++)
                    *tensor_at4(&more, b, g, j, d) =
                        (float)(1 + g / heads) * *tensor_at4(&k, b, g % heads, j, d);
    return more;
}

// In cross-attention two query heads share one key head, otherwise three. There are always more groups than heads in a
// group: with equally many, h / G would be right by chance; with fewer, it would crash.
static void arrange(GradeCase *drawn)
{
    Error err;
    ptrdiff_t group = drawn->wishes & GRADE_CROSS ? 2 : 3;
    Tensor k = keys_of(drawn, group + 1), like = k;
    like.shape[1] *= group;
    drawn->call = &call;
    drawn->given.in[0] = k;
    drawn->expected[0] = grade_room(drawn, &like);
    drawn->given.out[0] = grade_room(drawn, &like);
    StageArgs right = {.in = {k}, .out = {drawn->expected[0]}, .options = &drawn->scenario.options};
    ck_assert(stage_find("repeat")->run(&right, &err));
}

START_TEST(neighbouring_heads_share_one_key_head)
{
    GradeCase *drawn = grade_draw(GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(groups_may_have_a_different_size)
{
    GradeCase *drawn = grade_draw(GRADE_MORE_KEYS);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 3, neighbouring_heads_share_one_key_head,
               "이웃한 헤드들이 키 헤드 하나를 함께 씁니다");
    grade_test(suite, 2, groups_may_have_a_different_size, "한 묶음의 헤드 수는 다를 수 있습니다");
}

const GradeExercise grade_grouped_queries = {.name = "grouped-queries",
                                             .stage = "transpose",
                                             .explains = "repeat",
                                             .output = 0,
                                             .arrange = arrange,
                                             .in = {"k"},
                                             .out = {"k_repeated"},
                                             .tests = tests};
