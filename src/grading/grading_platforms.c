// The result formats of grading platforms and gradebooks, with the document that defines each. grading_formats.def lists
// all formats.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "digest.h"
#include "fence.h"
#include "grading_internal.h"
#include "json.h"
#include "utf8.h"

// --- Gradescope
//
// results.json (gradescope-autograders.readthedocs.io, "Autograder Specifications"): one submission, a test with partial
// credit per test of an exercise.
//
// No test is marked hidden, because Gradescope then hides the sum. Tests with hidden numbers show none.

static json_t *gradescope_form(const GradingCase *found)
{
    return json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:[s]}", "score", found->score,
                     "max_score", found->max, "status",
                     found->end == GRADING_PASSED ? "passed" : "failed", "name", found->line,
                     "output", found->words, "output_format", "text", "visibility", "visible",
                     "tags", found->exercise);
}

static void gradescope_submission_end(Grading *grading)
{
    char fence[WORKER_FENCE_TEXT_MAX];
    json_object_set_new(grading->entry, "score", json_real(grading->sum.score));
    json_object_set_new(grading->entry, "execution_time",
                        json_real((double)grading->budget.spent / 1e3));
    json_object_set_new(
        grading->entry, "extra_data",
        json_pack("{s:s, s:b, s:b, s:I}", "fence", worker_fence_text(grading->fence.text, fence),
                  "fence_whole", grading->fence.parts == FENCE_WHOLE, "nothing_found",
                  *grading->nowhere.text != '\0', "seed", (json_int_t)grading->person_seed));
}

static void gradescope_end(Grading *grading)
{
    json_object_set_new(grading->entry, "visibility", json_string("visible"));
    json_object_set_new(grading->entry, "output_format", json_string("text"));
    json_object_set_new(grading->entry, "output", json_string(grading_notes_end(grading)));
    json_object_set(grading->entry, "tests", grading->list);
    grading_object_end(grading, grading->entry, JSON_INDENT(2));
}

const GradingFormat grading_gradescope = {
    .name = "gradescope",
    .is_for_one = true,
    .tells_fence = true,
    .begin = grading_object_begin,
    .form = gradescope_form,
    .note = grading_note,
    .submission_end = gradescope_submission_end,
    .end = gradescope_end,
};

// --- PrairieLearn
//
// results.json ("External grading"): one submission. Tests without a maximum would not be shown. What could not be judged
// or found is "not gradable", which charges no attempt.

static json_t *prairielearn_form(const GradingCase *found)
{
    return json_pack("{s:s, s:f, s:f, s:s}", "name", found->line, "points", found->score,
                     "max_points", found->max, "message", found->words);
}

static void prairielearn_submission_end(Grading *grading)
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

static void prairielearn_end(Grading *grading)
{
    json_object_set_new(grading->entry, "message", json_string(grading_notes_end(grading)));
    json_object_set(grading->entry, "tests", grading->list);
    grading_object_end(grading, grading->entry, JSON_INDENT(2));
}

const GradingFormat grading_prairielearn = {
    .name = "prairielearn",
    .is_for_one = true,
    .begin = grading_object_begin,
    .form = prairielearn_form,
    .note = grading_note,
    .submission_end = prairielearn_submission_end,
    .end = prairielearn_end,
};

// --- Exercism
//
// results.json of a test runner, version 2 ("The test runner interface"): one submission. Status "error" with a message if
// nothing could be tested.

enum { MESSAGE_COLUMNS = 8000 }; // at most 65535 bytes

static json_t *exercism_form(const GradingCase *found)
{
    static char message[1 << 16];
    bool passed = found->end == GRADING_PASSED;
    utf8_cut(found->words, MESSAGE_COLUMNS, message, sizeof message);
    return json_pack("{s:s, s:s, s:s?}", "name", found->line, "status",
                     passed                         ? "pass"
                     : found->end == GRADING_FAILED ? "fail"
                                                    : "error",
                     "message", passed ? NULL : message);
}

