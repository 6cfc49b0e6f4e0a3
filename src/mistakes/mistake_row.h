// A mistake as a row of mistakes.def: formulas in the place of those of right stages. What such a stage
// computes and where an element came from is read from its formula (formula.h).
//
// Names in it: the roles of what the stage reads and writes, sizes ("d_k"), options ("scale").
#ifndef MISTAKE_ROW_H
#define MISTAKE_ROW_H

#include "mistake.h"

enum { MISTAKE_STEPS_MAX = 2, MISTAKE_ALSO_MAX = 3 };

// One stage of a mistake, in the place of the right one.
typedef struct MistakeStep {
    const char *stage; // NULL: there is none

    // Of each of its calls, or one for all.
    const char *formula[STAGE_CALLS_MAX];
    const char *torch[STAGE_CALLS_MAX];

    const char *where;    // helpers and further results, for all calls
    FormulaRemark remark; // what the formula does not say
    Influence influence;
    const char *many; // a size: where it is 1, the right stage runs

    // What it reads besides, behind what the right stage reads, where that does not yet.
    Slot also[MISTAKE_ALSO_MAX];

    bool is_by_query; // a mask with a flag for each query
    bool trains;      // dropout where nobody trains
} MistakeStep;

typedef bool MistakeRun(StageArgs *args, Error *err);
typedef void MistakeOrigin(Terms *terms, const ptrdiff_t at[]);

// A step and the stage that it becomes.
typedef struct MistakeRow {
    const MistakeStep *step;
    Stage stage;
} MistakeRow;

// Makes the stage of a step: wired as the right one is, with the functions of its row.
void mistake_row_make(const MistakeStep *step, MistakeRun *run, MistakeOrigin *origin,
                      MistakeRow *row);

// Computes the formula, in float32 with every operation rounded; where these shapes have none such, does
// what the right stage does.
bool mistake_row_run(const MistakeRow *row, StageArgs *args, Error *err);
void mistake_row_origin(const MistakeRow *row, const Terms *terms, const ptrdiff_t at[]);

// Whether a few of its numbers are those of `given`, the stage's main output: most mistakes fail already there.
// True where that is not known, unless the machine (err) fails.
bool mistake_row_begins(const MistakeRow *row, const StageArgs *args, const Tensor *given,
                        Error *err);

#endif
