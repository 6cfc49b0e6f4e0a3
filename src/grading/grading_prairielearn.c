// grading_prairielearn: results.json of PrairieLearn ("External grading"): one submission. Points and their
// maximum stand with every test, or none would be shown. What this machine could not judge is not
// gradable, as is what was not found: no attempt is charged for it.
#include "grading_cases.h"
#include "grading_words.h"

static json_t *form(const GradingCase *found)
{
    return json_pack("{s:s, s:f, s:f, s:s}", "name", found->line, "points", found->score,
                     "max_points", found->max, "message", found->words);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    grading_object_add(grading, judging, number, form);
}

static void submission_end(Grading *grading)
{
    double part = grading->sum.max > 0 ? grading->sum.score / grading->sum.max : 0;
    bool gradable = grading->not_judged == 0;
    json_object_set_new(grading->entry, "gradable", json_boolean(gradable));
    if (gradable)
        json_object_set_new(grading->entry, "score", json_real(part > 1 ? 1 : part));
    else
        json_object_set_new(grading->entry, "format_errors",
                            json_pack("[s]", *grading->nowhere.text ? grading->nowhere.text
                                                                    : TELL(MACHINE_COULD_NOT)));
}

static void end(Grading *grading)
{
    grading_object_end(grading, "message");
}

const GradingFormat grading_prairielearn = {
    .name = "prairielearn",
    .is_for_one = true,
    .begin = grading_object_begin,
    .exercise = exercise,
    .note = grading_note,
    .submission_end = submission_end,
    .end = end,
};
