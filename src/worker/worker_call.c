// worker_call: a call of a learner's function, and whose doing it is when that comes to a bad end: the
// machine's, where a function that is known to be right comes to one as well. See worker.h.
#include "worker_internal.h"

// Whether the machine may be to blame for such an end as well.
static bool is_doubtful(const WorkerAnswer *answer)
{
    switch (answer->end) {
    case WORKER_CRASHED:
    case WORKER_TIMED_OUT:
    case WORKER_LEFT:
    case WORKER_TOO_LARGE:
        return true;
    case WORKER_ANSWERED:
    case WORKER_NOT_JUDGED:
        return false;
    default:
        return answer->at_start;
    }
}

WorkerEnd worker_call(Worker *worker, const StageCall *what, StageArgs *args, WorkerAnswer *answer)
{
    if (worker->start.end != WORKER_ANSWERED) {
        *answer = worker->start;
        return answer->end;
    }
    worker_call_once(worker, what, args, answer);
    if (is_doubtful(answer))
        worker_known_runs(answer);
    if (answer->at_start && answer->end != WORKER_NOT_JUDGED)
        worker->start = *answer;
    return answer->end;
}
