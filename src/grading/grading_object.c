// Results of one submission as an object of JSON, with a list of tests; see grading_cases.h.
#include "grading_cases.h"
#include "json_whole.h"

void grading_object_begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_array();
    grading->entry = json_object();
    grading_notes_begin(grading);
}

void grading_object_add(Grading *grading, const Judging *judging, int number, GradingCaseForm *form)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    for (int i = 0; i < count; i++)
        json_array_append_new(grading->list, form(&cases[i]));
    arena_finish(&arena);
}

void grading_object_end(Grading *grading, const char *key)
{
    Error err;
    json_object_set_new(grading->entry, key, json_string(grading_notes_end(grading)));
    json_object_set_new(grading->entry, "tests", grading->list);
    grading->is_whole =
        grading->is_whole && json_whole_print(grading->entry, JSON_INDENT(2), grading->out, &err);
    json_decref(grading->entry);
    grading_notes_drop(grading);
}
