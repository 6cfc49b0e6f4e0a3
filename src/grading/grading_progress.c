// grading_progress: see grading_progress.h.
#include "grading_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "grading_words.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void show(const GradingProgress *progress)
{
    if (!progress->is_shown)
        return;
    fprintf(stderr, TELL(PROGRESS_COUNT), progress->done, progress->count);
    if (progress->done > 0) {
        double left =
            (now() - progress->begun) / progress->done * (progress->count - progress->done);
        fprintf(stderr, TELL(PROGRESS_LEFT), (int)left / 60, (int)left % 60);
    }
    fflush(stderr);
}

GradingProgress grading_progress_begin(int count)
{
    GradingProgress progress = {
        .count = count, .begun = now(), .is_shown = isatty(STDERR_FILENO) && count > 1};
    show(&progress);
    return progress;
}

void grading_progress_step(GradingProgress *progress, int done)
{
    progress->done = done;
    show(progress);
}

void grading_progress_end(GradingProgress *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
}
