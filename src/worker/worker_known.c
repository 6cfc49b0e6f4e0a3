// worker_known: a function known to be right is run as a learner's is, and a program as one with
// sanitizers is. What goes wrong with these as well is nobody's function.
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "temporary.h"
#include "worker_internal.h"

enum { QUERIES = 2, NUMBERS = 3 };

// Whether it computes, here and now, q k^T = [[1*1+2*0+3*2, 1*0+2*1+3*1], [4*1+5*0+6*2, 4*0+5*1+6*1]].
static bool computes(Worker *worker, WorkerAnswer *answer)
{
    static const float right[QUERIES * QUERIES] = {7, 5, 16, 11};
    static const StageCall call = {.reads = {{.role = "q"}, {.role = "k"}},
                                   .writes = {{.role = "scores", .tensor = "scores"}}};
    static const StageOptions options = {.heads = 1};
    const ptrdiff_t given[] = {1, 1, QUERIES, NUMBERS}, wanted[] = {1, 1, QUERIES, QUERIES};
    float q[] = {1, 2, 3, 4, 5, 6}, k[] = {1, 0, 2, 0, 1, 1}, scores[QUERIES * QUERIES] = {0};
    StageArgs args = {
        .in = {tensor_over(q, DTYPE_F32, 4, given), tensor_over(k, DTYPE_F32, 4, given)},
        .out = {tensor_over(scores, DTYPE_F32, 4, wanted)},
        .options = &options,
    };
    return worker_call_once(worker, &call, &args, answer) == WORKER_ANSWERED &&
           memcmp(scores, right, sizeof right) == 0;
}

bool worker_known_runs(WorkerAnswer *answer)
{
    static Worker worker; // with what a function says: 25 KB
    WorkerAnswer known;
    char keeper[WORKER_PATH_MAX]; // which is this program too
    Error err;
    MachineFault fault = {.sentence = SENTENCE_MACHINE_KNOWN};
    bool there = (worker_place_keeper(keeper, &err) && worker_open(&worker, keeper, &err)) ||
                 machine_misses(&fault, &err);
    bool runs = there && computes(&worker, &known);
    if (there)
        worker_close(&worker);
    if (there && !runs && known.end == WORKER_NOT_JUDGED)
        *answer = known;
    else if (!runs)
        machine_say(&fault, answer);
    return runs;
}

// --- sanitizers

// In the place of the exercise's call.c; the rest of its library is that of a learner's program. Nobody
// asks it anything, so it comes to its end at once.
static const char nobodys_call[] =
    "_Bool exercise_call(void *arguments);\n"
    "_Bool exercise_call(void *arguments) { return arguments != 0; }\n";

static bool build(const char *exercise, WorkerProgram *program)
{
    Error err;
    Temporary folder;
    char path[WORKER_PATH_MAX];
    if (!temporary_folder(&folder, temporary_place()))
        return false;
    snprintf(path, sizeof path, "%s/known.c", folder.path);
    FILE *file = fopen(path, "w");
    bool written = file && fputs(nobodys_call, file) >= 0;
    written = file && fclose(file) == 0 && written;
    WorkerBuild known = {.source = path, .exercise = exercise, .sanitize = true, .optimisation = 1};
    bool built = written && worker_build(&known, program, &err) && program->sanitized;
    temporary_drop(&folder);
    return built;
}

// Waits until the keeper has told that the program has ended, no longer than anybody is waited for.
static void wait_for_end(const Keeper *keeper)
{
    WireReport report = {.has_ended = 0};
    struct pollfd line = {.fd = keeper->lifeline, .events = POLLIN};
    while (!report.has_ended && poll(&line, 1, PATIENCE_GUARD_SECONDS * 1000) > 0 &&
           recv(line.fd, &report, sizeof report, MSG_PEEK) == (ssize_t)sizeof report)
        if (!report.has_ended)
            recv(line.fd, &report, sizeof report, 0);
}

bool worker_sanitizers_start(const char *exercise)
{
    static WorkerProgram program; // with what a compiler says: 20 KB
    Keeper keeper;
    MachineFault fault;
    WireReport report;
    char *words[] = {(char[]){"run"}, program.path,    (char[]){"2"},
                     (char[]){"0"},   (char[]){"512"}, NULL};
    char *nothing[] = {NULL};
    if (!build(exercise, &program) ||
        !keeper_start(&keeper, words, nothing, (int[]){-1, -1, -1}, &fault))
        return false;
    wait_for_end(&keeper);
    return keeper_stop(&keeper, &report) == KEEPER_TOLD && !report.lacks &&
           WIFEXITED(report.status) && WEXITSTATUS(report.status) == 0;
}
