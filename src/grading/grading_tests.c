// The result formats of programs that read tests: JUnit, TAP, and all of it as JSON.
// grading_formats.def lists all formats.
#include "fence.h"
#include "grading.h"
#include "grading_internal.h"
#include "html.h"
#include "utf8.h"

// --- JUnit
//
// XML that servers show: a suite for each exercise of a submission, a case for each of its tests. An
// exercise has a time; a case has none, because the tests of an exercise are one run of the judge.

static const char not_judged[] = "not-judged";

static void attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    html_text(out, value);
    fputc('"', out);
}

static void junit_begin(Grading *grading)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attnscope\">\n",
          grading->out);
}

static void junit_submission(Grading *grading)
{
    (void)grading;
}

static int ended(const Judging *judging, VerdictEnd junit_end)
{
    int found = 0;
    for (int i = 0; i < judging->verdict.count; i++)
        found += judging->verdict.tests[i].end == junit_end;
    return found;
}

// What has no tests is a suite of one case, which is skipped where nothing is begun.
static void open_suite(Grading *grading, const Judging *judging, const char *name)
{
    bool has_tests = judging->verdict.count > 0, is_skipped = judging->end == JUDGING_UNTOUCHED;
    char fence[WORKER_FENCE_TEXT_MAX];
    int errors =
        has_tests ? ended(judging, VERDICT_BROKEN) + ended(judging, VERDICT_NOT_RUN) : !is_skipped;
    fputs("  <testsuite name=\"", grading->out);
    html_text(grading->out, grading->name);
    fprintf(grading->out,
            ".%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
            name, has_tests ? judging->verdict.count : 1, ended(judging, VERDICT_WRONG), errors,
            is_skipped, judging->verdict.spent / 1000.0);
    fputs("    <properties><property name=\"fence\"", grading->out);
    attribute(grading->out, "value", worker_fence_tell(grading->fence.text, fence));
    fprintf(grading->out, "/><property name=\"fence-whole\" value=\"%s\"/></properties>\n",
            grading->fence.parts == FENCE_WHOLE ? "true" : "false");
}

static void open_case(Grading *grading, const char *junit_exercise, const char *test, bool hidden)
{
    fputs("    <testcase classname=\"", grading->out);
    html_text(grading->out, grading->name);
    fprintf(grading->out, ".%s\"", junit_exercise);
    fputs(" name=\"", grading->out);
    html_text(grading->out, test);
    fprintf(grading->out, "%s\"", hidden ? TELL(WITH_OTHER_NUMBERS) : "");
}

// `kind` is "failure", "error" or "skipped"; `type` tells wrong numbers ("wrong") from a function
// that came to its junit_end ("ended") and from what this machine could not ("not-judged"). NULL: it has none.
static void close_case(Grading *grading, const char *kind, const char *type, const char *message,
                       const char *text)
{
    fprintf(grading->out, "><%s", kind);
    if (type)
        attribute(grading->out, "type", type);
    attribute(grading->out, "message", message);
    fputc('>', grading->out);
    html_text(grading->out, text);
    fprintf(grading->out, "</%s></testcase>\n", kind);
}

static void write_test(Grading *grading, const char *junit_exercise, const VerdictTest *test)
{
    Arena arena = {0};
    open_case(grading, junit_exercise, test->name, test->hidden);
    if (test->end == VERDICT_PASSED) {
        fputs("/>\n", grading->out);
        return;
    }
    const char *why = verdict_in_language(test->why, grading->language);
    const char *numbers = test->where ? grading_number_told(grading, test, &arena) : NULL;
    grading->is_whole = grading->is_whole && (numbers || !test->where);
    char title[VERDICT_TITLE_MAX];
    const char *message = why       ? why
                          : numbers ? numbers
                                    : verdict_title(test, grading->language, title);
    const char *relation = verdict_in_language(test->relation, grading->language);
    const char *mistake = test->mistakes[0] ? grading_mistake(grading, test->mistakes[0], &arena)
                          : relation        ? relation
                                            : "";
    grading->is_whole = grading->is_whole && mistake;
    if (test->end == VERDICT_WRONG)
        close_case(grading, "failure", "wrong", message, mistake ? mistake : "");
    else
        close_case(grading, "error", test->end == VERDICT_NOT_RUN ? not_judged : "ended", message,
                   mistake ? mistake : "");
    arena_finish(&arena);
}

static void junit_exercise(Grading *grading, const Judging *judging, int number)
{
    Arena arena = {0};
    const char *name = grading->workspace.exercises.exercises[number].name;
    open_suite(grading, judging, name);
    for (int i = 0; i < judging->verdict.count; i++)
        write_test(grading, name, &judging->verdict.tests[i]);
    if (judging->verdict.count == 0) {
        bool is_ours = judging->end == JUDGING_NOT_JUDGED;
        open_case(grading, name, name, false);
        if (judging->end == JUDGING_UNTOUCHED)
            close_case(grading, "skipped", NULL, TELL(NOT_BEGUN), "");
        else
            close_case(grading, "error", is_ours ? not_judged : "not-compiled",
                       grading_why(grading, judging, &arena), judging->plain.said);
    }
    fputs("  </testsuite>\n", grading->out);
    arena_finish(&arena);
}

