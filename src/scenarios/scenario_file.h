// Scenarios as YAML: reads one, overrides included, into a Scenario that is ready to run.
// The format is documented in scenario_format.txt, which `attnscope help scenario` prints.
#ifndef SCENARIO_FILE_H
#define SCENARIO_FILE_H

#include "error.h"
#include "scenario.h"
#include "weight_layout.h"

// Finds, reads, draws or loads. False with `file:line:column: what is wrong, what is allowed`.
// With `text` and no `what`, the scenario `sentence` is the model.
bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err);

// A formula as what --set takes: formulas.scores="scores[b,h,i,j] = ...". Returns `set`; NULL with the place
// where no formula can be read.
enum { SCENARIO_FORMULA_SET_MAX = 2600 };
const char *scenario_formula_set(const char *text, char set[SCENARIO_FORMULA_SET_MAX], Error *err);

// Whether a line of --set is one.
bool scenario_set_is_formula(const char *set);

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

// What is told of each attention layer of such a file; `why` is the sentence for which the first layers
// are not run, NULL: they are. `as` is what the person says the model is, NULL: nothing.
typedef struct FileLayer {
    bool is_causal, is_cross;
} FileLayer;

typedef struct FileLayers {
    WeightLayers all;
    FileLayer *layers;
    const char *why;
} FileLayers;

bool scenario_file_layers(TensorFile *file, const char *path, const char *as, Arena *arena,
                          FileLayers *told, Error *err);

#endif
