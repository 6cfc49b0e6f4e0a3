// worker_case: see worker_case.h.
#define _GNU_SOURCE // nftw
#include "worker_case.h"

#include "suite.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const float worker_case_scores[4] = {7, 5, 16, 11};

static char cache[512];

void worker_case_begin(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(cache, sizeof cache, "%s/attnscope_XXXXXX", place && *place ? place : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(cache));
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", cache, 1), 0);
}

static int take_away(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

void worker_case_finish(void)
{
    nftw(cache, take_away, 16, FTW_DEPTH | FTW_PHYS);
}

bool worker_case_build(const char *file, const char *exercise, bool sanitize,
                       WorkerProgram *program, Error *err)
{
    char header[1024];
    snprintf(header, sizeof header, "%s/exercises/header/attnscope.h", getenv("ATTNSCOPE_LESSONS"));
    WorkerBuild build = {.source = test_file(file),
                         .header = header,
                         .exercise = exercise,
                         .sanitize = sanitize,
                         .optimisation = 1};
    return worker_build(&build, program, err);
}

void worker_case_open(Worker *worker, const char *file, const char *exercise, bool sanitize)
{
    Error err;
    WorkerProgram program;
    ck_assert_msg(worker_case_build(file, exercise, sanitize, &program, &err), "%s\n%s", err.text,
                  program.said);
    ck_assert_msg(worker_open(worker, program.path, &err), "%s", err.text);
}

// The arguments of that call; the numbers are the caller's.
static StageArgs score_args(float q[6], float k[6], float scores[4])
{
    static const StageOptions options = {.heads = 1};
    const ptrdiff_t given[4] = {1, 1, 2, 3}, wanted[4] = {1, 1, 2, 2};
    memcpy(q, (float[]){1, 2, 3, 4, 5, 6}, 6 * sizeof *q);
    memcpy(k, (float[]){1, 0, 2, 0, 1, 1}, 6 * sizeof *k);
    memset(scores, 0, 4 * sizeof *scores);
    return (StageArgs){
        .in = {tensor_over(q, DTYPE_F32, 4, given), tensor_over(k, DTYPE_F32, 4, given)},
        .out = {tensor_over(scores, DTYPE_F32, 4, wanted)},
        .options = &options,
    };
}

WorkerEnd worker_case_score(Worker *worker, float scores[4], WorkerAnswer *answer)
{
    float q[6], k[6];
    StageArgs args = score_args(q, k, scores);
    return worker_call(worker, &stage_find("score")->calls[0], &args, answer);
}

bool worker_case_save(const char *path, Error *err)
{
    float q[6], k[6], scores[4];
    StageArgs args = score_args(q, k, scores);
    return worker_save_call(&stage_find("score")->calls[0], &args, path, err);
}

int worker_case_children(void)
{
    int count = 0;
    long child;
    FILE *file = fopen("/proc/thread-self/children", "r");
    while (file && fscanf(file, "%ld", &child) == 1)
        count++;
    if (file)
        fclose(file);
    return count;
}
