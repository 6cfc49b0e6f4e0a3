// Tests the learner's rope.
#include "grade.h"

#include <math.h>

static const StageCall call = {
    .reads = {{.role = "q", .axes = "B H L d_k"}},
    .writes = {{.role = "q_rotated", .tensor = "q_rotated", .axes = "B H L d_k"}},
};

// If the width of a head is odd, drops its last number.
static void arrange(GradeCase *drawn)
{
    Error err;
    Tensor q = grade_tensor(drawn, "q_heads");
    ptrdiff_t even = q.shape[3] > 1 ? q.shape[3] / 2 * 2 : 0;
    drawn->scenario.options.rope = 10000.0f;
    q = tensor_narrow(&q, 3, 0, even);
    drawn->call = &call;
    drawn->given.in[0] = q;
    drawn->expected[0] = grade_room(drawn, &q);
    drawn->given.out[0] = grade_room(drawn, &q);
    StageArgs right = {.in = {q}, .out = {drawn->expected[0]}, .options = &drawn->scenario.options};
    ck_assert(stage_find("rotate")->run(&right, &err));
}

START_TEST(every_pair_is_rotated_by_the_position_of_its_token)
{
    GradeCase *drawn = grade_draw(GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(no_pair_changes_its_length)
{
    GradeCase *drawn = grade_draw(GRADE_CROSS);
    grade_ask(drawn);
    const Tensor *q = &drawn->given.in[0], *turned = grade_result(drawn);
    ptrdiff_t half = q->shape[3] / 2;
    for (ptrdiff_t l = 0; l < q->shape[2]; l++)
        for (ptrdiff_t p = 0; p < half; p++) {
            double before = hypot((double)*tensor_at4(q, 0, 0, l, p),
                                  (double)*tensor_at4(q, 0, 0, l, p + half));
            double after = hypot((double)*tensor_at4(turned, 0, 0, l, p),
                                 (double)*tensor_at4(turned, 0, 0, l, p + half));
            grade_expect_number(drawn, before, after, 1e-4 * (1.0 + before),
                                "the length of the pair q_rotated[0, 0, %td, (%td, %td)]", l, p,
                                p + half);
        }
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 4, every_pair_is_rotated_by_the_position_of_its_token,
               "짝마다 토큰의 자리만큼 회전합니다");
    grade_test(suite, 1, no_pair_changes_its_length, "짝의 길이는 변하지 않습니다");
}

const GradeExercise grade_rope = {.name = "rope",
                                  .stage = "transpose",
                                  .explains = "rotate",
                                  .output = 0,
                                  .arrange = arrange,
                                  .in = {"q"},
                                  .out = {"q_rotated"},
                                  .tests = tests};
