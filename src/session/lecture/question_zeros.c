// A question for the places of a row that hold exactly 0.
#include "question.h"

static bool read_places(const Session *session, const char *text, Typed *typed, Error *err)
{
    if (question_is_word(text, WORD_NO_PLACE))
        return true;
    return question_indices(session, text, typed, err);
}

const Question question_zeros = {
    .form = WORD_FORM_ZEROS,
    .hint = WORD_HINT_ZEROS,
    .read = read_places,
};