static void exercism_exercise(Grading *grading, const Judging *judging, int number)
{
    Arena arena = {0};
    GradingCase cases[GRADING_CASES_MAX];
    grading->tested += judging->end == JUDGING_DONE;
    if (judging->end != JUDGING_DONE && grading->notes.out) {
        grading_cases(grading, judging, number, cases, &arena);
        fprintf(grading->notes.out, "%s: %s\n", cases[0].exercise, cases[0].words);
    }
    arena_finish(&arena);
}

static void exercism_end(Grading *grading)
{
    bool is_error = grading->tested == 0;
    bool passed = grading->tests_failed + grading->tests_unjudged == 0; // whatever the extra points
    const char *status = is_error ? "error" : passed ? "pass" : "fail";
    json_t *result = json_pack("{s:i, s:s, s:s?, s:O*}", "version", 2, "status", status, "message",
                               is_error ? grading_notes_end(grading) : NULL, "tests",
                               is_error ? NULL : grading->list);
    grading_object_end(grading, result, JSON_INDENT(2));
    json_decref(result);
}

const GradingFormat grading_exercism = {
    .name = "exercism",
    .is_for_one = true,
    .begin = grading_object_begin,
    .form = exercism_form,
    .exercise = exercism_exercise,
    .note = grading_note,
    .end = exercism_end,
};

// --- Autolab
//
// The last lines of a grader's output ("Formatted feedback", "Autograders"): one submission.

static void autolab_begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_object(); // scores
    grading->entry = json_pack("{s:s, s:[]}", "_presentation", "semantic", "stages");
    grading_notes_begin(grading);
}

static void autolab_exercise(Grading *grading, const Judging *judging, int number)
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
        json_object_set_new(stage, grading_kept(grading, title),
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

static void autolab_end(Grading *grading)
{
    Error err;
    json_t *scores = json_pack("{s:O}", "scores", grading->list);
    fputs(grading_notes_end(grading), grading->out);
    grading->is_whole =
        grading->is_whole && json_whole_print(grading->entry, JSON_COMPACT, grading->out, &err);
    grading_object_end(grading, scores, JSON_COMPACT);
    json_decref(scores);
}

const GradingFormat grading_autolab = {
    .name = "autolab",
    .is_for_one = true,
    .begin = autolab_begin,
    .exercise = autolab_exercise,
    .note = grading_note,
    .end = autolab_end,
};

// --- GitHub Classroom
//
// For autograding-grading-reporter: the line "result=" in the file named by GITHUB_OUTPUT, with JSON of version 1 in
// base64. One submission.
//
// Classroom sums the scores; the reporter's table counts passed tests. With status "fail" the reporter ends the workflow
// with "Some tests failed", with "error" with "Some tests errored". So points lost to lateness fail nothing, and extra
// points do not make up for a failure.
//
// max_score is an integer. If a course's points sum to a fraction, all are multiplied, and standard error says so: 20 of
// 32.5 become 40 of 65.

static json_t *classroom_form(const GradingCase *found)
{
    static const char *const ends[] = {
        [GRADING_PASSED] = "pass",     [GRADING_FAILED] = "fail",    [GRADING_BROKEN] = "error",
        [GRADING_NOT_BEGUN] = "error", [GRADING_UNJUDGED] = "error",
    };
    return json_pack("{s:s, s:s, s:f, s:s, s:s, s:s, s:i, s:i}", "name", found->line, "status",
                     ends[found->end], "score", found->score, "message", found->words, "test_code",
                     "", "filename", found->file, "line_no", 0, "duration", 0);
}

// The smallest factor that makes the maximum an integer. If none does, the maximum is rounded up.
static double times_of(double max)
{
    enum { TIMES_MAX = 100 };
    const double near = 1e-6;
    for (int times = 1; times <= TIMES_MAX; times++)
        if (fabs(times * max - round(times * max)) < near)
            return times;
    return ceil(max) / max;
}

static void classroom_submission_end(Grading *grading)
{
    double times = times_of(grading->sum.max);
    size_t i;
    json_t *test;
    json_array_foreach(grading->list, i, test)
    {
        json_t *score = json_object_get(test, "score");
        json_real_set(score, json_real_value(score) * times);
    }
    if (times != 1)
        fprintf(stderr, TELL(CLASSROOM_TIMES), grading->sum.score, grading->sum.max,
                grading->sum.score * times, round(grading->sum.max * times));
    const char *status = grading->tests_failed > 0     ? "fail"
                         : grading->tests_unjudged > 0 ? "error"
                                                       : "pass";
    json_decref(grading->entry);
    grading->entry = json_pack("{s:i, s:s, s:I, s:O}", "version", 1, "status", status, "max_score",
                               (json_int_t)round(grading->sum.max * times), "tests", grading->list);
}

static void classroom_end(Grading *grading)
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
    grading_notes_drop(grading);
    arena_finish(&arena);
}

