// What the files of this floor share with each other and with nobody else: one scenario while it is
// being read.
#ifndef SCENARIO_INTERNAL_H
#define SCENARIO_INTERNAL_H

#include "scenario.h"
#include "tensor.h"
#include "tensor_file.h"
#include "weight_layout.h"
#include "yaml_tree.h"

// The layers that hold weights.
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
    ptrdiff_t in, out; // nn.Linear(in, out), nn.Embedding(in, out); 0: there is no such layer
                       // (of the readout all questions' rows are out)
    bool used;         // a stage asks for its weights
    bool has_bias;
    bool any_shape; // a file may bring other sizes; the stage then says what is wrong
    Tensor weight, bias, per_head; // storage NULL: absent
    const char *from, *bias_from;  // where the numbers of weight and bias come from
    ScenarioDraw weight_draw, bias_draw;
} Layer;

// "embedding", "q_proj", ...
extern const char *const layer_names[LAYER_COUNT];

// And their tensors; NULL: there is none.
extern const char *const layer_weight_names[LAYER_COUNT];
extern const char *const layer_bias_names[LAYER_COUNT];
extern const char *const layer_per_head_names[LAYER_COUNT];

// The inputs that are numbers.
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
    Tensor tensor;        // a shape without storage: still to be drawn
    const char *from;
    ScenarioDraw draw;
} Input;

// What the pipeline calls them ("x") and what the file calls them ("vectors").
extern const char *const input_names[INPUT_COUNT];
extern const char *const input_keys[INPUT_COUNT];

typedef struct Reading {
    Scenario *scenario; // being filled
    bool (*open)(Scenario *scenario, const ScenarioRequest *request, Error *err); // another one
    Arena *scratch;     // the YAML tree and what else is needed only while reading
    const YamlNode *root;
    YamlNode nothing; // an empty map at the root's place, for sections that are left out

    Input inputs[INPUT_COUNT];
    bool knows_words; // model.vocabulary_words: other words have no id
    const int64_t
        *token_types; // of each token of a text, which of two it belongs to; NULL: there is no text
    ptrdiff_t d_model;  // 0: input and output have different widths
    bool weights_given; // by a file: only inputs are drawn
    bool per_head;
    LayerNumber projection[3]; // which layer makes q, k, v
    int block;                 // which of several layers of the model is read, from 0
    Layer layers[LAYER_COUNT];
} Reading;

// The map under a key of the root, or an empty one.
const YamlNode *scenario_section(const Reading *reading, const char *key);

// "nn.Linear(12, 12, bias=False)"; returns text.
const char *scenario_layer_text(const Reading *reading, LayerNumber number, char text[80]);

// The shape of a layer's weight; returns its rank. A linear layer keeps a row for each output, an embedding
// one for each id, and the readout for each question one for every word: (Q, V, Dout).
int scenario_weight_shape(const Reading *reading, LayerNumber number, ptrdiff_t shape[3]);

// Whether the weight of a layer is also shown as a matrix for each head.
bool scenario_is_per_head(const Reading *reading, LayerNumber number);

// The sections, in the order in which they must be read. Each fills `reading` and its scenario;
// false with file:line:column.
bool scenario_input_read(Reading *reading, Error *err);
bool scenario_model_read(Reading *reading, Error *err);
bool scenario_weights_read(Reading *reading, Error *err);
bool scenario_attention_read(Reading *reading, Error *err);

// The section `patch`: adds the tensors that hold other heads' values; then fills them, from runs of the same
// scenario, once everything else is read.
bool scenario_patch_read(Reading *reading, Error *err);
bool scenario_patch_fill(Reading *reading, Error *err);

// The id of a word of model.vocabulary_words; false, with all of them, where it is none.
bool scenario_known_word(const Scenario *scenario, const YamlNode *word, int64_t *id, Error *err);

// The id of a token where the vocabulary is complete: of a word, or a number that is one. False where it is
// none.
bool scenario_known_token(Reading *reading, const YamlNode *token, int64_t *id, Error *err);

// The sequences of a batch: the lists in `list`, or it alone if there are none in it. NULL behind the last.
const YamlNode *scenario_first_sequence(const YamlNode *list);
const YamlNode *scenario_next_sequence(const YamlNode *list, const YamlNode *sequence);

// The options of a section that options.def tells of: reads them, and puts what is usual for those
// that are not given.
bool scenario_options_read(Reading *reading, const char *section, Error *err);

// Refuses what was given and no stage reads: an option that changes nothing, a tensor.
bool scenario_check_uses(const Reading *reading, Error *err);

