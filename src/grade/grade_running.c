// grade_running: see grade_run.h.
#include "grade_running.h"

GradeRunning grade_running(const GradeCase *drawn)
{
    GradeRun *run = drawn->run;
    if (!run)
        return (GradeRunning){.number = -1};
    Verdict *verdict = run->verdict;
    return (GradeRunning){.workers = run->workers,
                          .test = run->test,
                          .number = run->alone ? -1 : (int)(run->test - verdict->tests),
                          .edge = run->edge,
                          .goes_back = run->goes_back,
                          .is_alone = run->alone != NULL,
                          .is_witness = run->round > 0,
                          .naming = &run->naming,
                          .arena = &verdict->arena};
}
