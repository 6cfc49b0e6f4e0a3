// Tests the learner's pad.
#include "grade.h"

START_TEST(every_row_begins_with_the_tokens_of_its_sequence)
{
    GradeCase *drawn = grade_draw(GRADE_PLAIN);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(the_rest_of_a_row_is_the_pad_id_whatever_it_is)
{
    GradeCase *drawn = grade_draw(GRADE_OTHER_PAD);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

START_TEST(sequences_of_equal_length_need_no_padding)
{
    GradeCase *drawn = grade_draw(GRADE_FULL);
    grade_ask(drawn);
    grade_expect_right(drawn);
}
END_TEST

static void tests(GradeSuite *suite)
{
    grade_test(suite, 2, every_row_begins_with_the_tokens_of_its_sequence,
               "행마다 자기 문장의 토큰이 앞에서부터 놓입니다");
    grade_test(suite, 2, the_rest_of_a_row_is_the_pad_id_whatever_it_is,
               "남은 자리는 pad_id로 채웁니다. 0이 아닐 수도 있습니다");
    grade_test(suite, 1, sequences_of_equal_length_need_no_padding,
               "길이가 모두 같으면 패딩이 없습니다");
}

const GradeExercise grade_pad = {.name = "pad",
                                 .stage = "pad",
                                 .output = 0,
                                 .in = {"tokens", "lengths"},
                                 .out = {"input_ids"},
                                 .takes = GRADE_TAKES_PAD_ID,
                                 .tests = tests};
