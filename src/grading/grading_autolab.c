// grading_autolab: the last lines of an Autolab grader's output ("Formatted feedback", "Autograders"): one
// submission. The last line has a score for each problem, which is an exercise; the line before it has
// the tests. Autolab puts quotes around every word before a colon in the last line, so nothing but names
// and numbers stands there.
#include "grading_cases.h"
#include "json_whole.h"
#include "grading_words.h"

static void begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_object(); // scores
    grading->entry = json_pack("{s:s, s:[]}", "_presentation", "semantic", "stages");
    grading_notes_begin(grading);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    Error err;
    int count = grading_cases(grading, judging, number, cases, &arena);
    json_t *stage = json_object();
    for (int i = 0; i < count; i++) {
        bool passed = cases[i].end == GRADING_PASSED;
        const char *title = arena_format(&arena, &err, "%d %s%s", i + 1, cases[i].title,
                                         cases[i].hidden ? TELL(WITH_OTHER_NUMBERS) : "");
        grading->is_whole = grading->is_whole && title;
        json_object_set_new(stage, title ? title : "?",
                            passed
                                ? json_pack("{s:b}", "passed", true)
                                : json_pack("{s:b, s:s}", "passed", false, "hint", cases[i].words));
    }
    json_array_append_new(json_object_get(grading->entry, "stages"),
                          json_string(cases[0].exercise));
    json_object_set_new(grading->entry, cases[0].exercise, stage);
    json_object_set_new(grading->list, cases[0].exercise, json_real(grading->mark.score));
    arena_finish(&arena);
}

static void end(Grading *grading)
{
    Error err;
    json_t *scores = json_pack("{s:o}", "scores", grading->list);
    fputs(grading_notes_end(grading), grading->out);
    grading->is_whole = grading->is_whole &&
                        json_whole_print(grading->entry, JSON_COMPACT, grading->out, &err) &&
                        json_whole_print(scores, JSON_COMPACT, grading->out, &err);
    json_decref(grading->entry);
    json_decref(scores);
    grading_notes_drop(grading);
}

const GradingFormat grading_autolab = {
    .name = "autolab",
    .is_for_one = true,
    .begin = begin,
    .exercise = exercise,
    .note = grading_note,
    .end = end,
};
