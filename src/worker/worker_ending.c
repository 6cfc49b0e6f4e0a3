// worker_ending: whose doing it is that no reply came; see worker_internal.h. Only what a learner's code
// can do is told as the learner's.
#include "worker_internal.h"
#include "worker_sentences.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

// Only where nothing keeps signals in can it have been the learner's code that ended the keeper.
static bool could_end_keeper(const Worker *worker, const Ending *ending)
{
    return ending->keeper == KEEPER_WAS_ENDED && worker->running.process > 0 &&
           !worker->running.is_closed;
}

// By somebody outside: nothing that it may do behind the whole fence ends it so.
static bool was_killed(const Worker *worker, const Ending *ending)
{
    const WireReport *report = &ending->report;
    return worker->running.is_closed && !report->was_ended && WIFSIGNALED(report->status) &&
           WTERMSIG(report->status) == SIGKILL && report->milliseconds < PROCESSOR_SECONDS * 900;
}

// What this machine lacked for a process that ended by itself; false: nothing that anybody knows of.
static bool find_fault(const Worker *worker, const Ending *ending, MachineFault *fault)
{
    bool told = ending->keeper == KEEPER_TOLD;
    bool began = worker->running.process > 0;
    if (told && began && was_killed(worker, ending))
        machine_killed(fault, &ending->report);
    else if ((told && !began) || (!told && !could_end_keeper(worker, ending)))
        machine_ended(fault, &ending->report);
    else
        return false;
    return true;
}

static const char *seconds_text(long milliseconds, char text[32])
{
    snprintf(text, 32, "%ld.%ld", milliseconds / 1000, milliseconds % 1000 / 100);
    return text;
}

bool worker_is_spent(const Worker *worker)
{
    return worker->patience > 0 && worker->spent >= worker->patience;
}

// Whether other calls have taken so much of a worker's time that little was left for this one.
static bool was_little(const Worker *worker, const Patience *patience)
{
    return worker_is_spent(worker) && 2 * patience->computing < worker->patience;
}

// Nothing came while there was patience.
static WorkerEnd out_of_patience(const Worker *worker, const Ending *ending, WorkerAnswer *answer)
{
    char text[32], guard[32];
    const Patience *patience = ending->patience;
    seconds_text(patience->computing, text);
    if (patience->end == PATIENCE_WAITED)
        return worker_say(answer, WORKER_TIMED_OUT,
                          answer->at_start ? SENTENCE_START_WAITS : SENTENCE_WAITS,
                          (Given){{NULL}});
    if (patience->end == PATIENCE_COMPUTED && was_little(worker, patience))
        return worker_say(answer, WORKER_TIMED_OUT, SENTENCE_TIME_USED, (Given){{NULL}});
    if (patience->end == PATIENCE_COMPUTED || ending->computed < 0)
        return worker_say(answer, WORKER_TIMED_OUT,
                          answer->at_start ? SENTENCE_START_ENDLESS : SENTENCE_ENDLESS,
                          (Given){{text}});
    snprintf(guard, sizeof guard, "%d", PATIENCE_GUARD_SECONDS);
    return worker_say(answer, WORKER_NOT_JUDGED, SENTENCE_MACHINE_BUSY,
                      (Given){{guard, seconds_text(ending->computed, text)}});
}

WorkerEnd worker_ending_say(const Worker *worker, const Ending *ending, WorkerAnswer *answer)
{
    MachineFault fault;
    const WireReport *report = &ending->report;
    if (ending->heard == HEARD_NONSENSE)
        return worker_say(answer, WORKER_FORGED, SENTENCE_FORGED, (Given){{NULL}});
    if (ending->heard == HEARD_MACHINE && !machine_lacks(&fault, ending->cause))
        return machine_say(&fault, answer);
    if (report->lacks && !machine_lacks(&fault, report->lacks))
        return machine_say(&fault, answer);
    if (ending->heard == HEARD_NOTHING && !report->too_large)
        return out_of_patience(worker, ending, answer);
    if (find_fault(worker, ending, &fault))
        return machine_say(&fault, answer);
    if (ending->keeper != KEEPER_TOLD)
        return worker_say(answer, WORKER_FORBIDDEN, SENTENCE_KEEPER_ENDED, (Given){{NULL}});
    worker_words_end(worker, report, answer);
    return answer->end;
}
