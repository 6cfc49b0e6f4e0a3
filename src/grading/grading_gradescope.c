// grading_gradescope: results.json of Gradescope (gradescope-autograders.readthedocs.io, "Autograder
// Specifications"): one submission, a test with partial credit for each test of an exercise.
//
// No test is hidden there: of a submission with one that is, the person does not see the sum. Those with
// hidden numbers show none of them.
#include "fence.h"
#include "grading_cases.h"
#include "json_whole.h"

static void begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_array();
    grading->entry = json_object();
    grading_notes_begin(grading);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    for (int i = 0; i < count; i++) {
        json_t *test = json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:[s]}", "score",
                                 cases[i].score, "max_score", cases[i].max, "status",
                                 cases[i].end == GRADING_PASSED ? "passed" : "failed", "name",
                                 cases[i].line, "output", cases[i].words, "output_format", "text",
                                 "visibility", "visible", "tags", cases[i].exercise);
        json_array_append_new(grading->list, test);
    }
    arena_finish(&arena);
}

static void submission_end(Grading *grading)
{
    char fence[WORKER_FENCE_TEXT_MAX];
    json_object_set_new(grading->entry, "score", json_real(grading->sum.score));
    json_object_set_new(grading->entry, "execution_time",
                        json_real((double)grading->budget.spent / 1e3));
    json_object_set_new(grading->entry, "extra_data",
                        json_pack("{s:s, s:b, s:I}", "fence",
                                  worker_fence_tell(grading->fence.text, fence), "fence_whole",
                                  grading->fence.parts == FENCE_WHOLE, "seed",
                                  (json_int_t)grading->person_seed));
}

static void end(Grading *grading)
{
    Error err;
    json_object_set_new(grading->entry, "visibility", json_string("visible"));
    json_object_set_new(grading->entry, "output_format", json_string("text"));
    json_object_set_new(grading->entry, "output", json_string(grading_notes_end(grading)));
    json_object_set_new(grading->entry, "tests", grading->list);
    grading->is_whole =
        grading->is_whole && json_whole_print(grading->entry, JSON_INDENT(2), grading->out, &err);
    json_decref(grading->entry);
    grading_notes_drop(grading);
}

const GradingFormat grading_gradescope = {
    .name = "gradescope",
    .is_for_one = true,
    .tells_fence = true,
    .begin = begin,
    .exercise = exercise,
    .note = grading_note,
    .submission_end = submission_end,
    .end = end,
};
