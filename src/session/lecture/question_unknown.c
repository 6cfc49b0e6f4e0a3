// A question for one number of a shape whose others are shown: "(1, 3, ?, 4)".
#include "question.h"
#include "session_words.h"

#include <stdio.h>

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    ReferenceValue whole;
    int unknown = question_text(open)->unknown;
    if (!question_reference(open, &whole, err))
        return false;
    if (unknown >= whole.count)
        return error_set(err, TELL(NO_AXIS), unknown, whole.text);
    answer->numbers[0] = whole.numbers[unknown];
    answer->count = 1;
    snprintf(answer->text, sizeof answer->text, "%.0f", answer->numbers[0]);
    return true;
}

static const char *shows(const OpenLecture *open, char text[OPEN_LECTURE_CHOICE_MAX])
{
    ReferenceValue whole;
    Error err;
    size_t used = 0;
    if (!question_reference(open, &whole, &err))
        return NULL;
    for (int i = 0; i < whole.count && used < OPEN_LECTURE_CHOICE_MAX; i++) {
        const char *before = i == 0 ? "(" : ", ";
        if (i == question_text(open)->unknown)
            used += (size_t)snprintf(text + used, OPEN_LECTURE_CHOICE_MAX - used, "%s?", before);
        else
            used += (size_t)snprintf(text + used, OPEN_LECTURE_CHOICE_MAX - used, "%s%.0f", before,
                                     whole.numbers[i]);
    }
    if (used < OPEN_LECTURE_CHOICE_MAX)
        snprintf(text + used, OPEN_LECTURE_CHOICE_MAX - used, ")");
    return text;
}

static bool read_one(const Session *session, const char *text, Typed *typed, Error *err)
{
    return question_numbers(session, text, typed, err) &&
           (typed->count == 1 ||
            error_set(err, "%s", question_word(session->lecture, WORD_ASK_ONE)));
}

const Question question_unknown = {
    .form = WORD_FORM_UNKNOWN,
    .hint = WORD_HINT_UNKNOWN,
    .single = true,
    .answer = answer_of,
    .read = read_one,
    .shows = shows,
};
