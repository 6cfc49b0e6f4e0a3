// grading_exercism: results.json of an Exercism test runner, version 2 ("The test runner interface"): one
// submission. Its status is an error where nothing could be tested, and then says why.
#include "grading_cases.h"
#include "json_whole.h"
#include "utf8.h"

enum { MESSAGE_COLUMNS = 8000 }; // at most 65535 bytes

static void begin(Grading *grading)
{
    json_whole_begin();
    grading->list = json_array();
    grading_notes_begin(grading);
    grading->tested = grading->tests_failed = grading->tests_unjudged = 0;
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    grading_count(grading, cases, count);
    for (int i = 0; i < count; i++) {
        static char message[1 << 16];
        bool passed = cases[i].end == GRADING_PASSED;
        utf8_cut(cases[i].words, MESSAGE_COLUMNS, message, sizeof message);
        json_t *test = json_pack("{s:s, s:s, s:s}", "name", cases[i].line, "status",
                                 passed                           ? "pass"
                                 : cases[i].end == GRADING_FAILED ? "fail"
                                                                  : "error",
                                 "message", message);
        if (passed)
            json_object_set_new(test, "message", json_null());
        json_array_append_new(grading->list, test);
    }
    grading->tested += judging->end == JUDGING_DONE;
    if (judging->end != JUDGING_DONE && grading->notes.out)
        fprintf(grading->notes.out, "%s: %s\n", cases[0].exercise, cases[0].words);
    arena_finish(&arena);
}

static void end(Grading *grading)
{
    Error err;
    bool is_error = grading->tested == 0;
    bool passed =
        grading->tests_failed + grading->tests_unjudged == 0; // whatever points extra ones gave
    const char *status = is_error ? "error" : passed ? "pass" : "fail";
    json_t *result = json_pack("{s:i, s:s, s:o}", "version", 2, "status", status, "message",
                               is_error ? json_string(grading_notes_end(grading)) : json_null());
    if (!is_error)
        json_object_set(result, "tests", grading->list);
    grading->is_whole =
        grading->is_whole && json_whole_print(result, JSON_INDENT(2), grading->out, &err);
    json_decref(result);
    json_decref(grading->list);
    grading_notes_drop(grading);
}

const GradingFormat grading_exercism = {
    .name = "exercism",
    .is_for_one = true,
    .begin = begin,
    .exercise = exercise,
    .note = grading_note,
    .end = end,
};
