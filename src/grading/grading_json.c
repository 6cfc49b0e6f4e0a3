// grading_json: for programs, all of it: what `attnscope check all --json` says, for each submission.
#include "fence.h"
#include "grading_work.h"

static void begin(Grading *grading)
{
    grading->list = json_array();
}

// What there is no memory for is not left out in silence: nothing is written then.
static void keep(Grading *grading, int failed)
{
    grading->is_whole = grading->is_whole && failed == 0;
}

static void submission(Grading *grading)
{
    grading->entry =
        json_pack("{s:s, s:s, s:b, s:[], s:[], s:[]}", "submission", grading->name, "fence",
                  grading->fence.text, "fence_whole", grading->fence.parts == FENCE_WHOLE,
                  "exercises", "other_files", "notes");
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    const Exercise *which = &grading->workspace.exercises.exercises[number];
    keep(grading, json_array_append_new(json_object_get(grading->entry, "exercises"),
                                        judging_json(judging, which)));
}

static void note(Grading *grading, const GradingNote *note)
{
    Arena arena = {0};
    Error err;
    const char *text = arena_format(&arena, &err, exercise_word(LANGUAGE_ENGLISH, note->word),
                                    note->what, note->more[0], note->more[1], note->more[2]);
    bool is_file = note->word == EXERCISE_SAYS_GRADE_NO_EXERCISE;
    json_t *list = json_object_get(grading->entry, is_file ? "other_files" : "notes");
    keep(grading, json_array_append_new(list, json_string(is_file || !text ? note->what : text)));
    grading->is_whole = grading->is_whole && text;
    arena_finish(&arena);
}

static void submission_end(Grading *grading)
{
    keep(grading, json_object_set_new(grading->entry, "score", json_real(grading->sum.score)));
    keep(grading, json_object_set_new(grading->entry, "score_max", json_real(grading->sum.max)));
    keep(grading,
         json_object_set_new(grading->entry, "days_late", json_integer(grading->days_late)));
    keep(grading, json_object_set_new(grading->entry, "seed", json_integer(grading->person_seed)));
    keep(grading, json_object_set_new(grading->entry, "budget",
                                      json_pack("{s:i, s:i, s:f}", "seconds", BUDGET_SECONDS,
                                                "megabytes", BUDGET_MEGABYTES, "seconds_used",
                                                (double)grading->budget.spent / 1000.0)));
    keep(grading, json_object_set_new(grading->entry, "points", json_integer(grading->points)));
    keep(grading, json_object_set_new(grading->entry, "max", json_integer(grading->max)));
    keep(grading,
         json_object_set_new(grading->entry, "not_judged", json_integer(grading->not_judged)));
    keep(grading, json_array_append_new(grading->list, grading->entry));
}

static void end(Grading *grading)
{
    if (grading->is_whole)
        keep(grading, json_dumpf(grading->list, grading->out, JSON_INDENT(2)));
    if (grading->is_whole)
        fputc('\n', grading->out);
    json_decref(grading->list);
}

const GradingFormat grading_json = {
    .name = "json",
    .tells_fence = true,
    .has_all_notes = true,
    .begin = begin,
    .submission = submission,
    .exercise = exercise,
    .note = note,
    .submission_end = submission_end,
    .end = end,
};
