// worker_machine: see worker_machine.h.
#include "worker_machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int cause;
    WorkerSentence sentence;
} lacks[] = {
    {EMFILE, SENTENCE_MACHINE_DESCRIPTORS}, {ENFILE, SENTENCE_MACHINE_DESCRIPTORS},
    {EAGAIN, SENTENCE_MACHINE_PROCESSES},   {ENOMEM, SENTENCE_MACHINE_MEMORY},
    {ENOSPC, SENTENCE_MACHINE_DISK},        {EDQUOT, SENTENCE_MACHINE_DISK},
};

bool machine_lacks(MachineFault *fault, int cause)
{
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_OTHER};
    snprintf(fault->detail, sizeof fault->detail, "%s", error_reason(cause));
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        if (lacks[i].cause == cause)
            fault->sentence = lacks[i].sentence;
    return false;
}

bool machine_ended(MachineFault *fault, const WireReport *report)
{
    if (report->lacks)
        return machine_lacks(fault, report->lacks);
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_KEEPER};
    return false;
}

bool machine_killed(MachineFault *fault, const WireReport *report)
{
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_KILLED};
    snprintf(fault->detail, sizeof fault->detail, "%d", report->megabytes);
    return false;
}

bool machine_misses(MachineFault *fault, const Error *err)
{
    *fault = (MachineFault){.sentence = SENTENCE_MACHINE_MISSES};
    snprintf(fault->detail, sizeof fault->detail, "%s", err->text);
    return false;
}

WorkerEnd machine_say(const MachineFault *fault, WorkerAnswer *answer)
{
    return worker_say(answer, WORKER_NOT_JUDGED, fault->sentence, (Given){{fault->detail}});
}

bool machine_error(const MachineFault *fault, Error *err)
{
    WorkerAnswer answer = {.end = WORKER_ANSWERED};
    machine_say(fault, &answer);
    return error_set(err, "%s", answer.why[language_written()]);
}

void worker_machine_lacks(int cause, WorkerAnswer *answer)
{
    MachineFault fault;
    *answer = (WorkerAnswer){.end = WORKER_ANSWERED};
    machine_lacks(&fault, cause);
    machine_say(&fault, answer);
}
