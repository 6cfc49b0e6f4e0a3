// Runs an exercise as `attnscope check` does: builds the learner's file, starts attnscope-judge, reads
// what it wrote. For tests of exercises; everything lies in a folder that goes with the test.
#ifndef JUDGED_H
#define JUDGED_H

#include "verdict.h"
#include "worker.h"

typedef struct JudgedHow {
    const char *compiler; // NULL: the first there is
    int optimisation;
    bool sanitize;
    bool may_warn;     // else a warning fails the test
    const char *chain; // "scale=PROGRAM": the learner's function before it; NULL: none
} JudgedHow;

// The names of the exercises' folders, "08-score", up to NULL.
const char *const *judged_folders(void);

// A file of an exercise's folder ("solution.c") as text; the caller frees it.
char *judged_text(const char *folder, const char *file);

// Builds `source` as the exercise of this folder.
void judged_build(const char *folder, const char *source, JudgedHow how, WorkerProgram *program);

// Builds `source` as the exercise of this folder and has it judged. Asserts that both work.
void judged(const char *folder, const char *source, JudgedHow how, long long seed,
            Verdict *verdict);

// The cache that programs are built in: an unchecked fixture.
void judged_begin(void);
void judged_finish(void);

#endif
