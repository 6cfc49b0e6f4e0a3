// One number of an input or weight, put in by a person: "q_proj.weight[0, 3] = 1.5".
#ifndef SCENARIO_EDIT_H
#define SCENARIO_EDIT_H

#include "scenario.h"

typedef struct ScenarioEdit {
    int tensor; // a number into scenario->tensors
    ptrdiff_t at[TENSOR_RANK_MAX];
    union {
        float f32;
        int64_t i64;
        bool boolean;
    } value; // of the tensor's dtype
} ScenarioEdit;

// Reads what a person wrote. Token ids may be written as words of the vocabulary. False, with the
// nearest name, the shape, or what is allowed, when there is no such element or it cannot have that
// value.
bool scenario_edit_read(const Scenario *scenario, const char *text, ScenarioEdit *edit, Error *err);

// The element as it is now: putting that back undoes every edit of it.
ScenarioEdit scenario_edit_now(const Scenario *scenario, int tensor, const ptrdiff_t at[]);

void scenario_edit_put(const Scenario *scenario, const ScenarioEdit *edit);

// The edit so that scenario_edit_read gives the same bits again; returns text.
enum { SCENARIO_EDIT_MAX = 1536 }; // a formula has room in it
const char *scenario_edit_text(const Scenario *scenario, const ScenarioEdit *edit,
                               char text[SCENARIO_EDIT_MAX]);

#endif
