// A question for a shape: "3 by 4".
#include "question.h"

#include <stdio.h>
#include <string.h>

// Whether the question is for the shape of a tensor whose first axis is a batch of one.
static bool has_batch_of_one(const OpenLecture *open, const ReferenceValue *answer)
{
    Reference reference;
    Error err;
    char axis[16];
    const Trace *trace = &open->whole;
    if (answer->count < 2 || answer->numbers[0] != 1)
        return false;
    if (!reference_parse(question_text(open)->answer, &reference, &err) ||
        reference.kind != REFERENCE_SHAPE || reference.scenario[0])
        return false;
    int tensor = trace_find(trace, reference.tensor);
    return tensor >= 0 && trace_axis(trace, tensor, 0, axis) && strcmp(axis, "B") == 0;
}

static Verdict judge(const OpenLecture *open, const Typed *typed, const ReferenceValue *answer)
{
    if (question_matches(typed, answer, 0, 0))
        return VERDICT_RIGHT;
    bool without = has_batch_of_one(open, answer) && question_matches(typed, answer, 1, 0);
    return without ? VERDICT_WITHOUT_BATCH : VERDICT_WRONG;
}

static const char *say_hint(const OpenLecture *open, const Typed *typed,
                            const ReferenceValue *answer, char text[QUESTION_HINT_MAX])
{
    if (typed->count == answer->count)
        return question_word(open, WORD_HINT_SHAPE);
    snprintf(text, QUESTION_HINT_MAX, "%s%d.", question_word(open, WORD_HINT_AXES), answer->count);
    return text;
}

const Question question_shape = {
    .form = WORD_FORM_SHAPE,
    .read = question_numbers,
    .judge = judge,
    .say_hint = say_hint,
};
