// Several lines, of which one is wrong: the only one whose claim does not hold.
#include "question.h"
#include "session_words.h"

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = question_text(open);
    int wrong = -1, count = 0;
    for (int i = 0; i < question->choice_count; i++) {
        Claim claim;
        bool holds;
        if (!claim_parse(question->behind[i], &claim, err) ||
            !open_lecture_claim(open, &claim, &holds, err))
            return false;
        wrong = holds ? wrong : i;
        count += !holds;
    }
    if (count != 1)
        return error_set(err, TELL(LINE_ONE_WRONG), count);
    question_choose(answer, wrong);
    return true;
}

const Question question_line = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_LINE,
    .single = true,
    .answer = answer_of,
};
