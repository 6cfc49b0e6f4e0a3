// grading_classroom: what a grading step of GitHub Classroom hands to autograding-grading-reporter: the line
// "result=" for the file that GITHUB_OUTPUT names, with JSON of version 1 in base64. One submission.
//
// Classroom takes the sum of the scores; the table that the reporter prints counts passed tests instead. The
// status says neither: with "fail" the reporter ends the workflow with "Some tests failed", with "error" with
// "Some tests errored". So points that a late day costs fail nothing, and those of an extra exercise pass
// nothing that failed.
//
// max_score is a whole number there. Where the points of a course add up to none, all of them are told as so
// many times what they are, and standard error says so: 20 of 32.5 are 40 of 65.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base64.h"
#include "grading_cases.h"
#include "json_whole.h"
#include "grading_words.h"

static void begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_array();
    grading->tests_failed = grading->tests_unjudged = 0;
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    static const char *const ends[] = {
        [GRADING_PASSED] = "pass",     [GRADING_FAILED] = "fail",    [GRADING_BROKEN] = "error",
        [GRADING_NOT_BEGUN] = "error", [GRADING_UNJUDGED] = "error",
    };
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    Error err;
    int count = grading_cases(grading, judging, number, cases, &arena);
    grading_count(grading, cases, count);
    const char *file = workspace_below(&grading->workspace, number, &arena, &err);
    grading->is_whole = grading->is_whole && file;
    for (int i = 0; i < count; i++)
        json_array_append_new(grading->list,
                              json_pack("{s:s, s:s, s:f, s:s, s:s, s:s, s:i, s:i}", "name",
                                        cases[i].line, "status", ends[cases[i].end], "score",
                                        cases[i].score, "message", cases[i].words, "test_code", "",
                                        "filename", file ? file : "", "line_no", 0, "duration", 0));
    arena_finish(&arena);
}

// How many times the points are told: the fewest that make a whole number of their maximum. Where no
// number of times does, the next whole number stands for the maximum.
static double times_of(double max)
{
    enum { TIMES_MAX = 100 };
    const double near = 1e-6;
    for (int times = 1; times <= TIMES_MAX; times++)
        if (fabs(times * max - round(times * max)) < near)
            return times;
    return ceil(max) / max;
}

static void tell_times(const Grading *grading, double times)
{
    if (times != 1)
        fprintf(stderr, TELL(CLASSROOM_TIMES), grading->sum.score, grading->sum.max,
                grading->sum.score * times, round(grading->sum.max * times));
}

static void submission_end(Grading *grading)
{
    double times = times_of(grading->sum.max);
    size_t i;
    json_t *test;
    json_array_foreach(grading->list, i, test)
    {
        json_t *score = json_object_get(test, "score");
        json_real_set(score, json_real_value(score) * times);
    }
    tell_times(grading, times);
    const char *status = grading->tests_failed > 0     ? "fail"
                         : grading->tests_unjudged > 0 ? "error"
                                                       : "pass";
    grading->entry = json_pack("{s:i, s:s, s:I, s:O}", "version", 1, "status", status, "max_score",
                               (json_int_t)round(grading->sum.max * times), "tests", grading->list);
}

static void end(Grading *grading)
{
    Error err;
    Arena arena = {0};
    bool whole = json_whole(&err) && grading->is_whole;
    char *text = whole ? json_dumps(grading->entry, JSON_COMPACT) : NULL;
    const char *packed = text ? base64_text(text, strlen(text), &arena, &err) : NULL;
    grading->is_whole = grading->is_whole && packed;
    if (packed)
        fprintf(grading->out, "result=%s\n", packed);
    free(text);
    json_decref(grading->entry);
    json_decref(grading->list);
    arena_finish(&arena);
}

const GradingFormat grading_classroom = {
    .name = "classroom",
    .is_for_one = true,
    .begin = begin,
    .exercise = exercise,
    .submission_end = submission_end,
    .end = end,
};
