// Something is claimed: is it true?
#include "question.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Claim claim;
    bool holds;
    if (!claim_parse(question_text(open)->answer, &claim, err) ||
        !open_lecture_claim(open, &claim, &holds, err))
        return false;
    answer->numbers[answer->count++] = holds;
    snprintf(answer->text, sizeof answer->text, "%s",
             question_word(open, holds ? WORD_TRUE : WORD_FALSE));
    return true;
}

// 1 true, 0 false, -1 neither.
static int truth_of(const char *text)
{
    static const char *const words[2][12] = {
        {"false", "f", "no", "n", "x", "거짓", "거짓입니다", "틀리다", "틀립니다", "아니요",
         "아니오"},
        {"true", "t", "yes", "y", "o", "참", "참입니다", "맞다", "맞습니다", "맞아요", "네", "예"},
    };
    for (int truth = 0; truth < 2; truth++)
        for (size_t i = 0; i < sizeof words[0] / sizeof *words[0] && words[truth][i]; i++)
            if (strcasecmp(text, words[truth][i]) == 0)
                return truth;
    return -1;
}

static bool read_truth(const Session *session, const char *text, Typed *typed, Error *err)
{
    int truth = truth_of(text);
    typed->numbers[typed->count++] = truth;
    return truth >= 0 || error_set(err, "%s", question_word(session->lecture, WORD_ASK_TRUTH));
}

const Question question_true_false = {
    .form = WORD_FORM_TRUTH,
    .hint = WORD_HINT_VALUE,
    .decides = true,
    .answer = answer_of,
    .read = read_truth,
};
