// A question for the places of a row that hold exactly 0.
#include "question.h"

#include <string.h>
#include <strings.h>

static bool read_places(const Session *session, const char *text, Typed *typed, Error *err)
{
    if (strcasecmp(text, "none") == 0 || strcmp(text, "없음") == 0)
        return true;
    return question_indices(session, text, typed, err);
}

const Question question_zeros = {
    .form = WORD_FORM_ZEROS,
    .hint = WORD_HINT_ZEROS,
    .read = read_places,
};
