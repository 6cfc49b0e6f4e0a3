// Scenarios in YAML: parses one, with overrides, into a Scenario that is ready to run. scenario_format.txt
// documents the format; `attnscope help scenario` prints it.
#ifndef SCENARIO_FILE_H
#define SCENARIO_FILE_H

#include "arena.h"
#include "error.h"
#include "scenario.h"
#include "weight_layout.h"
#include "words.h"

// --- edits
//
// A user's change of one number of an input or weight: "q_proj.weight[0, 3] = 1.5".

typedef struct ScenarioEdit {
    int tensor; // index in scenario->tensors
    ptrdiff_t at[TENSOR_RANK_MAX];
    union {
        float f32;
        int64_t i64;
        bool boolean;
    } value; // of the tensor's dtype
} ScenarioEdit;

// Parses an edit. Token ids may be words of the vocabulary. Returns false and sets err if the element or value is
// invalid, with the nearest name, the shape, or what is allowed.
bool scenario_edit_read(const Scenario *scenario, const char *text, ScenarioEdit *edit, Error *err);

// The element's present value, as an edit that restores it.
ScenarioEdit scenario_edit_now(const Scenario *scenario, int tensor, const ptrdiff_t at[]);

void scenario_edit_put(const Scenario *scenario, const ScenarioEdit *edit);

// Prints an edit so that scenario_edit_read restores the same bits. Returns text.
enum { SCENARIO_EDIT_MAX = 1536 }; // enough for a formula
const char *scenario_edit_text(const Scenario *scenario, const ScenarioEdit *edit,
                               char text[SCENARIO_EDIT_MAX]);

// --- the list: every *.yaml in `scenarios` of the lessons (place.h)

typedef struct ScenarioEntry {
    const char *name; // "padded-batch"
    const char *path;
    const char *document; // "001", or NULL
    const char *about;    // one line
} ScenarioEntry;

typedef struct ScenarioList {
    ScenarioEntry *entries; // by document, then by name
    int count;
    Arena arena;
} ScenarioList;

bool scenario_list_open(ScenarioList *list, Error *err);
void scenario_list_close(ScenarioList *list);

// --- the format: scenario_format.txt and scenario_format.ko.txt, embedded at build time

extern const Words scenario_format;

// --- files

// Opens a scenario, drawing or loading its tensors. Returns false and sets err to "file:line:column: what is wrong,
// what is allowed". With `text` and no `what`, uses the scenario `sentence`.
bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err);

// A formula as a --set: formulas.scores="scores[b,h,i,j] = ...". Returns `set`; NULL and err, with the position, on a
// syntax error.
enum { SCENARIO_FORMULA_SET_MAX = 2600 };
const char *scenario_formula_set(const char *text, char set[SCENARIO_FORMULA_SET_MAX], Error *err);

// True if a --set is a formula.
bool scenario_set_is_formula(const char *set);

// A --set for people: of a formula only its text, in `text`; else the line itself.
const char *scenario_set_shown(const char *set, char text[SCENARIO_FORMULA_SET_MAX]);

// True if `what` names a weights file ("gpt2.safetensors") or a layer of one ("gpt2.safetensors#3"). Opening it
// generates a scenario with the file's layout, widths and mask, the heads from config.json unless the request sets
// them, and random vectors as input; the second function returns that text, in the arena. `name` is how the text
// calls the file; NULL: without folders. NULL and err on failure.
bool scenario_is_file(const char *what);
const char *scenario_of_file(const ScenarioRequest *request, const char *name, Arena *arena,
                             Error *err);

// Expands "gpt2#3" for a folder gpt2 to "gpt2/model.safetensors#3", in the arena. NULL and err on failure.
const char *scenario_file_of_folder(const char *what, Arena *arena, Error *err);

// Describes each attention layer of a file. `why` is the reason why the first layers cannot run, or NULL. `as` is the
// model named by the user, or NULL.
typedef struct FileLayer {
    bool is_causal, is_cross;
} FileLayer;

typedef struct FileLayers {
    WeightLayers all;
    FileLayer *layers;
    const char *why;
} FileLayers;

bool scenario_file_layers(TensorFile *file, const char *path, const char *as, Arena *arena,
                          FileLayers *listed, Error *err);

#endif
