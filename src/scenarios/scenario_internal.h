// Shared by the files of scenarios: the state while one is read.
#ifndef SCENARIO_INTERNAL_H
#define SCENARIO_INTERNAL_H

#include "scenario.h"
#include "tensor.h"
#include "tensor_file.h"
#include "weight_layout.h"
#include "yaml_tree.h"

// Layers with weights.
typedef enum LayerNumber {
    LAYER_EMBEDDING,
    LAYER_Q,
    LAYER_K,
    LAYER_V,
    LAYER_OUT,
    LAYER_READOUT,
    LAYER_COUNT
} LayerNumber;

typedef struct Layer {
    ptrdiff_t in,
        out;   // nn.Linear(in, out), nn.Embedding(in, out), readout: rows of all questions; 0: none
    bool used; // some stage reads its weights
    bool has_bias;
    bool any_shape;                // a file may have other sizes; the stage then reports them
    Tensor weight, bias, per_head; // no storage: absent
    const char *from, *bias_from;  // origin of the numbers
    ScenarioDraw weight_draw, bias_draw;
} Layer;

// "embedding", "q_proj", ...
extern const char *const layer_names[LAYER_COUNT];

// Their tensors; NULL: none.
extern const char *const layer_weight_names[LAYER_COUNT];
extern const char *const layer_bias_names[LAYER_COUNT];
extern const char *const layer_per_head_names[LAYER_COUNT];

// Numeric inputs.
typedef enum InputNumber {
    INPUT_X,
    INPUT_X_QUERY,
    INPUT_Q,
    INPUT_K,
    INPUT_V,
    INPUT_COUNT
} InputNumber;

typedef struct Input {
    const YamlNode *node; // NULL: not given
    Tensor tensor;        // a shape without storage: to be drawn
    const char *from;
    ScenarioDraw draw;
} Input;

// Their names in the pipeline ("x") and in files ("vectors").
extern const char *const input_names[INPUT_COUNT];
extern const char *const input_keys[INPUT_COUNT];

typedef struct Reading {
    Scenario *scenario; // the result
    bool (*open)(Scenario *scenario, const ScenarioRequest *request,
                 Error *err); // scenario_open, for scenarios that refer to others
    Arena *scratch;           // the YAML tree, and what is needed only while reading
    const YamlNode *root;
    YamlNode nothing; // an empty map for missing sections, with the root's position

    Input inputs[INPUT_COUNT];
    bool knows_words;           // model.vocabulary_words is set; other words have no id
    const int64_t *token_types; // which of two texts each token belongs to; NULL: no text
    ptrdiff_t d_model;          // 0: input and output differ in width
    bool weights_given;         // by a file; only inputs are drawn
    bool per_head;
    LayerNumber projection[3]; // the layers that make q, k, v
    int block;                 // which of several layers of the model is being read, from 0
    Layer layers[LAYER_COUNT];
} Reading;

// The map under a key of the root, or an empty one.
const YamlNode *scenario_section(const Reading *reading, const char *key);

// "nn.Linear(12, 12, bias=False)"; returns text.
const char *scenario_layer_text(const Reading *reading, LayerNumber number, char text[80]);

// The shape of a layer's weight; returns its rank. A linear layer has a row per output, an embedding one per id, the
// readout per question one per word: (Q, V, Dout).
int scenario_weight_shape(const Reading *reading, LayerNumber number, ptrdiff_t shape[3]);

// True if a layer's weight is also shown per head.
bool scenario_is_per_head(const Reading *reading, LayerNumber number);

// Read the sections, in this order. Return false and set err, with file:line:column.
bool scenario_input_read(Reading *reading, Error *err);
bool scenario_model_read(Reading *reading, Error *err);
bool scenario_weights_read(Reading *reading, Error *err);
bool scenario_attention_read(Reading *reading, Error *err);

// The section `patch`: the first adds the tensors for other heads' values; the second fills them, from runs of the
// same scenario, when everything else is read.
bool scenario_patch_read(Reading *reading, Error *err);
bool scenario_patch_fill(Reading *reading, Error *err);

// The id of a word of model.vocabulary_words. Returns false and sets err, with all words, if it is unknown.
bool scenario_known_word(const Scenario *scenario, const YamlNode *word, int64_t *id, Error *err);

// The id of a token in a complete vocabulary, from a word or a number. Returns false and sets err if there is none.
bool scenario_known_token(Reading *reading, const YamlNode *token, int64_t *id, Error *err);