static void junit_note(Grading *grading, const GradingNote *junit_note)
{
    Arena arena = {0};
    Error err;
    const char *message = arena_format(
        &arena, &err, exercise_word(grading->language, junit_note->word), junit_note->what,
        junit_note->more[0], junit_note->more[1], junit_note->more[2]);
    grading->is_whole = grading->is_whole && message;
    fputs("  <testsuite name=\"", grading->out);
    html_text(grading->out, grading->name);
    fputs("\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" time=\"0.000\">\n",
          grading->out);
    open_case(grading, "files", junit_note->what, false);
    close_case(grading, "skipped", NULL, message ? message : junit_note->what, "");
    fputs("  </testsuite>\n", grading->out);
    arena_finish(&arena);
}

static void junit_submission_end(Grading *grading)
{
    (void)grading;
}

static void junit_end(Grading *grading)
{
    fputs("</testsuites>\n", grading->out);
}

const GradingFormat grading_junit = {
    .name = "junit",
    .tells_fence = true,
    .begin = junit_begin,
    .submission = junit_submission,
    .exercise = junit_exercise,
    .note = junit_note,
    .submission_end = junit_submission_end,
    .end = junit_end,
};

// --- TAP
//
// The Test Anything Protocol, version 14: a line for each test, with a block of YAML where it failed. The
// plan comes last.

// A description: what would tap_begin a directive, or another line, is written as an escape.
static void describe(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '#' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
}

// A YAML text in double quotes.
static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fputs(*text == '\n' ? "\\n" : " ", out);
        else
            fputc(*text, out);
    fputc('"', out);
}

static void tap_begin(Grading *grading)
{
    grading->tested = 0;
    fputs("TAP version 14\n", grading->out);
}

static void write_case(Grading *grading, const GradingCase *one)
{
    FILE *out = grading->out;
    bool passed = one->end == GRADING_PASSED;
    fprintf(out, "%sok %d - ", passed ? "" : "not ", ++grading->tested);
    describe(out, grading->name);
    fputs(" ", out);
    describe(out, one->line);
    if (one->end == GRADING_NOT_BEGUN)
        fprintf(out, " # SKIP %s", TELL(NOT_BEGUN));
    fputc('\n', out);
    if (passed || one->end == GRADING_NOT_BEGUN)
        return;
    fputs("  ---\n  message: ", out);
    quote(out, one->words);
    fprintf(out, "\n  severity: %s\n  score: %.6g\n  max: %.6g\n  ...\n",
            one->end == GRADING_FAILED ? "fail" : "error", one->score, one->max);
}

static void tap_exercise(Grading *grading, const Judging *judging, int number)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    for (int i = 0; i < count; i++)
        write_case(grading, &cases[i]);
    arena_finish(&arena);
}

static void tap_note(Grading *grading, const GradingNote *tap_note)
{
    fprintf(grading->out, "# %s: ", grading->name);
    exercise_say(grading->out, grading->language, tap_note->word, tap_note->what, tap_note->more[0],
                 tap_note->more[1], tap_note->more[2]);
    fputc('\n', grading->out);
}

static void tap_end(Grading *grading)
{
    fprintf(grading->out, "1..%d\n", grading->tested);
}

const GradingFormat grading_tap = {
    .name = "tap",
    .begin = tap_begin,
    .exercise = tap_exercise,
    .note = tap_note,
    .end = tap_end,
};

// --- JSON
//
// For each submission what `attnscope check all --json` says.

static void json_begin(Grading *grading)
{
    grading->list = json_array();
}

// What there is no memory for is not left out in silence: nothing is written then.
static void keep(Grading *grading, int failed)
{
    grading->is_whole = grading->is_whole && failed == 0;
}

static void json_submission(Grading *grading)
{
    grading->entry =
        json_pack("{s:s, s:s, s:b, s:[], s:[], s:[]}", "submission", grading->name, "fence",
                  grading->fence.text, "fence_whole", grading->fence.parts == FENCE_WHOLE,
                  "exercises", "other_files", "notes");
}

static void json_exercise(Grading *grading, const Judging *judging, int number)
{
    const Exercise *which = &grading->workspace.exercises.exercises[number];
    keep(grading, json_array_append_new(json_object_get(grading->entry, "exercises"),
                                        judging_json(judging, which)));
}

static void json_note(Grading *grading, const GradingNote *json_note)
{
    Arena arena = {0};
    Error err;
    const char *text =
        arena_format(&arena, &err, exercise_word(LANGUAGE_ENGLISH, json_note->word),
                     json_note->what, json_note->more[0], json_note->more[1], json_note->more[2]);
    bool is_file = json_note->word == EXERCISE_SAYS_GRADE_NO_EXERCISE;
    json_t *list = json_object_get(grading->entry, is_file ? "other_files" : "notes");
    keep(grading,
         json_array_append_new(list, json_string(is_file || !text ? json_note->what : text)));
    grading->is_whole = grading->is_whole && text;
    arena_finish(&arena);
}

static void json_submission_end(Grading *grading)
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

static void json_end(Grading *grading)
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
    .begin = json_begin,
    .submission = json_submission,
    .exercise = json_exercise,
    .note = json_note,
    .submission_end = json_submission_end,
    .end = json_end,
};
