// grading_prairielearn: results.json of PrairieLearn ("External grading"): one submission. Points and their
// maximum stand with every test, or none would be shown. What this machine could not judge is not
// gradable: no attempt is charged for it.
#include "grading_cases.h"
#include "json_whole.h"
#include "grading_words.h"

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
    for (int i = 0; i < count; i++)
        json_array_append_new(grading->list,
                              json_pack("{s:s, s:f, s:f, s:s}", "name", cases[i].line, "points",
                                        cases[i].score, "max_points", cases[i].max, "message",
                                        cases[i].words));
    arena_finish(&arena);
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
                            json_pack("[s]", TELL(MACHINE_COULD_NOT)));
}

static void end(Grading *grading)
{
    Error err;
    json_object_set_new(grading->entry, "message", json_string(grading_notes_end(grading)));
    json_object_set_new(grading->entry, "tests", grading->list);
    grading->is_whole =
        grading->is_whole && json_whole_print(grading->entry, JSON_INDENT(2), grading->out, &err);
    json_decref(grading->entry);
    grading_notes_drop(grading);
}

const GradingFormat grading_prairielearn = {
    .name = "prairielearn",
    .is_for_one = true,
    .begin = begin,
    .exercise = exercise,
    .note = grading_note,
    .submission_end = submission_end,
    .end = end,
};
