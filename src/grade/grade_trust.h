// Right numbers are believed where both builds of the function give them, and whatever it was asked before.
#ifndef GRADE_TRUST_H
#define GRADE_TRUST_H

#include "grade_internal.h"

// Right numbers that both builds do not give alike, by more than rounding: notes why that is not believed.
void grade_trust_builds(VerdictTest *test);

// Two runs with the same inputs gave different numbers: why, in each language, in the arena.
void grade_trust_unset(const GradeWorkers *workers, const char *why[LANGUAGES], Arena *arena);

// Adds to why a function has not answered that it may have read what it never set, where that is known.
void grade_trust_unset_broken(const GradeWorkers *workers, const char *why[LANGUAGES],
                              Arena *arena);

// One question of whether answers depend on what was asked before.
typedef struct GradeOrder {
    GradeCase *drawn;        // asked and answered
    const StageArgs *before; // its arguments as they were
    Worker *worker;
    const char *
        kept; // the line of the learner's file that keeps something: "scale.c:4: static float root"; NULL
    WorkerAnswer last; // of the worker: by its end, whether this machine could ask
} GradeOrder;

// Asks for another case, of other numbers in other shapes, and for the first one again; where the other one
// comes out wrong, for that in a process that was asked nothing before. True where an answer depends on what
// came before it, with a sentence in each language, in the arena.
bool grade_trust_depends(GradeOrder *order, GradeCase *other, const char *sentences[LANGUAGES],
                         Arena *arena);

// The same of the first case alone, which a process that was asked nothing before may answer otherwise.
bool grade_trust_differs(GradeOrder *order, const char *sentences[LANGUAGES], Arena *arena);

// No test of a function whose answers depend on other calls has passed, and none of its wrong numbers tells more.
void grade_trust_none(Verdict *verdict, const char *const sentences[LANGUAGES]);

#endif
