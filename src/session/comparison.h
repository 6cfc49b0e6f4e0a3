// Compares the run being stepped through with a second run of the same input. Both advance together. Either
// can be brought to the front, which the rest of the program shows.
//
// The runs share no memory: the second has its own inputs, weights and outputs. Steps and tensors are matched
// by name.
#ifndef COMPARISON_H
#define COMPARISON_H

#include "mistake.h"
#include "relation.h"
#include "scenario_file.h"
#include "trace.h"

typedef struct Session Session;

// What the comparison panel shows.
typedef enum ComparisonShow {
    COMPARISON_OTHER,
    COMPARISON_DIFFERENCE,
    COMPARISON_STAGES,
    COMPARISON_SHOWS
} ComparisonShow;

extern const char *const comparison_show_names[COMPARISON_SHOWS + 1]; // NULL after the last

// How much the runs differ in the output of one step.
typedef struct ComparisonDistance {
    bool known;                 // both runs computed it, with the same shape
    ptrdiff_t count, differing; // elements, and elements with different bits
    double largest;             // difference; NaN if NaN or infinity differs
    ptrdiff_t rows, reordered;  // of scores and weights: rows, and rows whose keys rank differently
} ComparisonDistance;

// A learner's functions as stages, each in its own process; the app makes them.
typedef struct LearnerStages {
    const char *folder;        // the workspace, for messages
    const char *const *stages; // the stages replaced; NULL ends the list
    TraceVariant variant;
} LearnerStages;

// Opens a workspace folder (NULL: the current one). The result lives until the next call or exit.
typedef bool LearnerStagesOpen(void *context, const char *folder, const LearnerStages **learner,
                               Error *err);

typedef struct Comparison {
    bool open, swapped;           // swapped: the first run is in the back
    bool hidden;                  // the person has to find out what differs
    char name[SCENARIO_EDIT_MAX]; // as asked for: "attention.scale=none"
    bool is_changed;              // the same scenario with a change; false: another scenario
    const Mistake *mistake;       // NULL: no known mistake
    const LearnerStages *learner; // NULL: no learner's functions

    // What explains the first number of a learner that differs, and both formulas; "": nothing, or not asked.
    char sentence[RELATION_TEXT_MAX];
    char formulas[RELATION_SHOWN_MAX];

    Scenario scenario;
    Trace trace;
    bool failed; // its next step cannot be computed:
    Error failure;
    ComparisonShow show;
    ComparisonDistance
        distances[TRACE_STEPS_MAX]; // for each step, while COMPARISON_STAGES is shown
    Explanation explanation;        // of the same element in the other run, at term depth

    // While COMPARISON_DIFFERENCE is shown: the front's run, with other - this in tensor `subtracted`.
    Trace difference;
    Arena difference_arena;
    int subtracted; // -1: none
} Comparison;

// "attention.scale=none", "mistake scale-missing", a number of `attnscope list mistakes`, "mine DIR",
// "text SENTENCE", "formula scores[b,h,i,j] = ...", or the name of a scenario; with "hidden "
// in front the program does not say which it is. Returns false and opens nothing if there is no such run.
bool comparison_open(Session *session, const char *what, Error *err);
void comparison_close(Session *session);

// The argument of comparison_open for a mistake: "mistake scale-missing".
const char *comparison_of_mistake(const char *name, char what[SCENARIO_EDIT_MAX]);

// Ends `hidden`.
void comparison_reveal(Session *session);

// The other run's name on the screen.
const char *comparison_title(const Session *session);

// The same in words. A slide says only that it is a mistake; the sentence below says which.
const char *comparison_words(const Session *session, char text[SCENARIO_EDIT_MAX]);

// True if the formula and code of this step would give a hidden run away.
bool comparison_hides_step(const Session *session);

// After every command: brings the other run to the same step.
void comparison_follow(Session *session);

// The other run's tensor of the same name and shape; NULL if there is none or it is not computed.
const Tensor *comparison_tensor(const Session *session, int tensor);

// The trace that a window shows: the front's run, or the differences in the current tensor.
const Trace *comparison_window_trace(const Session *session);

// Finds the first element that differs, after `cell` in pipeline order or among all. Returns false if none of
// those computed does.
bool comparison_next_difference(const Session *session, bool of_all, TraceCell *cell);

// Term `number` of the chosen element in the other run; false if it has none.
bool comparison_term(const Session *session, ptrdiff_t number, TraceTerm *term);

#endif
