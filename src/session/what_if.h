// What a person changed in the scenario that they step through, and what that moved. Edits are lines
// of words, so undoing, redoing and saving them are the same lines read again; what they take grows
// with their number and not with the tensors.
//
// Life cycle: zeroed; what_if_do, what_if_undo, what_if_redo; what_if_finish. The first edit gives the
// session a scenario of its own: whoever opened the session keeps theirs as it was.
#ifndef WHAT_IF_H
#define WHAT_IF_H

#include "scenario.h"
#include "scenario_file.h"
#include "trace.h"

typedef struct Session Session;

// "attention.scale=none", or "q_proj.weight[0, 3] = 1.5" and what the element was before.
typedef struct Edit {
    bool is_option;
    bool with_next; // done and undone together with the edit behind it
    char text[SCENARIO_EDIT_MAX];
    char before[SCENARIO_EDIT_MAX];
} Edit;

typedef struct WhatIf {
    Scenario *scenario; // with the edits done; NULL: the session steps through that of its opener
    Edit *edits;        // those done, then those undone
    size_t done, count, room;
    TraceChange change; // what the last of them moved
    bool replanned;     // it changed the pipeline itself: everything was computed again
    int breaks_lost;    // then: breakpoints at what the new pipeline does not have
} WhatIf;

// The scenario as `now` was asked for, with the first `done` edits and one option more (NULL: none); it
// belongs to the caller.
bool what_if_open(const WhatIf *what_if, const Scenario *now, size_t done, const char *option,
                  Scenario *scenario, Error *err);

// Where such a scenario lies; NULL: there is no memory for it. Closing accepts NULL.
Scenario *what_if_scenario_new(Error *err);
void what_if_scenario_close(Scenario *scenario);

// False when there is nothing to undo, or to do again.

// Writes a scenario file that opens to the same bits; a file that exists stays.
bool what_if_save(const Session *session, const char *path, Error *err);

// What the last edit moved, by the tensors of the front; NULL while the other run is in front, whose
// tensors may be others.
const TraceChange *what_if_change(const Session *session);

// The number the element had before the last edit; false when that did not change it.
bool what_if_before(const Session *session, TraceCell cell, const Tensor **before);

void what_if_finish(WhatIf *what_if);

#endif
