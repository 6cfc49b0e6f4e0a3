// worker_known: a function known to be right is run as a learner's is. What goes wrong with it as well
// is nobody's function.
#include <string.h>
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
    return worker_call(worker, &call, &args, answer) == WORKER_ANSWERED &&
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
    worker.is_known = true;
    bool runs = there && computes(&worker, &known);
    if (there)
        worker_close(&worker);
    if (there && !runs && known.end == WORKER_NOT_JUDGED)
        *answer = known;
    else if (!runs)
        machine_say(&fault, answer);
    return runs;
}
