// A check in a process beside this one: keys are heard meanwhile, and it can be called off.
//
// Life cycle: zeroed; judging_beside_begin; wait for `output`; judging_beside_hear until it is true;
// judging_beside_end, at any time.
#ifndef JUDGING_BESIDE_H
#define JUDGING_BESIDE_H

#include <sys/types.h>
#include "judging.h"
#include "written.h"

typedef enum JudgingNews {
    JUDGING_NEWS_NOTHING_WRITTEN,
    JUDGING_NEWS_TOLD, // what has not passed, or why this machine could not judge it
    JUDGING_NEWS_PASSED
} JudgingNews;

typedef struct JudgingBeside {
    pid_t process; // 0: none runs
    int output;    // to wait for, while one runs
    Written said;  // once it has ended: a letter for the news, then what judging_print prints
    Error unheard; // why that could not be kept
} JudgingBeside;

// Begins to check exercise `number`; one that runs is called off. False with a sentence.
bool judging_beside_begin(JudgingBeside *beside, const Workspace *workspace, int number,
                          long long seed, Error *err);

// Takes what has come. True once the check has ended: what is to be told, and its text, which stays
// until the next call of any other function: where there was no memory for it, the sentence that says
// so; NULL where the process ended without a word.
bool judging_beside_hear(JudgingBeside *beside, JudgingNews *news, const char **text);

// Calls off what runs, and leaves nothing of it behind.
void judging_beside_end(JudgingBeside *beside);

#endif
