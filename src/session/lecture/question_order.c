// Steps of the pipeline out of order: in which order do they run?
#include "question.h"

#include <math.h>
#include <stdio.h>
#include "question_step.h"

static const char *choice(const OpenLecture *open, int number, char text[OPEN_LECTURE_CHOICE_MAX])
{
    (void)text;
    const LectureQuestion *question = question_text(open);
    return number < question->choice_count ? question->behind[number] : NULL;
}

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = question_text(open);
    int steps[QUESTION_CHOICES_MAX];
    size_t used = 0;
    for (int i = 0; i < question->choice_count; i++) {
        steps[i] = question_step(&open->whole, question->behind[i], err);
        if (steps[i] < 0)
            return false;
    }
    for (int step = 0; step < open->whole.step_count; step++)
        for (int i = 0; i < question->choice_count; i++)
            if (steps[i] == step) {
                answer->numbers[answer->count++] = i + 1;
                used += (size_t)snprintf(answer->text + used, sizeof answer->text - used, "%s%d",
                                         used ? " " : "", i + 1);
            }
    return true;
}

static bool read_order(const Session *session, const char *text, Typed *typed, Error *err)
{
    const OpenLecture *open = session->lecture;
    int count = question_text(open)->choice_count;
    bool seen[QUESTION_CHOICES_MAX + 1] = {false};
    if (!question_numbers(session, text, typed, err))
        return false;
    bool good = typed->count == count;
    for (int i = 0; good && i < count; i++) {
        double number = typed->numbers[i];
        good = number >= 1 && number <= count && number == floor(number) && !seen[(int)number];
        if (good)
            seen[(int)number] = true;
    }
    return good || error_set(err, "%s1-%d", question_word(open, WORD_ASK_ORDER), count);
}

const Question question_order = {
    .form = WORD_FORM_ORDER,
    .hint = WORD_HINT_ORDER,
    .answer = answer_of,
    .read = read_order,
    .choice = choice,
};
