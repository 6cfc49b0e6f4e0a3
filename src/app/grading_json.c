// grading_json: for programs, all of it: what `attnscope check all --json` says, for each submission.
#include "grading.h"

static void begin(Grading *grading)
{
    grading->list = json_array();
}

static void submission(Grading *grading)
{
    grading->entry =
        json_pack("{s:s, s:[], s:[]}", "submission", grading->name, "exercises", "other_files");
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    json_array_append_new(json_object_get(grading->entry, "exercises"),
                          judging_json(judging, &grading->workspace.exercises.exercises[number]));
}

static void stray(Grading *grading, const char *file)
{
    json_array_append_new(json_object_get(grading->entry, "other_files"), json_string(file));
}

static void submission_end(Grading *grading)
{
    json_object_set_new(grading->entry, "points", json_integer(grading->points));
    json_object_set_new(grading->entry, "max", json_integer(grading->max));
    json_array_append_new(grading->list, grading->entry);
}

static void end(Grading *grading)
{
    json_dumpf(grading->list, grading->out, JSON_INDENT(2));
    fputc('\n', grading->out);
    json_decref(grading->list);
}

const GradingFormat grading_json = {
    .name = "json",
    .begin = begin,
    .submission = submission,
    .exercise = exercise,
    .stray = stray,
    .submission_end = submission_end,
    .end = end,
};
