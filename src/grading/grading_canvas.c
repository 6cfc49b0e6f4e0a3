// grading_canvas: Canvas's gradebook as CSV, to be imported there: a row for each submission, whose name
// Canvas has made: "kimanna_12345_678_attention". Where it has made none, the name stands as login.
#include "grading_cases.h"

enum { NAME_BYTES_MAX = 2048 };

static void begin(Grading *grading)
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

static void exercise(Grading *grading, const Judging *judging, int number)
{
    (void)grading, (void)judging, (void)number;
}

static void submission_end(Grading *grading)
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
    .begin = begin,
    .exercise = exercise,
    .submission_end = submission_end,
};
