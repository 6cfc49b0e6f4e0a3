// grading_tap: the Test Anything Protocol, version 14: a line for each test of everybody, with a block of
// YAML where one did not pass. The plan comes last.
#include "grading_cases.h"
#include "utf8.h"
#include "grading_words.h"

// A description: what would begin a directive, or another line, is written as an escape.
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

static void begin(Grading *grading)
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

static void exercise(Grading *grading, const Judging *judging, int number)
{
    GradingCase cases[GRADING_CASES_MAX];
    Arena arena = {0};
    int count = grading_cases(grading, judging, number, cases, &arena);
    for (int i = 0; i < count; i++)
        write_case(grading, &cases[i]);
    arena_finish(&arena);
}

static void note(Grading *grading, const GradingNote *note)
{
    fprintf(grading->out, "# %s: ", grading->name);
    exercise_say(grading->out, grading->language, note->word, note->what, note->more[0],
                 note->more[1], note->more[2]);
    fputc('\n', grading->out);
}

static void end(Grading *grading)
{
    fprintf(grading->out, "1..%d\n", grading->tested);
}

const GradingFormat grading_tap = {
    .name = "tap",
    .begin = begin,
    .exercise = exercise,
    .note = note,
    .end = end,
};
