// Lines of PyTorch, as the steps of the scenario have them: which one makes the tensor that the lecture
// names?
#include "question.h"

#include "question_step.h"
#include "session_words.h"

static const char *choice(const OpenLecture *open, int number, char text[OPEN_LECTURE_CHOICE_MAX])
{
    Error err;
    const LectureQuestion *question = question_text(open);
    if (number >= question->choice_count)
        return NULL;
    int step = question_step(&open->whole, question->behind[number], &err);
    return step < 0 ? question->behind[number] : trace_torch(&open->whole, step, text);
}

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference reference;
    const Trace *trace = &open->whole;
    const LectureQuestion *question = question_text(open);
    if (!reference_parse(question->answer, &reference, err))
        return false;
    int tensor = trace_find(trace, reference.tensor);
    for (int i = 0; i < question->choice_count; i++) {
        int step = question_step(trace, question->behind[i], err);
        if (step < 0)
            return false;
        if (tensor >= 0 && trace->tensors[tensor].step == step)
            question_choose(answer, i);
    }
    return answer->count == 1 || error_set(err, TELL(NO_STEP_MAKES), question->answer);
}

const Question question_code = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_CODE,
    .single = true,
    .answer = answer_of,
    .choice = choice,
};