// Refuses keys of a section that are neither its own (NULL-terminated) nor such options.
bool scenario_section_only(const YamlNode *map, const char *section, const char *const own[],
                           Error *err);

// --- weights by name (scenario_layer.c)

// Where weights are looked up: in `values`, or in a file.
typedef struct WeightSource {
    const YamlNode *values;
    const YamlNode *file_node;
    TensorFile *file;
    const char *prefix;
    WeightLayer layer; // of which names and layer the file's are; no layout: our own names
    WeightLayers all;  // of such a file
    int number;        // and which of them is the first one
} WeightSource;

// What was found there.
typedef struct Fetched {
    Tensor tensor;
    const YamlNode *place; // for messages
    const char *from;
} Fetched;

// A tensor that must have a shape; `why` says whose shape that is.
typedef struct ShapedWish {
    const char *name;
    int rank;
    const ptrdiff_t *shape;
    const char *why;
} ShapedWish;

// The tensor that we call `name`, of numbers and not empty; and of that shape.

// --- the weights of one layer (scenario_layer.c)

// All that the model asks for, but those that lie together in the file: refuses values that it does not.
bool scenario_layer_fetch(Reading *reading, const WeightSource *source, Error *err);

// --- under the roles by which stages ask for them (scenario_reading.c)

// Adds the layers of attention that have been read; and with these the inputs and the embedding.
void scenario_attention_add(Reading *reading);
void scenario_tensors_add(Reading *reading);

// --- a norm before attention, a residual after it (scenario_layer.c)

// The names of the norms' weights that these options ask for; how many there are.
enum { SCENARIO_NORM_NAMES = 4 };

// Refuses either where it has no place.
bool scenario_norm_check(const Reading *reading, const YamlNode *model, Error *err);

// Adds the norm's weights from a file or from values; and, where they came from neither, as PyTorch
// begins with them: ones and zeros.
bool scenario_norm_make(Reading *reading, Error *err);

// --- what stands around attention (scenario_layer.c)

// Refuses feed-forward without an output projection.
bool scenario_block_check(const Reading *reading, const YamlNode *model, Error *err);

// Adds the weights of feed-forward and its norm; and what stands before the layers.

// Refuses what needs such weights and came from neither a file nor values.
bool scenario_block_made(const Reading *reading, Error *err);

// Adds the norm behind the last layer of a file, where that is among so many and the file has it.
bool scenario_final_norm_fetch(Reading *reading, const WeightSource *source, int layers,
                               Error *err);

// --- weights under the names of libraries (scenario_layer.c)

// Which of q, k, v and output have a bias, whether there is one more key, and the weights that are fused, of
// the layer in `source`.
bool scenario_layout_take(Reading *reading, const WeightSource *source, Error *err);

// Reads `layout` and `layer`: which layers have a bias is what the file has. Weights that are fused are
// fetched here, for the stages that take them apart.
bool scenario_layout_read(Reading *reading, const YamlNode *weights, WeightSource *source,
                          Error *err);

// --- tensors (scenario_reading.c)

// What a TENSOR must be where it stands.
typedef struct TensorWish {
    const char *name; // "input.vectors"
    const char *axes; // "(B, L, D)"
    Dtype dtype;
    int rank; // 0: any
    bool may_be_drawn;
    bool or_numbers; // numbers will do, where flags are wished for
} TensorWish;

// Nested lists, {file: ..., name: ...} or {randn: [...]} (which yields a shape without storage).
bool scenario_tensor_read(Reading *reading, const YamlNode *node, const TensorWish *wish,
                          Tensor *out, const char **from, Error *err);

// A tensor that is about to be made.
typedef struct TensorPlan {
    const char *name; // for messages
    Dtype dtype;
    int rank;
    const ptrdiff_t *shape;
} TensorPlan;

// True when a tensor still fits into the machine's memory beside what the scenario has taken;
// otherwise says at the place of `node` how many bytes are asked for.
bool scenario_tensor_fits(const Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Error *err);

// Memory that lives as long as the scenario, if it fits.
bool scenario_tensor_take(Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Tensor *out, Error *err);

// The path that a node's text names, seen from the folder of the file in which it is written. NULL,
// with a sentence, where it is no name, or no file may be opened.
const char *scenario_file_path(Reading *reading, const YamlNode *node, Error *err);

// Opens that file.
TensorFile *scenario_tensor_file(Reading *reading, const YamlNode *node, Error *err);

