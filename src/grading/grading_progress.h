// How far the judging of a class is, as one line of the terminal that is written over; nothing where
// standard error is no terminal.
#ifndef GRADING_PROGRESS_H
#define GRADING_PROGRESS_H

#include <stdbool.h>

typedef struct GradingProgress {
    int done, count;
    double begun; // by the clock
    bool is_shown;
} GradingProgress;

GradingProgress grading_progress_begin(int count);
void grading_progress_step(GradingProgress *progress, int done);
void grading_progress_end(GradingProgress *progress); // takes the line away

#endif
