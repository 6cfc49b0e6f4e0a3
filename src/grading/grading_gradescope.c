// grading_gradescope: results.json of Gradescope (gradescope-autograders.readthedocs.io, "Autograder
// Specifications"): one submission, a test with partial credit for each test of an exercise.
//
// No test is hidden there: of a submission with one that is, the person does not see the sum. Those with
// hidden numbers show none of them.
#include "fence.h"
#include "grading_cases.h"

static json_t *form(const GradingCase *found)
{
    return json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:[s]}", "score", found->score,
                     "max_score", found->max, "status",
                     found->end == GRADING_PASSED ? "passed" : "failed", "name", found->line,
                     "output", found->words, "output_format", "text", "visibility", "visible",
                     "tags", found->exercise);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    grading_object_add(grading, judging, number, form);
}

static void submission_end(Grading *grading)
{
    char fence[WORKER_FENCE_TEXT_MAX];
    json_object_set_new(grading->entry, "score", json_real(grading->sum.score));
    json_object_set_new(grading->entry, "execution_time",
                        json_real((double)grading->budget.spent / 1e3));
    json_object_set_new(
        grading->entry, "extra_data",
        json_pack("{s:s, s:b, s:b, s:I}", "fence", worker_fence_tell(grading->fence.text, fence),
                  "fence_whole", grading->fence.parts == FENCE_WHOLE, "nothing_found",
                  *grading->nowhere.text != '\0', "seed", (json_int_t)grading->person_seed));
}

static void end(Grading *grading)
{
    json_object_set_new(grading->entry, "visibility", json_string("visible"));
    json_object_set_new(grading->entry, "output_format", json_string("text"));
    grading_object_end(grading, "output");
}

const GradingFormat grading_gradescope = {
    .name = "gradescope",
    .is_for_one = true,
    .tells_fence = true,
    .begin = grading_object_begin,
    .exercise = exercise,
    .note = grading_note,
    .submission_end = submission_end,
    .end = end,
};
