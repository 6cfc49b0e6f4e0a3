// Scenarios as YAML: reads one, overrides included, into a Scenario that is ready to run.
// The format is documented in scenario_format.txt, which `attnscope help scenario` prints.
#ifndef SCENARIO_FILE_H
#define SCENARIO_FILE_H

#include "error.h"
#include "scenario.h"

// Finds, reads, draws or loads. False with `file:line:column: what is wrong, what is allowed`.
// With `text` and no `what`, the scenario `sentence` is the model.
bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err);

#endif
