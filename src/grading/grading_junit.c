// grading_junit: JUnit's XML, which servers that run tests show: a suite for each exercise of a
// submission, a case for each of its tests. An exercise has its time; a case has none of its own, since the
// tests of an exercise are one run of the judge, and what they share (drawing numbers, starting the learner's
// process) belongs to none of them.
#include "fence.h"
#include "grading.h"
#include "html_text.h"
#include "grading_words.h"

static const char not_judged[] = "not-judged";

static void attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    html_text(out, value);
    fputc('"', out);
}

static void begin(Grading *grading)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attnscope\">\n",
          grading->out);
}

static void submission(Grading *grading)
{
    (void)grading;
}

static int ended(const Judging *judging, VerdictEnd end)
{
    int found = 0;
    for (int i = 0; i < judging->verdict.count; i++)
        found += judging->verdict.tests[i].end == end;
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

static void open_case(Grading *grading, const char *exercise, const char *test, bool hidden)
{
    fputs("    <testcase classname=\"", grading->out);
    html_text(grading->out, grading->name);
    fprintf(grading->out, ".%s\"", exercise);
    fputs(" name=\"", grading->out);
    html_text(grading->out, test);
    fprintf(grading->out, "%s\"", hidden ? TELL(WITH_OTHER_NUMBERS) : "");
}

// `kind` is "failure", "error" or "skipped"; `type` tells wrong numbers ("wrong") from a function
// that came to its end ("ended") and from what this machine could not ("not-judged"). NULL: it has none.
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

static void write_test(Grading *grading, const char *exercise, const VerdictTest *test)
{
    Arena arena = {0};
    open_case(grading, exercise, test->name, test->hidden);
    if (test->end == VERDICT_PASSED) {
        fputs("/>\n", grading->out);
        return;
    }
    const char *why = verdict_told(test->why, grading->language);
    const char *numbers = test->where ? grading_number_told(grading, test, &arena) : NULL;
    grading->is_whole = grading->is_whole && (numbers || !test->where);
    char title[VERDICT_TITLE_MAX];
    const char *message = why       ? why
                          : numbers ? numbers
                                    : verdict_title(test, grading->language, title);
    const char *relation = verdict_told(test->relation, grading->language);
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

static void exercise(Grading *grading, const Judging *judging, int number)
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

static void note(Grading *grading, const GradingNote *note)
{
    Arena arena = {0};
    Error err;
    const char *message = arena_format(&arena, &err, exercise_word(grading->language, note->word),
                                       note->what, note->more[0], note->more[1], note->more[2]);
    grading->is_whole = grading->is_whole && message;
    fputs("  <testsuite name=\"", grading->out);
    html_text(grading->out, grading->name);
    fputs("\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" time=\"0.000\">\n",
          grading->out);
    open_case(grading, "files", note->what, false);
    close_case(grading, "skipped", NULL, message ? message : note->what, "");
    fputs("  </testsuite>\n", grading->out);
    arena_finish(&arena);
}

static void submission_end(Grading *grading)
{
    (void)grading;
}

static void end(Grading *grading)
{
    fputs("</testsuites>\n", grading->out);
}

const GradingFormat grading_junit = {
    .name = "junit",
    .tells_fence = true,
    .begin = begin,
    .submission = submission,
    .exercise = exercise,
    .note = note,
    .submission_end = submission_end,
    .end = end,
};
