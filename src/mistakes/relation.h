// Relations map the right numbers to somebody's wrong ones if no mistake of the bank makes them.
//
// Each has a line in relations.def. In one case (inputs, right numbers, wrong numbers) it finds its readings: "times
// 1/2", "times 1 / sqrt(d_k)". Many fit one case by chance, so only what all cases read is reported: relation_agree.
#ifndef RELATION_H
#define RELATION_H

#include "mistake.h"

// A step of a trace that has run, or (step -1) one tensor of a whole run.
typedef struct RelationCase {
    const Trace *right;
    int step;
    const StageArgs *given;      // the step's inputs; NULL for a whole run
    const Tensor *wrong, *known; // of the same shape and dtype; they differ
    const char *axes;            // of both: "B H Lq Lk"
    Error *machine;              // set if this machine could not compute a relation
    const char *tensor;          // a whole run: the name of `known`; NULL: "output"

    // An exercise whose function takes other arguments than its step: its name, its arguments, and their values.
    const char *function; // NULL: no such exercise
    const StageCall *arguments;
    const StageArgs *passed;

    int output; // the output of the step; 0: its main one

    const Mistake *beside; // of the bank: takes part in all runs of the case; NULL: none

    bool is_right; // the numbers are right: readings that make right numbers count too

    // Only these are looked for, which saves most of the work; NULL: all.
    const struct RelationReadings *kept;

    struct RelationRun *run;       // of relation_read
    struct RelationParsed *parsed; // the same
} RelationCase;

typedef struct Relation Relation;

// Each relation has its own meaning for a, b and number. Readings with the same values are the same.
typedef struct RelationReading {
    const Relation *relation;
    int a, b;
    double number;
    const StageCall *call; // of the case's step, for names; NULL: a whole run
    const Mistake *beside; // of the case: the second of two mistakes; NULL: none
} RelationReading;

enum { RELATION_READINGS_MAX = 128, RELATION_TEXT_MAX = 400, RELATION_SHOWN_MAX = 640 };

typedef struct RelationReadings {
    int count;
    RelationReading all[RELATION_READINGS_MAX];
    bool is_doubtful[RELATION_READINGS_MAX]; // another reading has the same numbers here
} RelationReadings;

struct Relation {
    // Adds its readings (relation_add).
    void (*read)(const RelationCase *what, RelationReadings *readings);

    // Writes its sentence.
    void (*say)(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX]);

    // Writes the wrong formula, marks, the right formula, marks. NULL: the relation has no formulas.
    void (*show)(const RelationReading *reading, char lines[RELATION_SHOWN_MAX]);

    // True if the reading is wrong for all inputs: any right numbers refute it. NULL: never.
    bool (*is_always)(const RelationReading *reading);

    // A reading computes all numbers of a case: right numbers that it does not make refute it.
    bool is_formula;

    // True if the reading names a size, or a number that may have been one: cases of equal sizes do not tell. NULL: never.
    bool (*is_sized)(const RelationReading *reading);
};

// True if what->kept has the reading, or is NULL.
bool relation_counts(const RelationCase *what, const RelationReading *reading);

// All readings of a case; incomplete if what->machine is set.
void relation_read(const RelationCase *what, RelationReadings *readings);

// Keeps the readings that `other` has too.
void relation_agree(RelationReadings *kept, const RelationReadings *other);

// Drops formulas that do not make the right numbers of a case.
void relation_refute(RelationReadings *kept, const RelationReadings *right);

// Drops readings that were doubtful in every case, that any right numbers refute, or that depend on sizes.
typedef enum RelationDropped { RELATION_DOUBTFUL, RELATION_ALWAYS, RELATION_SIZED } RelationDropped;
void relation_drop(RelationReadings *kept, RelationDropped which);

// The sentence of the first reading; "" without readings. Returns `text`.
const char *relation_say(const RelationReadings *readings, Language language,
                         char text[RELATION_TEXT_MAX]);

// The formulas of the first reading; "" if it has none. Returns `lines`.
const char *relation_show(const RelationReadings *readings, char lines[RELATION_SHOWN_MAX]);

// If the first reading is an edit of a formula: its stage and kind. Otherwise returns false.
typedef struct RelationEdit {
    const char *stage;
    char kind[LANGUAGES][RELATION_TEXT_MAX];
} RelationEdit;
bool relation_edit_of(const RelationReadings *readings, RelationEdit *edit);

// --- of somebody's function

typedef struct RelationExplained {
    const Mistake *mistake; // of the bank; NULL: none
    RelationReadings readings;
} RelationExplained;

// Explains what somebody's function makes of a step, from the run's inputs and from some drawn near them. The steps
// before it must have run. Returns false and sets err if a call fails, theirs returns nothing, or the machine fails.
bool relation_explain(const Trace *right, int step, const TraceVariant *theirs,
                      RelationExplained *explained, Error *err);

// Its sentence, "" without an explanation, and its formulas. Returns `text`.
const char *relation_explained_say(const RelationExplained *explained, Language language,
                                   char text[RELATION_TEXT_MAX], char lines[RELATION_SHOWN_MAX]);

#endif
