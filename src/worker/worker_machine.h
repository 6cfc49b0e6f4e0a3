// What this machine did not give when a function was to be run, kept until it becomes words: whoever
// learns is told that it was not their doing, and what to do about it.
#ifndef WORKER_MACHINE_H
#define WORKER_MACHINE_H

#include "wire.h"
#include "worker.h"
#include "worker_sentences.h"

typedef struct MachineFault {
    WorkerSentence sentence;
    char detail[1024]; // what its {0} stands for
} MachineFault;

// Notes why a system call failed (an errno). Returns false, so that a caller can return it.
bool machine_lacks(MachineFault *fault, int cause);

// Notes why a keeper could not begin or go on, from its last report; returns false.
bool machine_ended(MachineFault *fault, const WireReport *report);

// Notes that somebody outside killed the learner's process; returns false.
bool machine_killed(MachineFault *fault, const WireReport *report);

// Notes that a part of attnscope is not where it should be; returns false.
bool machine_misses(MachineFault *fault, const Error *err);

// Says it of a call: it was not judged.
WorkerEnd machine_say(const MachineFault *fault, WorkerAnswer *answer);

// Says it of anything else; returns false.
bool machine_error(const MachineFault *fault, Error *err);

#endif
