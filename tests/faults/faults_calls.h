// What the files of libfaults.so share.
#ifndef FAULTS_CALLS_H
#define FAULTS_CALLS_H

#include <dlfcn.h>
#include <stdbool.h>
#include "faults.h"

// The real function behind `name`, for a call with its arguments.
#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

// Whether this is the chosen program, from its main on.
bool faults_are_counted(void);

// Counts a call; true, with errno, when it is the one to fail.
bool faults_fails(FaultKind kind);

#endif