const GradingFormat grading_classroom = {
    .name = "classroom",
    .is_for_one = true,
    .begin = grading_object_begin,
    .form = classroom_form,
    .submission_end = classroom_submission_end,
    .end = classroom_end,
};

// --- Canvas
//
// A gradebook CSV to import: a row per submission, named by Canvas "kimanna_12345_678_attention". Any other name is taken
// as the login.

enum { NAME_BYTES_MAX = 2048 };

static void canvas_begin(Grading *grading)
{
    const char *course = grading->course.name;
    double most = 0;
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i) && !grading->course.exercises[i].is_extra)
            most += grading->course.exercises[i].points;
    fputs("Student,ID,SIS User ID,SIS Login ID,Section,", grading->out);
    grading_field(grading->out, *course ? course : "attention");
    fprintf(grading->out, "\n\"    Points Possible\",,,,,%.6g\n", most);
}

static void canvas_submission_end(Grading *grading)
{
    char who[NAME_BYTES_MAX], id[NAME_BYTES_MAX];
    grading_person(grading->name, who, id, sizeof who);
    grading_field(grading->out, who);
    fprintf(grading->out, ",%s,,", id);
    grading_field(grading->out, *id ? "" : who);
    fputs(",,", grading->out);
    if (grading->not_judged == 0)
        fprintf(grading->out, "%.6g", grading->sum.score);
    fputc('\n', grading->out);
}

const GradingFormat grading_canvas = {
    .name = "canvas",
    .begin = canvas_begin,
    .submission_end = canvas_submission_end,
};

// --- Moodle
//
// An offline grading worksheet as CSV: a row per submission. Moodle names downloads
// "Anna Kim_12345_assignsubmission_file_".

static void moodle_begin(Grading *grading)
{
    fputs("Identifier,\"Full name\",Grade,\"Maximum Grade\",\"Feedback comments\"\n", grading->out);
}

static void moodle_exercise(Grading *grading, const Judging *judging, int number)
{
    Arena arena = {0};
    const char *why = grading_why(grading, judging, &arena);
    const char *name = grading->workspace.exercises.exercises[number].name;
    if (grading->notes.out)
        fprintf(grading->notes.out, "%s: %.6g/%.6g%s%s\n", name, grading->mark.score,
                grading->mark.max, *why ? ", " : "", why);
    arena_finish(&arena);
}

static void moodle_submission_end(Grading *grading)
{
    char who[NAME_BYTES_MAX], id[NAME_BYTES_MAX], participant[NAME_BYTES_MAX + 16];
    grading_person(grading->name, who, id, sizeof who);
    snprintf(participant, sizeof participant, "%s%s", *id ? "Participant " : "", *id ? id : who);
    grading_field(grading->out, participant);
    fputc(',', grading->out);
    grading_field(grading->out, who);
    if (grading->not_judged > 0)
        fputs(",,", grading->out); // no grade is better than a wrong one
    else
        fprintf(grading->out, ",%.6g,", grading->sum.score);
    fprintf(grading->out, "%.6g,", grading->sum.max);
    grading_field(grading->out, grading_notes_end(grading));
    fputc('\n', grading->out);
    grading_notes_drop(grading);
}

const GradingFormat grading_moodle = {
    .name = "moodle",
    .begin = moodle_begin,
    .submission = grading_notes_begin,
    .exercise = moodle_exercise,
    .note = grading_note,
    .submission_end = moodle_submission_end,
};
