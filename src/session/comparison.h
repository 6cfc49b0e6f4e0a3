// A comparison: the run that a person steps through, and beside it another run, which computes the same
// input in another way. They take every step together. Either can be brought to the front, where the
// whole program looks at it; the other is then the one beside it.
//
// The runs share nothing: the other one has inputs, weights and outputs of its own, as much memory
// again as the first. Steps and tensors are matched by name.
#ifndef COMPARISON_H
#define COMPARISON_H

#include "mistake.h"
#include "relation.h"
#include "scenario_file.h"
#include "trace.h"

typedef struct Session Session;

// What the panel shows of the other run.
typedef enum ComparisonShow {
    COMPARISON_OTHER,
    COMPARISON_DIFFERENCE,
    COMPARISON_STAGES,
    COMPARISON_SHOWS
} ComparisonShow;

// How far apart the runs are in what one step makes.
typedef struct ComparisonDistance {
    bool known;                 // both runs have computed it, with the same shape
    ptrdiff_t count, differing; // elements, and those with other bits
    double largest;             // difference; NaN where one run has NaN or another infinity
    ptrdiff_t rows, reordered;  // of scores and weights: rows whose keys rank otherwise
} ComparisonDistance;

// Somebody's own functions as stages, each in a process of its own; the app makes them.
typedef struct LearnerStages {
    const char *folder;        // of the workspace, for the person
    const char *const *stages; // those that are theirs; NULL ends the list
    TraceVariant variant;
} LearnerStages;

// Makes LearnerStages of a workspace's folder (NULL: the one that the program runs in), which lives
// until the next call or the end. False with a sentence.
typedef bool LearnerStagesOpen(void *context, const char *folder, const LearnerStages **mine,
                               Error *err);

typedef struct Comparison {
    bool open, swapped;           // swapped: the first run is the one beside
    bool hidden;                  // the person is to find out what it is: nothing gives it away
    char name[SCENARIO_EDIT_MAX]; // as it was asked for: "attention.scale=none"
    bool is_changed;              // it is the same scenario, changed; false: another one
    const Mistake *mistake;       // NULL: it differs otherwise
    const LearnerStages *mine;    // NULL likewise

    // Of somebody's functions: what explains the first number that differs, and the two formulas below each
    // other; "": nothing, or nobody has asked for that number.
    char told[RELATION_TEXT_MAX];
    char formulas[RELATION_SHOWN_MAX];

    Scenario scenario;
    Trace trace;
    bool failed; // its next step cannot be computed:
    Error failure;
    ComparisonShow show;
    ComparisonDistance
        distances[TRACE_STEPS_MAX]; // of the front's steps, while COMPARISON_STAGES is shown
    Explanation explanation;        // of the element beside the chosen one, at term depth

    // While COMPARISON_DIFFERENCE is shown: the front's run with other - this in the tensor looked at.
    Trace difference;
    Arena difference_arena;
    int subtracted; // which tensor that is; -1: none
} Comparison;

// "attention.scale=none", "mistake scale-missing", a number of `attnscope list mistakes`, "mine DIR",
// "text SENTENCE", "formula scores[b,h,i,j] = ...", or the name of a scenario; after "hidden " the program does not say which it is.
// False, with a sentence and no run, when there is no such run.
bool comparison_open(Session *session, const char *what, Error *err);
void comparison_close(Session *session);

// The words with which comparison_open runs a mistake: "mistake scale-missing".
const char *comparison_of_mistake(const char *name, char what[SCENARIO_EDIT_MAX]);

// Says what the other run is, where that was hidden.
void comparison_reveal(Session *session);

// What the other run is called on the screen.
const char *comparison_title(const Session *session);

// The same for a person to read. A slide says of a mistake that it is one, and its sentence below which.
const char *comparison_words(const Session *session, char text[SCENARIO_EDIT_MAX]);

// Whether the step in front is one of the hidden run that differs: its formula and code would tell.
bool comparison_hides_step(const Session *session);

// After every command: computes in the other run what the front has computed.
void comparison_follow(Session *session);

// The other run's tensor of the same name and shape as one of the front; NULL where there is none or
// it is not computed.
const Tensor *comparison_tensor(const Session *session, int tensor);

// What a window shows: the front's run, or the differences in the tensor looked at.
const Trace *comparison_window_trace(const Session *session);

// The first element that differs: behind `cell` in the order of the pipeline, or of all. False when
// there is none among what has been computed.
bool comparison_next_difference(const Session *session, bool of_all, TraceCell *cell);

// Term `number` of the element beside the chosen one; false where it has none.
bool comparison_term(const Session *session, ptrdiff_t number, TraceTerm *term);

#endif
