// Edits of the scenario, with undo and redo, and what they changed. Edits are kept as text; undo, redo and
// save read it again. So memory grows with the number of edits, not with the tensors.
//
// Life cycle: zeroed; session_apply makes edits; what_if_finish. The first edit gives the session its own copy
// of the scenario; the caller's stays as it was.
#ifndef WHAT_IF_H
#define WHAT_IF_H

#include "scenario.h"
#include "scenario_file.h"
#include "trace.h"

typedef struct Session Session;

// "attention.scale=none", or "q_proj.weight[0, 3] = 1.5" with the old value.
typedef struct Edit {
    bool is_option;
    bool with_next; // done and undone together with the next edit
    char text[SCENARIO_EDIT_MAX];
    char before[SCENARIO_EDIT_MAX];
} Edit;

typedef struct WhatIf {
    Scenario *scenario; // with the edits done; NULL: the caller's
    Edit *edits;        // done, then undone ones
    size_t done, count, room;
    TraceChange change; // what the last edit changed
    bool replanned;     // it changed the pipeline: everything was computed again
    int breaks_lost;    // breakpoints without a place in the new pipeline
} WhatIf;

// Opens the scenario of `now` again with the first `done` edits and one more option (NULL: none). The caller
// closes it.
bool what_if_open(const WhatIf *what_if, const Scenario *now, size_t done, const char *option,
                  Scenario *scenario, Error *err);

// Allocates a scenario; NULL and err if out of memory. Close accepts NULL.
Scenario *what_if_scenario_new(Error *err);
void what_if_scenario_close(Scenario *scenario);

// Writes a scenario file that opens to the same bits. Does not overwrite a file.
bool what_if_save(const Session *session, const char *path, Error *err);

// What the last edit changed. NULL while the other run is in front: its tensors may differ.
const TraceChange *what_if_change(const Session *session);

// The element's number before the last edit; false if the edit did not change it.
bool what_if_before(const Session *session, TraceCell cell, const Tensor **before);

void what_if_finish(WhatIf *what_if);

#endif
