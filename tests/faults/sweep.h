// What the parts of the sweep share: a command that is run with a fault, and the laws for what it does.
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>
#include "faults.h"
#include "tree.h"

// A row of cases.def.
typedef struct Case {
    const char *name;
    const char *process; // the program whose calls fail
    const char *keys;    // typed in a terminal, one at a time; NULL: there is none
    const char *command; // words behind `attnscope`, blanks between them
    bool again;          // it runs once more after each fault, where that has left it
} Case;

// A place to run in. `here` is where commands run, and the same path for each of them; `before` what
// lies there before, `after` what a run without a fault has left.
typedef struct Place {
    const char *program, *library;
    char folder[TREE_PATH_MAX / 2];
    char here[TREE_PATH_MAX], before[TREE_PATH_MAX], after[TREE_PATH_MAX];
    FaultRecord *record;
} Place;

typedef enum Ending { ENDED, SIGNALLED, ENDLESS, LEFT_SOMETHING } Ending;

typedef struct Run {
    Ending ending;
    int code;          // the exit code, or the signal
    bool failed;       // whether the call came that was to fail
    int helper_signal; // what ended a process of the chosen program
    long calls[FAULT_KINDS];
} Run;

// Runs the case in place->here, which is made as place->before first. What it prints lies in the
// files out and err of place->folder. The `call`th call of the kind fails; 0: none does.
void sweep_run(const Place *place, const Case *item, FaultKind kind, long call, Run *run);

// Runs it without a fault, with what the last run has left in place->here.
void sweep_run_again(const Place *place, const Case *item, Run *run);

// A run without a fault: what it printed goes to expected-out and expected-err, its files to
// place->after, and what a second run does otherwise is not compared. False with a sentence when it
// does not end with exit code 0.
typedef struct Expected {
    Run run;
    bool same_output;                // standard output is the same each time
    char changing[8][TREE_PATH_MAX]; // files that are not
    int changing_count;
} Expected;
bool sweep_expect(const Place *place, const Case *item, Expected *expected, char why[512]);

// Notes in expected-again what a second run prints, for cases that run again. False with a sentence.
bool sweep_expect_again(const Place *place, const Case *item, char why[512]);

// Whether the next run, without a fault, is broken by what this one has left.
bool sweep_breaks_again(const Place *place, const Case *item, char why[512]);

// Whether the file `name` of place->folder says the same as the file `other`, but for times.
bool sweep_same_output(const Place *place, const char *name, const char *other);

// Gives the file `name` of place->folder the name `expected`.
void sweep_keep(const Place *place, const char *name, const char *expected);

// What the run has broken, or why that is known (known.def), as a sentence.
typedef enum Judgement { HOLDS, BREAKS, KNOWN } Judgement;
Judgement sweep_judge(const Place *place, const Case *item, const Expected *expected,
                      FaultKind kind, const Run *run, char why[512]);

const char *sweep_kind_name(FaultKind kind);

#endif
