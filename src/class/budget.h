// What a submission may take in all, so that whatever it does, it ends: processor time of compiling, and
// of the starts and calls of its functions, with the time in which these only wait. Each exercise gets a
// share. Where one uses much of it, the next ones get half as much; none gets more than is left.
//
// Life cycle: budget_open, then for each exercise budget_share and, after it, budget_spend.
#ifndef BUDGET_H
#define BUDGET_H

#include <stdbool.h>

enum { BUDGET_SECONDS = 60, BUDGET_MEGABYTES = 512 }; // the latter of each of its functions

// An exercise is compiled twice, and both programs are called.
enum { BUDGET_PROGRAMS = 2 };

typedef struct Budget {
    long spent;          // milliseconds, of all exercises so far
    int compile_seconds; // the next exercise's, for each of its programs
    int patience;        // milliseconds of starts and calls, for each as well
} Budget;

Budget budget_open(void);

// Makes the share of the next exercise fit what is left. False when that would not do for an honest one.
bool budget_share(Budget *budget);

// Notes what an exercise has taken, in milliseconds, of both programs together.
void budget_spend(Budget *budget, long compiled, long ran);

#endif
