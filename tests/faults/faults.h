// What the library that makes calls fail (faults.c) and the program that asks it to (sweep.c) agree on.
//
// The environment says which fault it is to be:
//
//   LD_PRELOAD=libfaults.so ATTNSCOPE_FAULT="PROCESS KIND N RECORD" attnscope ...
//
// The Nth call of that kind fails in the program named PROCESS (attnscope, attnscope-window, ...), and
// only that one; 0: none. Calls are counted from main on, together for all processes of that name.
// RECORD is a file of sizeof(FaultRecord) zero bytes that tells afterwards what has happened.
#ifndef FAULTS_H
#define FAULTS_H

#define FAULT_ENVIRONMENT "ATTNSCOPE_FAULT"

typedef enum FaultKind {
#define FAULT_KIND(name, code, about) FAULT_##name,
#include "faults.def"
#undef FAULT_KIND
    FAULT_KINDS
} FaultKind;

typedef struct FaultRecord {
    _Atomic long calls[FAULT_KINDS]; // so far, in the chosen program
    _Atomic int failed;              // whether the Nth has been reached
    _Atomic int signal;              // what ended a process of the chosen program; 0: nothing
} FaultRecord;

#endif
