// Scenarios as YAML: reads one, overrides included, into a Scenario that is ready to run.
// The format is documented in scenario_format.txt, which `attnscope help scenario` prints.
#ifndef SCENARIO_FILE_H
#define SCENARIO_FILE_H

#include "error.h"
#include "scenario.h"

// Finds, reads, draws or loads. False with `file:line:column: what is wrong, what is allowed`.
// With `text` and no `what`, the scenario `sentence` is the model.
bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err);

// Whether what a request names is a file of weights ("gpt2.safetensors"), a layer of it
// ("gpt2.safetensors#3"). Opening it makes a scenario of it, as this text has it: its layout, widths,
// mask, and heads from config.json beside it unless the request sets them; vectors that are drawn are
// the input. `name` is what the text calls the file; NULL: its name without folders. In the arena; NULL
// with a sentence.
bool scenario_is_file(const char *what);
const char *scenario_of_file(const ScenarioRequest *request, const char *name, Arena *arena,
                             Error *err);

// "gpt2#3", where gpt2 is a folder, as "gpt2/model.safetensors#3". In the arena; NULL with a sentence.
const char *scenario_file_of_folder(const char *what, Arena *arena, Error *err);

#endif
