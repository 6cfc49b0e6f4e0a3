// Scenarios as YAML: reads one, overrides included, into a Scenario that is ready to run.
// The format is documented in scenario_format.txt, which `attnscope help scenario` prints.
#ifndef SCENARIO_FILE_H
#define SCENARIO_FILE_H

#include "error.h"
#include "scenario.h"

// What the command line adds to a scenario.
typedef struct ScenarioRequest {
    const char *what;        // a known name ("padded-batch") or a path that ends in .yaml or .yml
    const char *text;        // --text: a sentence that replaces the input; NULL: none
    const char *const *sets; // --set: "attention.scale=sqrt_d_model", in the order given
    int set_count;
} ScenarioRequest;

// Finds, reads, draws or loads. False with `file:line:column: what is wrong, what is allowed`.
// With `text` and no `what`, the scenario `sentence` is the model.
bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err);

#endif
