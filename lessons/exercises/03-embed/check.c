// Tests the learner's embed.
#include "grade.h"

START_TEST(every_token_gets_the_row_of_its_id)
{
    GradeCase *drawn = grade_draw(GRADE_PLAIN);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(a_square_table_is_read_by_rows_too)
{
    GradeCase *drawn = grade_draw(GRADE_SQUARE);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(padding_gets_the_row_of_its_id_like_any_token)
{
    GradeCase *drawn = grade_draw(GRADE_OTHER_PAD);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, every_token_gets_the_row_of_its_id, "토큰마다 자기 id의 행을 가져옵니다");
    grade_test(suite, 1, a_square_table_is_read_by_rows_too, "정사각형 표도 행 단위로 읽습니다");
    grade_test(suite, 2, padding_gets_the_row_of_its_id_like_any_token,
               "패딩도 다른 토큰처럼 pad_id의 행을 가져옵니다");
}

const GradeExercise grade_embed = {.name = "embed",
                                   .stage = "embed",
                                   .output = -1,
                                   .in = {"input_ids", "weight"},
                                   .out = {"x"},
                                   .tests = tests};
