// A question for a number. It is right when it rounds to as many places as were typed, one at least.
#include "question.h"

#include <math.h>

static double allowed_error(const Typed *typed)
{
    int decimals = typed->decimals < 4 ? typed->decimals : 4;
    return decimals == 0 ? 0.0005 : 0.5 * pow(10, -decimals) + 1e-6;
}

static bool read_one(const Session *session, const char *text, Typed *typed, Error *err)
{
    return question_numbers(session, text, typed, err) &&
           (typed->count == 1 ||
            error_set(err, "%s", question_word(session->lecture, WORD_ASK_ONE)));
}

static Verdict judge(const OpenLecture *open, const Typed *typed, const ReferenceValue *answer)
{
    (void)open;
    return question_matches(typed, answer, 0, allowed_error(typed)) ? VERDICT_RIGHT : VERDICT_WRONG;
}

static const char *say_hint(const OpenLecture *open, const Typed *typed,
                            const ReferenceValue *answer, char text[QUESTION_HINT_MAX])
{
    (void)text;
    bool mirrored = typed->count == 1 && answer->count == 1 &&
                    fabs(typed->numbers[0] + answer->numbers[0]) <= allowed_error(typed);
    return question_word(open, mirrored ? WORD_HINT_SIGN : WORD_HINT_VALUE);
}

const Question question_value = {
    .form = WORD_FORM_VALUE,
    .single = true,
    .read = read_one,
    .judge = judge,
    .say_hint = say_hint,
};
