// Tests the learner's attention.
#include "grade.h"

static const StageCall call = {
    .reads = {{.role = "x", .axes = "B L Din"},
              {.role = "w_q", .axes = "Dk Din"},
              {.role = "w_k", .axes = "Dk Din"},
              {.role = "w_v", .axes = "Dv Din"},
              {.role = "w_o", .axes = "Dout Dv"},
              {.role = "key_padding_mask", .axes = "B L", .dtype = DTYPE_BOOL}},
    .writes = {{.role = "output", .tensor = "output", .axes = "B L Dout"}},
};

static void arrange(GradeCase *drawn)
{
    static const char *const names[] = {"x",
                                        "q_proj.weight",
                                        "k_proj.weight",
                                        "v_proj.weight",
                                        "out_proj.weight",
                                        "key_padding_mask"};
    drawn->call = &call;
    for (int i = 0; i < 6; i++)
        drawn->given.in[i] = grade_tensor(drawn, names[i]);
    drawn->expected[0] = grade_tensor(drawn, "output");
    drawn->given.out[0] = grade_room(drawn, &drawn->expected[0]);
}

START_TEST(sentences_of_equal_length_attend_to_all_their_tokens)
{
    GradeCase *drawn = grade_draw(GRADE_FULL | GRADE_EQUAL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(no_query_looks_at_padding)
{
    GradeCase *drawn = grade_draw(GRADE_PADDING | GRADE_EQUAL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(no_query_looks_ahead_if_causal)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_PADDING);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(large_scores_do_not_overflow)
{
    GradeCase *drawn = grade_draw(GRADE_CAUSAL | GRADE_PADDING | GRADE_LARGE);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 4, sentences_of_equal_length_attend_to_all_their_tokens,
               "길이가 같은 문장들은 모든 토큰을 봅니다");
    grade_test(suite, 2, no_query_looks_at_padding, "아무도 패딩을 보지 않습니다");
    grade_test(suite, 2, no_query_looks_ahead_if_causal,
               "causal이면 뒤에 오는 토큰을 보지 않습니다");
    grade_test(suite, 2, large_scores_do_not_overflow, "점수가 커도 오버플로가 나지 않습니다");
}

const GradeExercise grade_attention = {.name = "attention",
                                       .output = 0,
                                       .arrange = arrange,
                                       .in = {"x", "w_q", "w_k", "w_v", "w_o", "key_padding_mask"},
                                       .out = {"output"},
                                       .takes = GRADE_TAKES_HEADS | GRADE_TAKES_CAUSAL,
                                       .tests = tests};