// The sequences of a batch: the lists in `list`, or itself if it has none. NULL past the last.
const YamlNode *scenario_first_sequence(const YamlNode *list);
const YamlNode *scenario_next_sequence(const YamlNode *list, const YamlNode *sequence);

// Reads a section's options (options.def), with defaults for those not given.
bool scenario_options_read(Reading *reading, const char *section, Error *err);

// Rejects options and tensors that no stage reads.
bool scenario_check_uses(const Reading *reading, Error *err);

// Rejects keys of a section that are neither in `own` (NULL-terminated) nor options.
bool scenario_section_only(const YamlNode *map, const char *section, const char *const own[],
                           Error *err);

// --- weights by name (scenario_layer.c)

// Where weights come from: `values`, or a file.
typedef struct WeightSource {
    const YamlNode *values;
    const YamlNode *file_node;
    TensorFile *file;
    const char *prefix;
    WeightLayer layer; // layout and layer of the file; no layout: our own names
    WeightLayers all;  // all layers of the file
    int number;        // which of them is the first to run
} WeightSource;

typedef struct Fetched {
    Tensor tensor;
    const YamlNode *place; // for messages
    const char *from;
} Fetched;

// A required shape; `why` names its origin.
typedef struct ShapeRule {
    const char *name;
    int rank;
    const ptrdiff_t *shape;
    const char *why;
} ShapeRule;

// --- the weights of one layer (scenario_layer.c)

// Fetches all weights that the model reads, except fused ones. Rejects `values` that it does not read.
bool scenario_layer_fetch(Reading *reading, const WeightSource *source, Error *err);

// --- weights by role (scenario_reading.c)

// Add the attention layers; the inputs and the embedding.
void scenario_attention_add(Reading *reading);
void scenario_tensors_add(Reading *reading);

// --- norms, feed-forward and what precedes the layers (scenario_layer.c)

// Rejects norms, a residual or feed-forward that do not fit the model.
bool scenario_extras_check(const Reading *reading, const YamlNode *model, Error *err);

// Adds PyTorch's initial norms where none was given. Rejects a model that needs other such weights if neither a file nor
// `values` has them.
bool scenario_extras_make(Reading *reading, Error *err);

// Adds the norm after a file's last layer, if that is among the first `layers` and the file has it.
bool scenario_final_norm_fetch(Reading *reading, const WeightSource *source, int layers,
                               Error *err);

// --- weights with library names (scenario_layer.c)

// Determines which of q, k, v and output have a bias, whether there is an extra key, and the fused weights of the layer
// in `source`.
bool scenario_layout_take(Reading *reading, const WeightSource *source, Error *err);

// Reads `layout` and `layer`. The file decides which layers have a bias. Fetches fused weights, for the stages that
// split them.
bool scenario_layout_read(Reading *reading, const YamlNode *weights, WeightSource *source,
                          Error *err);

// --- tensors (scenario_reading.c)

// What a TENSOR must be in this place.
typedef struct TensorRule {
    const char *name; // "input.vectors"
    const char *axes; // "(B, L, D)"
    Dtype dtype;
    int rank; // 0: any
    bool may_be_drawn;
    bool or_numbers; // numbers may stand for flags
} TensorRule;

// Reads nested lists, {file: ..., name: ...} or {randn: [...]} (a shape without storage).
bool scenario_tensor_read(Reading *reading, const YamlNode *node, const TensorRule *rule,
                          Tensor *out, const char **from, Error *err);

typedef struct TensorPlan {
    const char *name; // for messages
    Dtype dtype;
    int rank;
    const ptrdiff_t *shape;
} TensorPlan;

// True if the tensor fits in memory besides the scenario's others. Otherwise sets err, with the position of `node` and
// the bytes required.
bool scenario_tensor_fits(const Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Error *err);

// Allocates it for the scenario's lifetime, if it fits.
bool scenario_tensor_take(Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Tensor *out, Error *err);

// The path in a node, relative to the file it is written in. NULL and err if it is not a name, or files are not allowed.
const char *scenario_file_path(Reading *reading, const YamlNode *node, Error *err);

// Opens that file.
TensorFile *scenario_tensor_file(Reading *reading, const YamlNode *node, Error *err);

// The origin of the last tensor, in the scenario's arena: "weights.npz, q_proj.weight (float16, widened to float32)".
const char *scenario_file_from(Reading *reading, const TensorFile *file, const char *path,
                               const char *name, Error *err);

