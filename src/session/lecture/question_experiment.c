// Change something, predict what becomes of a number, see it. The answer comes from two runs: that of
// the page, and the same with the change.
#include "question.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "session_actions.h"
#include "session_words.h"

enum { GROWS, FALLS, STAYS, NO_NUMBER, OUTCOMES };

static const char *choice(const OpenLecture *open, int number, char text[OPEN_LECTURE_CHOICE_MAX])
{
    static const OpenLectureWord outcomes[OUTCOMES] = {WORD_GROWS, WORD_FALLS, WORD_STAYS,
                                                       WORD_NO_NUMBER};
    (void)text;
    return number < OUTCOMES ? question_word(open, outcomes[number]) : NULL;
}

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference reference;
    ReferenceValue before, after;
    if (!reference_parse(question_text(open)->answer, &reference, err) ||
        !open_lecture_value(open, &reference, &before, err))
        return false;
    snprintf(reference.scenario, sizeof reference.scenario, "%s", OPEN_LECTURE_CHANGED);
    if (!open_lecture_value(open, &reference, &after, err))
        return false;
    if (before.count != 1 || after.count != 1)
        return error_set(err, TELL(EXPERIMENT_SINGLE));
    double was = before.numbers[0], is = after.numbers[0];
    int outcome = isnan(is) && !isnan(was) ? NO_NUMBER
                  : is > was               ? GROWS
                  : is < was               ? FALLS
                                           : STAYS;
    question_choose(answer, outcome);
    snprintf(answer->text, sizeof answer->text, "%d (%.40s \u2192 %.40s)", outcome + 1, before.text,
             after.text);
    return true;
}

static const char *shows(const OpenLecture *open, char text[OPEN_LECTURE_CHOICE_MAX])
{
    snprintf(text, OPEN_LECTURE_CHOICE_MAX, "%s", question_text(open)->change);
    return text;
}

// The change is made: an element where it stands, everything else in a run beside.
static bool over(Session *session, Error *err)
{
    char words[OPEN_LECTURE_CHOICE_MAX + 16];
    const char *change = question_text(session->lecture)->change;
    snprintf(words, sizeof words, "%s %s", open_lecture_changes_element(change) ? "set" : "compare",
             change);
    return open_lecture_do(session, words, err);
}

const Question question_experiment = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_EXPERIMENT,
    .single = true,
    .answer = answer_of,
    .choice = choice,
    .shows = shows,
    .over = over,
};
