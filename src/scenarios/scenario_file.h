// Scenarios as YAML: reads one, overrides included, into a Scenario that is ready to run.
// The format is documented in scenario_format.txt, which `attnscope help scenario` prints.
#ifndef SCENARIO_FILE_H
#define SCENARIO_FILE_H

#include "arena.h"
#include "error.h"
#include "scenario.h"
#include "weight_layout.h"
#include "words.h"

// --- an edit
//
// One number of an input or weight, put in by a person: "q_proj.weight[0, 3] = 1.5".

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

// --- the list
//
// Which scenarios there are: every *.yaml in the folder `scenarios` of the lessons (place.h).

typedef struct ScenarioEntry {
    const char *name; // "padded-batch"
    const char *path;
    const char *document; // "001", or NULL
    const char *about;    // one line
} ScenarioEntry;

typedef struct ScenarioList {
    ScenarioEntry *entries; // in the order of their documents, then of their names
    int count;
    Arena arena;
} ScenarioList;

bool scenario_list_open(ScenarioList *list, Error *err);
void scenario_list_close(ScenarioList *list);

// --- the format
//
// The page that documents the scenario format: scenario_format.txt and scenario_format.ko.txt, put into
// the program when it is built.

extern const Words scenario_format;

// --- files

// Finds, reads, draws or loads. False with `file:line:column: what is wrong, what is allowed`.
// With `text` and no `what`, the scenario `sentence` is the model.
bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err);

// A formula as what --set takes: formulas.scores="scores[b,h,i,j] = ...". Returns `set`; NULL with the place
// where no formula can be read.
enum { SCENARIO_FORMULA_SET_MAX = 2600 };
const char *scenario_formula_set(const char *text, char set[SCENARIO_FORMULA_SET_MAX], Error *err);

// Whether a line of --set is one.
bool scenario_set_is_formula(const char *set);

// A line of --set as a person reads it: of a formula only that, as `text`; else the line.
const char *scenario_set_shown(const char *set, char text[SCENARIO_FORMULA_SET_MAX]);

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
