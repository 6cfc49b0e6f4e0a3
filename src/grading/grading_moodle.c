// grading_moodle: Moodle's offline grading worksheet as CSV: a row for each submission. Who it is from
// stands in the name that Moodle gives to what it lets one download: "Anna Kim_12345_assignsubmission_file_".
#include "grading_cases.h"

enum { NAME_BYTES_MAX = 2048 };

static void begin(Grading *grading)
{
    fputs("Identifier,\"Full name\",Grade,\"Maximum Grade\",\"Feedback comments\"\n", grading->out);
}

static void submission(Grading *grading)
{
    grading_notes_begin(grading);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    Arena arena = {0};
    const char *why = grading_why(grading, judging, &arena);
    const char *name = grading->workspace.exercises.exercises[number].name;
    if (grading->notes.out)
        fprintf(grading->notes.out, "%s: %.6g/%.6g%s%s\n", name, grading->mark.score,
                grading->mark.max, *why ? ", " : "", why);
    arena_finish(&arena);
}

static void submission_end(Grading *grading)
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
    .begin = begin,
    .submission = submission,
    .exercise = exercise,
    .note = grading_note,
    .submission_end = submission_end,
};
