// bench_exercise: how long a learner waits: from a saved edit to the verdict, compiling included. A
// workspace of its own, in which nothing is found in a cache, and which is gone afterwards.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "judging.h"
#include "bench_words.h"

enum { ROUNDS = 9 };

static void made(void *context, WorkspaceWork work, const char *path)
{
    (void)context, (void)work, (void)path;
}

// The solution, and a comment that was never there before.
static bool edit(const Workspace *workspace, int number, int round, Error *err)
{
    char text[1 << 14], path[TEMPORARY_PATH_MAX + 64];
    const Exercise *exercise = &workspace->exercises.exercises[number];
    snprintf(path, sizeof path, "%s/solution.c", exercise->folder);
    FILE *in = fopen(path, "r");
    size_t length = in ? fread(text, 1, sizeof text - 1, in) : 0;
    if (in)
        fclose(in);
    text[length] = '\0';
    snprintf(path, sizeof path, "%sexercises/%s.c", workspace->folder, exercise->name);
    FILE *out = length ? fopen(path, "w") : NULL;
    bool written = out && fprintf(out, "%s// %d\n", text, round) > 0;
    if (out && fclose(out) != 0)
        written = false;
    return written || error_set(err, TELL(BENCH_UNWRITTEN), path);
}

static bool measure(const Workspace *workspace, int number, BenchLine *line, Error *err)
{
    static Judging judging; // with what the compiler said: 50 KB
    for (int round = 0; round < ROUNDS; round++) {
        if (!edit(workspace, number, round, err))
            return false;
        double start = bench_now();
        judging_run(&judging, workspace, number, 1, NULL);
        bench_add(&line->times, bench_now() - start);
        bool passed = judging_passed(&judging);
        if (!passed)
            error_set(err, TELL(BENCH_NOT_PASSED), workspace->exercises.exercises[number].name,
                      judging.why[LANGUAGE_ENGLISH].text);
        judging_finish(&judging);
        if (!passed)
            return false;
    }
    bench_sort(&line->times);
    return true;
}

bool bench_exercise(BenchLine *line, Error *err)
{
    Temporary folder;
    Workspace workspace;
    *line = (BenchLine){.about = TELL(BENCH_EDIT)};
    if (!judging_folder(&folder, err))
        return false;
    setenv("XDG_CACHE_HOME", folder.path, 1);
    setenv("XDG_STATE_HOME", folder.path, 1);
    bool open = workspace_make(folder.path, LANGUAGE_ENGLISH, made, NULL, err) &&
                workspace_open(&workspace, folder.path, NULL, err);
    int number = open ? exercise_list_find(&workspace.exercises, "softmax", err) : -1;
    bool good = number >= 0 && measure(&workspace, number, line, err);
    if (open)
        workspace_close(&workspace);
    temporary_drop(&folder);
    return good;
}
