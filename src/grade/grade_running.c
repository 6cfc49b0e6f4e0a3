// grade_running: see grade_running.h.
#include "grade_running.h"

GradeNow grade_now;

const GradeRunning *grade_running(void)
{
    static GradeRunning now;
    Verdict *verdict = grade_now.verdict; // NULL: numbers are drawn, and no test runs
    bool is_recorded = verdict && !grade_now.alone;
    now = (GradeRunning){.exercise = grade_now.exercise,
                         .workers = grade_now.workers,
                         .test = grade_now.test,
                         .number = is_recorded ? (int)(grade_now.test - verdict->tests) : -1,
                         .is_edge = grade_now.edge > 0,
                         .goes_back = grade_now.goes_back,
                         .is_alone = grade_now.alone != NULL,
                         .arena = verdict ? &verdict->arena : NULL};
    return &now;
}