// "written in padded-batch.yaml, line 4" or "given with --set", in the scenario's arena.
const char *scenario_written_in(Reading *reading, const YamlNode *node, Error *err);

// --- text input (scenario_input.c)

// Makes `text` the input in the tree, as words with random embeddings; with a tokenizer, as its text.
bool scenario_text_put(YamlNode *root, const char *text, Arena *arena, Error *err);

// Describes in scenario->note how the text was split.
bool scenario_text_note(Scenario *scenario, Error *err);

// --- the model of a file's layer (scenario_facts.c)

// The query.
typedef struct FactsQuery {
    TensorFile *file;
    const char *path;
    const WeightLayer *layer, *last; // the wanted one; of whole layers also the last
    const WeightLayer *end;          // of whole layers: the file's last of the same stack
    const JsonValue *config;         // all of config.json, or NULL
    const char *as;                  // the model named by the user, or NULL
    bool whole;                      // whole layers, not only attention
    bool reads_out;                  // and the logits behind them
    long width, d_k;                 // of a token, of a head; 0: unknown
    long keys;                       // of the keys of all heads; 0: unknown
} FactsQuery;

typedef struct Facts {
    const WeightModel *model;
    const JsonValue *config;  // the part for this layer
    bool is_said;             // config.json or the user names the model
    long heads, d_k;          // 0: unknown
    bool causal, unscaled;    // unscaled: scores are not divided
    bool turns, neighbours;   // rotary positions, and which pairs
    bool biased;              // ALiBi
    bool bias_kv, zero_key;   // appended keys and values
    long buckets, distance;   // of T5's biases; 0: none
    double rope, epsilon;     // epsilon 0: unknown
    long rope_width;          // 0: all of a head
    const char *rope_scaling; // how angles are reduced, as scenario lines; "": not
    int qk_norm;              // norm of queries and keys: 1 per head, 2 over all heads; 0: none
    double softcap, scale;    // of scores; 0: none, the default
    int relative;     // scores depend on distances and the query, with 2 also the key; 0: not
    long first_place; // the row of the first learned position
    const char *act;  // activation of feed-forward; NULL: unknown
    const char *odd;  // unsupported features that change numbers; "": none
} Facts;

// What differs between layers of one model; 0: no window, the default scale.
typedef struct FactsOfLayer {
    long window;
    double scale;
} FactsOfLayer;

// The first finds the model and its heads; the second, with d_k set in the query, the rest. Return false for an unknown
// model.
bool scenario_facts_begin(const FactsQuery *query, Facts *facts, Arena *arena, Error *err);
bool scenario_facts_read(const FactsQuery *query, Facts *facts, Arena *arena, Error *err);
FactsOfLayer scenario_facts_layer(const Facts *facts, const WeightLayer *layer);

// The model_type in the part of config.json for a layer, or NULL.
const char *scenario_model_type(const JsonValue *whole, const char *prefix);

// --- unsupported features (scenario_facts.c)

// Finds fields of config.json and tensors of the layer that change numbers and are not supported. Returns false if
// there are any, unless the user names the model: then facts->odd lists them.
bool scenario_facts_check(const FactsQuery *query, Facts *facts, Arena *arena, Error *err);

// --- fields
//
// Readers of a scenario file's fields. They leave the value alone if the key is missing, and set err, with
// file:line:column and what is allowed, if it is invalid.

// Lengths of axes, at least 1; the product of two does not overflow.
enum { FIELD_SIZE_MAX = 0x7fffffff };

bool field_size(const YamlNode *map, const char *key, ptrdiff_t *size, Error *err);
bool field_flag(const YamlNode *map, const char *key, bool *flag, Error *err);

// A seed for torch.manual_seed, from -2^63 to 2^64 - 1; 2^64 is added to a negative one.
bool field_seed(const YamlNode *node, uint64_t *seed, Error *err);

// A list of lengths, [2, 3, 4]; rank 0 on entry: of any rank.
bool field_shape(const YamlNode *node, int *rank, ptrdiff_t shape[], Error *err);

// One of the words in `allowed` (NULL-terminated); sets its index. `also` is an alternative for the message ("a
// number"), or NULL.
bool field_word(const YamlNode *node, const char *const allowed[], const char *also, int *which,
                Error *err);

// Describes a node: "a list", "a map", or its text in quotes, shortened. Returns text.
enum { FIELD_TEXT_MAX = 64 };
const char *field_text(const YamlNode *node, char text[FIELD_TEXT_MAX]);

#endif
