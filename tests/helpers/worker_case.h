// What the tests of workers share: files under tests/worker and tests/attacks become programs in a
// cache of the test's own, and their function is called with numbers that one can check by hand.
#ifndef WORKER_CASE_H
#define WORKER_CASE_H

#include "worker.h"

// Makes and takes away the cache; an unchecked fixture, as all tests of a program share it.
void worker_case_begin(void);
void worker_case_finish(void);

// Builds "worker/score.c", which is an exercise of this name. False with the error, as worker_build.
bool worker_case_build(const char *file, const char *exercise, bool sanitize,
                       WorkerProgram *program, Error *err);

// The same, and opens it; asserts that both can be done.
void worker_case_open(Worker *worker, const char *file, const char *exercise, bool sanitize);

// Calls score with q [1, 1, 2, 3] = 1 2 3 | 4 5 6 and k [1, 1, 2, 3] = 1 0 2 | 0 1 1. By hand:
// scores = 1*1+2*0+3*2 = 7, 1*0+2*1+3*1 = 5 | 4*1+5*0+6*2 = 16, 4*0+5*1+6*1 = 11.
WorkerEnd worker_case_score(Worker *worker, float scores[4], WorkerAnswer *answer);
bool worker_case_save(const char *path, Error *err); // worker_save_call of the same call
extern const float worker_case_scores[4];

// Processes whose parent is this process, zombies included.
int worker_case_children(void);

#endif
