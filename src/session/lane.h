// Two lanes: the run that a person steps through, and beside it another run, which computes the same
// input in another way. They take every step together. Either can be brought to the front, where the
// whole program looks at it; the other is then the one beside it.
//
// The lanes share nothing: the other one has inputs, weights and outputs of its own, as much memory
// again as the first. Steps and tensors are matched by name.
#ifndef LANE_H
#define LANE_H

#include "explanation.h"
#include "mistake.h"
#include "scenario_edit.h"

typedef struct Session Session;

// What the panel shows of the other lane.
typedef enum LaneShow { LANE_OTHER, LANE_DIFFERENCE, LANE_STAGES, LANE_SHOWS } LaneShow;

// How far apart the lanes are in what one step makes.
typedef struct LaneDistance {
    bool known;                 // both lanes have computed it, with the same shape
    ptrdiff_t count, differing; // elements, and those with other bits
    double largest;             // difference; NaN where one lane has NaN or another infinity
    ptrdiff_t rows, reordered;  // of scores and weights: rows whose keys rank otherwise
} LaneDistance;

// Somebody's own functions as stages, each in a process of its own; the app makes them.
typedef struct Mine {
    const char *folder;        // of the workspace, for the person
    const char *const *stages; // those that are theirs; NULL ends the list
    TraceWay way;
} Mine;

// Makes Mine of a workspace's folder (NULL: the one that the program runs in), which lives until the
// next call or the end. False with a sentence.
typedef bool MineOpen(void *context, const char *folder, const Mine **mine, Error *err);

typedef struct Lane {
    bool open, swapped;           // swapped: the first lane is the one beside
    bool hidden;                  // what it is shall be found out: nothing may tell
    char name[SCENARIO_EDIT_MAX]; // as it was asked for: "attention.scale=none"
    bool is_changed;              // it is the same scenario, changed; false: another one
    const Mistake *mistake;       // NULL: it differs otherwise
    const Mine *mine;             // NULL likewise
    Scenario scenario;
    Trace trace;
    bool failed; // its next step cannot be computed:
    Error failure;
    LaneShow show;
    LaneDistance distances[TRACE_STEPS_MAX]; // of the front's steps, while LANE_STAGES is shown
    Explanation explanation;                 // of the element beside the chosen one, at term depth

    // While LANE_DIFFERENCE is shown: the front's run with other - this in the tensor looked at.
    Trace difference;
    Arena difference_arena;
    int subtracted; // which tensor that is; -1: none
} Lane;

// "attention.scale=none", "mistake scale-missing", a number of `attnscope list mistakes`, "mine DIR",
// "text SENTENCE", or the name of a scenario; "hidden " before it keeps what it is from being told.
// False, with a sentence and no lane, when there is no such way.
bool lane_open(Session *session, const char *what, Error *err);
void lane_close(Session *session);

// What lane_open calls a mistake by its name: "mistake scale-missing".
const char *lane_of_mistake(const char *name, char what[SCENARIO_EDIT_MAX]);

// Tells what runs beside, where that was hidden.
void lane_reveal(Session *session);

// What the other lane is called on the screen.
const char *lane_title(const Session *session);

// Whether the step in front is one of the hidden lane that differs: its formula and code would tell.
bool lane_hides_step(const Session *session);

// Exchanges the lanes: the same step, tensor and element of the other one come to the front.
void lane_swap(Session *session);

// After every command: computes in the other lane what the front has computed.
void lane_follow(Session *session);

// The other lane's tensor of the same name and shape as one of the front; NULL where there is none or
// it is not computed.
const Tensor *lane_tensor(const Session *session, int tensor);

// What a window shows: the front's run, or the differences in the tensor looked at.
const Trace *lane_window_trace(const Session *session);

// The first element that differs: behind `cell` in the order of the pipeline, or of all. False when
// there is none among what has been computed.
bool lane_next_difference(const Session *session, bool of_all, TraceCell *cell);

// Term `number` of the element beside the chosen one; false where it has none.
bool lane_term(const Session *session, ptrdiff_t number, TraceTerm *term);

#endif
