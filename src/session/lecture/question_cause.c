// Wrong numbers, made by a run whose name the page hides: which of these mistakes makes them? The
// choices are told in the words of the bank of mistakes.
#include "question.h"
#include "session_words.h"

#include <string.h>

static const char *choice(const OpenLecture *open, int number, char text[OPEN_LECTURE_CHOICE_MAX])
{
    (void)text;
    const LectureQuestion *question = question_text(open);
    if (number >= question->choice_count)
        return NULL;
    const Mistake *mistake = mistake_find(question->behind[number]);
    Language language = language_beside(open->lecture->language);
    return mistake ? mistake->words[language].title : question->behind[number];
}

static bool makes_the_same(const Mistake *a, const Mistake *b)
{
    return a == b || (a->same_as && strcmp(a->same_as, b->name) == 0) ||
           (b->same_as && strcmp(b->same_as, a->name) == 0);
}

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = question_text(open);
    if (!open->hidden)
        return error_set(err, TELL(CAUSE_NOT_HIDDEN));
    for (int i = 0; i < question->choice_count; i++) {
        if (!mistake_find(question->behind[i]))
            return error_set(err, TELL(OPEN_LECTURE_NO_MISTAKE), question->behind[i]);
        if (makes_the_same(mistake_find(question->behind[i]), open->hidden)) {
            if (answer->count == 1)
                return error_set(err, TELL(CAUSE_TWICE), question->behind[i]);
            question_choose(answer, i);
        }
    }
    return answer->count == 1 || error_set(err, TELL(CAUSE_LACKS), open->hidden->name);
}

static bool over(Session *session, Error *err)
{
    (void)err;
    comparison_reveal(session);
    return true;
}

const Question question_cause = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_CAUSE,
    .single = true,
    .answer = answer_of,
    .choice = choice,
    .over = over,
};