// "weights.npz, q_proj.weight (float16, widened to float32)", of the tensor that was read last, in the
// scenario's arena.
const char *scenario_file_from(Reading *reading, const TensorFile *file, const char *path,
                               const char *name, Error *err);

// "written in padded-batch.yaml, line 4" or "given with --set", in the scenario's arena.
const char *scenario_written_in(Reading *reading, const YamlNode *node, Error *err);

// --- sentences (scenario_input.c)

// Puts the words of `text` into the tree as its input, and has weights for them drawn; where the input
// has a tokenizer, as its text.
bool scenario_text_put(YamlNode *root, const char *text, Arena *arena, Error *err);

// Says in scenario->note how the text was split.
bool scenario_text_note(Scenario *scenario, Error *err);

// --- the model that a file's layer is of (scenario_facts.c)

// What is asked about.
typedef struct FactsWish {
    TensorFile *file;
    const char *path;
    const WeightLayer *layer;
    const JsonValue *config; // all of config.json; NULL: there is none
    const char *as;          // the model that the person says it is; NULL: none
    bool whole;              // whole layers, and not attention alone
    long width, d_k;         // of a token, and of one head; 0: not known
} FactsWish;

typedef struct Facts {
    const WeightModel *model;
    const JsonValue *config;  // the part of it that is of this layer
    bool is_said;             // config.json or the person says which model it is
    long heads, d_k;          // 0: not known
    bool causal, unscaled;    // scores are not divided
    bool turns, neighbours;   // rotary positions, and of which pairs
    bool biased;              // linear biases
    bool bias_kv, zero_key;   // keys and values that are appended
    long buckets, distance;   // of T5's biases; 0: none
    double rope, epsilon;     // epsilon 0: not known
    long rope_width;          // 0: all of a head
    const char *rope_scaling; // how the angles are made smaller, as lines of a scenario; "": not
    int qk_norm; // queries and keys are brought to one length: 1 a head by itself, 2 all together
    double softcap, scale; // of scores; 0: none, the usual one
    int relative; // scores have what the query, and with 2 the key, have to do with distances; 0: not
    long first_place; // which row of learned places is the first one
    const char *act;  // what stands in feed-forward; NULL: not known
    const char *odd;  // what changes numbers and is not computed; "": nothing
} Facts;

// What layers of one model differ in; 0: no window, the usual scale.
typedef struct FactsOfLayer {
    long window;
    double scale;
} FactsOfLayer;

// Which model, and its heads; then, with d_k in the wish, the rest. False where it is no known model.
bool scenario_facts_begin(const FactsWish *wish, Facts *facts, Arena *arena, Error *err);
bool scenario_facts_read(const FactsWish *wish, Facts *facts, Arena *arena, Error *err);
FactsOfLayer scenario_facts_layer(const Facts *facts, const WeightLayer *layer);

// The model_type of the part of config.json that is of a layer; NULL: it says none.
const char *scenario_model_type(const JsonValue *whole, const char *prefix);

// --- what has no place in what is computed (scenario_facts.c)

// Looks for fields of config.json and tensors of the layer that change numbers and are not computed.
// False where there are any, unless the person says which model it is: then they are in facts->odd.
bool scenario_facts_check(const FactsWish *wish, Facts *facts, Arena *arena, Error *err);

// --- fields
//
// The fields of a scenario file. Every reader leaves the value as it is when the key is not there,
// and says file:line:column, what is wrong and what is allowed when it cannot be read.

// Lengths of axes, 1 or more; two of them can be multiplied without overflow.
enum { FIELD_SIZE_MAX = 0x7fffffff };

bool field_size(const YamlNode *map, const char *key, ptrdiff_t *size, Error *err);
bool field_flag(const YamlNode *map, const char *key, bool *flag, Error *err);

// What torch.manual_seed takes: from -2^63 to 2^64 - 1; a negative one stands for itself + 2^64.
bool field_seed(const YamlNode *node, uint64_t *seed, Error *err);

// A list of lengths, [2, 3, 4]; rank 0 on entry: any number of them.
bool field_shape(const YamlNode *node, int *rank, ptrdiff_t shape[], Error *err);

// One of the words in `allowed` (NULL-terminated); which one. `also` is what else the message may
// offer ("a number"), or NULL.
bool field_word(const YamlNode *node, const char *const allowed[], const char *also, int *which,
                Error *err);

// "a list", "a map", or the text in quotes, cut to a sensible length; returns text.
enum { FIELD_TEXT_MAX = 64 };
const char *field_text(const YamlNode *node, char text[FIELD_TEXT_MAX]);

#endif
