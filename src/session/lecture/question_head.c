// A question for an index: a head, a row, a place.
#include "question.h"

const Question question_head = {
    .form = WORD_FORM_INDEX,
    .hint = WORD_HINT_INDEX,
    .single = true,
    .read = question_index,
};
