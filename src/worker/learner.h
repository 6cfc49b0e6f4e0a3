// What the files of the learner's process share. They are linked with the learner's object by the
// learner's compiler, and need nothing but the C library.
#ifndef LEARNER_H
#define LEARNER_H

#include "wire.h"

// What the exercise's call.c defines: calls the learner's function with these arguments. False when
// the function says no.
bool exercise_call(StageArgs *args);

// Whether a request can be what the judging side writes: everything that it counts is within bounds,
// and every tensor lies in its region. A file with a saved call may be damaged.
bool learner_request_is_sound(const WireRequest *request);

// Makes one call.
WireReply learner_answer(const WireRequest *request);

// Says that it is ready, then takes requests until nobody is there. False when nobody was.
bool learner_serve(void);

// Fills memory that the learner's function may be given: of malloc, once; of the stack, before a call.
void learner_memory_begin(void);
void learner_memory_fill_stack(void);

// Maps a request's storages, each between pages that nobody may touch, and fills the arguments.
// False when the system does not give the memory.
bool learner_memory_map(const WireRequest *request, StageArgs *args);

// An output as the learner's function left it, in the terms of the request.
void learner_memory_describe(const WireRequest *request, const Tensor *tensor, WireTensor *out);

void learner_memory_unmap(void);

// Writes to standard error which tensor an address lies in or beside: a line for
// the judging process ("@fault wrote past-end scores 24 24"). Safe in a signal handler.
void learner_memory_explain(const void *address, bool is_write);

#endif
