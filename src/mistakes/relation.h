// What maps the right numbers to somebody's wrong ones, where no mistake of the bank makes them.
//
// Each relation is a file of its own and a line in relations.def. Of one case (inputs, the numbers
// that are right, those that were given) it tells its readings: "times 1/2", "times 1 / sqrt(d_k)".
// One case fits many of them by chance, so only what every case reads is said: relation_agree.
#ifndef RELATION_H
#define RELATION_H

#include "mistake.h"

// A case: a step of a trace that has run, or (step -1) one of its tensors as a whole.
typedef struct RelationCase {
    const Trace *right;
    int step;
    const StageArgs *given;      // the step's inputs; NULL for a whole trace
    const Tensor *wrong, *known; // of the same shape and dtype float32; they differ
    const char *axes;            // of both: "B H Lq Lk"
    Error *machine;              // where this machine could not compute a relation, it is said here
    const char *tensor;          // of a whole trace: the name of `known`; NULL: "output"

    // An exercise whose function is not called as its step is: its name, its arguments, and what it was given.
    const char *function; // NULL: there is no such
    const StageCall *arguments;
    const StageArgs *passed;

    // The output of the step that the case is about; 0: its main one.
    int output;

    // The numbers are right: what makes them is read, though it would be no mistake here.
    bool is_right;

    // What other cases read: nothing else is looked for here, which spares most of the work. NULL: all is.
    const struct RelationReadings *kept;
} RelationCase;

typedef struct Relation Relation;

// What a relation reads in a case. The meaning of a, b and number is the relation's own; readings that
// agree in them are the same.
typedef struct RelationReading {
    const Relation *relation;
    int a, b;
    double number;
    const StageCall *call; // of the case's step, for names; NULL: a whole trace
} RelationReading;

enum { RELATION_READINGS_MAX = 128, RELATION_TEXT_MAX = 400, RELATION_SHOWN_MAX = 640 };

typedef struct RelationReadings {
    int count;
    RelationReading all[RELATION_READINGS_MAX];

    // The case is too small to tell it from another reading.
    bool is_doubtful[RELATION_READINGS_MAX];
} RelationReadings;

struct Relation {
    // Adds what it reads to `readings` (relation_add).
    void (*read)(const RelationCase *what, RelationReadings *readings);

    // The sentences by reading.a, about what an axis counts: reading.b. NULL: `say` tells.
    const Words *sentences;

    // One sentence about a reading.
    void (*say)(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX]);

    // Two formulas one under the other, in four lines: the one with these numbers, marks where it differs,
    // the right one, marks. NULL: it has none.
    void (*show)(const RelationReading *reading, char lines[RELATION_SHOWN_MAX]);

    // Whether it says that something is wrong whatever is drawn: right numbers refute it. NULL: no reading does.
    bool (*is_always)(const RelationReading *reading);

    // Whether each reading is a formula for all numbers of a case: right ones that it does not make refute it.
    bool is_formula;

    // Whether it speaks of a size, or of a number that a size may have been: cases of the same sizes do not tell.
    // NULL: no reading does.
    bool (*is_sized)(const RelationReading *reading);
};

// Whether a reading is one that is looked for: what->kept has it, or there is no such list.
bool relation_counts(const RelationCase *what, const RelationReading *reading);

// All that relations read in a case. Where what->machine says that the machine failed, it is not all.
void relation_read(const RelationCase *what, RelationReadings *readings);

// Leaves in `kept` what `other` reads as well.
void relation_agree(RelationReadings *kept, const RelationReadings *other);

// Leaves out formulas that do not make the numbers of a case which came right.
void relation_refute(RelationReadings *kept, const RelationReadings *right);

// Leaves out what every case was too small to tell from another reading.
void relation_drop_doubtful(RelationReadings *kept);

// Leaves out what would be wrong whatever is drawn: something was right.
void relation_drop_always(RelationReadings *kept);

// Leaves out what cases of the same sizes cannot tell.
void relation_drop_sized(RelationReadings *kept);

// The sentence of the reading that says most; "" where there is none. Returns `text`.
const char *relation_say(const RelationReadings *readings, Language language,
                         char text[RELATION_TEXT_MAX]);

// The formulas of that reading; "" where it has none. Returns `lines`.
const char *relation_show(const RelationReadings *readings, char lines[RELATION_SHOWN_MAX]);

// Of that reading, where it is an edit of a formula: the stage, and of what kind. False: it is none.
typedef struct RelationEdit {
    const char *stage;
    char kind[LANGUAGES][RELATION_TEXT_MAX];
} RelationEdit;
bool relation_edit_of(const RelationReadings *readings, RelationEdit *edit);

// --- of somebody's function

// What explains the numbers that a function makes of a step.
typedef struct RelationExplained {
    const Mistake *mistake; // of the bank; NULL: none makes them
    RelationReadings readings;
} RelationExplained;

// Asks somebody's stage of a run for the step's numbers, also of other inputs: what explains some of them
// and not the others is not told. The steps before it must have run. False with a sentence where theirs
// returns none, or the machine failed.
bool relation_explain(const Trace *right, int step, const TraceVariant *theirs,
                      RelationExplained *explained, Error *err);

// Its sentence, "" where nothing explains them; and the formulas as relation_show. Returns `text`.
const char *relation_explained_say(const RelationExplained *explained, Language language,
                                   char text[RELATION_TEXT_MAX], char lines[RELATION_SHOWN_MAX]);

#endif
