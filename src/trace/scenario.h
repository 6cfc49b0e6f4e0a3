// What is to be computed: sizes, input tensors, weights and options, ready to run.
//
// A Scenario is a plain value whose tensors and texts live in its own arena. It is filled by the
// YAML reader (floor `scenarios`) or by hand in a test, and does not change while a trace uses it.
#ifndef SCENARIO_H
#define SCENARIO_H

#include "arena.h"
#include "stage.h"
#include "tensor.h"

// The symbols that axes are written with, and their sizes. Order as in `symbol_names`.
typedef enum Symbol {
    SYMBOL_B,
    SYMBOL_L,
    SYMBOL_LQ,
    SYMBOL_LK,
    SYMBOL_V,
    SYMBOL_N,
    SYMBOL_H,
    SYMBOL_DIN,
    SYMBOL_D_K,
    SYMBOL_D_V,
    SYMBOL_DK,
    SYMBOL_DV,
    SYMBOL_DOUT,
    SYMBOL_DQKV,
    SYMBOL_Q,
    SYMBOL_G,
    SYMBOL_GK,
    SYMBOL_GV,
    SYMBOL_P,
    SYMBOL_DFF,
    SYMBOL_LAYERS,
    SYMBOL_BUCKETS,
    SYMBOL_DISTANCES,
    SYMBOL_BLOCKS,
    SYMBOL_LT,
    SYMBOL_LB,
    SYMBOL_LP,
    SYMBOL_DQ,
    SYMBOL_PARTS,
    SYMBOL_TYPES,
    SYMBOL_COUNT
} Symbol;

// "B", "L", "Lq", "Lk", "V", "N", "H", "Din", "d_k", "d_v", "Dk", "Dv", "Dout", "Dqkv", "Q", "G", "Gk", "Gv", "P",
// "Dff", "layers", "buckets", "distances", "blocks", "Lt", "Lb", "Lp", "Dq", "parts", "types": as stages spell them.
extern const char *const symbol_names[SYMBOL_COUNT];

// How a tensor's numbers were drawn, element after element in C order (generator.h).
typedef enum DrawKind {
    DRAW_NONE,         // they were not
    DRAW_UNIFORM,      // generator_uniform(-bound, bound): a word each
    DRAW_NORMAL,       // generator_randn of 16 numbers or more
    DRAW_SMALL_NORMAL, // of fewer
} DrawKind;

// How tensors of layers after the first are called: the number of the layer from 0, and the name: "layer1.scores" in the second.
#define SCENARIO_LAYER_NAME "layer%d.%s"

typedef struct ScenarioDraw {
    DrawKind kind;
    uint64_t first_word; // of the seed's stream, counted from 0, that the draw takes
    double bound;
    bool begins_with_cached; // DRAW_SMALL_NORMAL: its first number was made together with the last
    uint64_t cached_word;    // one of an earlier such draw, whose pair began at this word
    bool of_layer;           // a layer's weight or bias was drawn, and no input
} ScenarioDraw;

// An input or weight: `name` is what exports call it ("q_proj.weight"), `role` what stages ask for.
// A tensor may play several roles; one with the role "" is shown and exported, but no stage reads it.
// Stages that ask for "x_query" get "x" where queries have no input of their own.
typedef struct ScenarioTensor {
    const char *role;
    const char *name;
    Tensor tensor;
    const char *from; // where its numbers come from, for the screen: "manual_seed 4, draw 2"
    ScenarioDraw draw;
    int layer; // which of several layers it is a weight of, from 0; 0 for inputs too
} ScenarioTensor;

// Room for 12 layers of 19 weights, their cache or patches, and the inputs.
enum { SCENARIO_LAYERS_MAX = 12, SCENARIO_TENSORS_MAX = 290 };

// The rows of a trained head in which there is something to look for. In the others it rests on whatever
// does no harm, so that its weights there are shown pale.
typedef struct ScenarioAsked {
    const bool *of_word; // [V]: whether it is asked where this word stands
    bool at_first;       // whether it is where nothing stands before
} ScenarioAsked;

// What somebody asked for when a scenario was opened: enough to ask again.
typedef struct ScenarioRequest {
    const char *what;        // a known name ("padded-batch"), the number of a document with one
                             // scenario ("000"), or a path that ends in .yaml or .yml
    const char *text;        // --text: a sentence that replaces the input; NULL: none
    const char *const *sets; // --set: "attention.scale=sqrt_d_model", in the order given
    int set_count;
    bool sets_typed; // in a line of their own: messages say no place in them
    bool
        shape_only; // what the model is like is all that is wanted: its weights are neither read nor
                    // drawn, but zeros, so that they need not be there yet
    bool unpatched; // without what `patch` says, to see what heads find by themselves
    const struct Trace
        *like; // an open run with the same weights, which are taken from it instead of the
               // file; it must outlive the scenario. NULL: none
    const char
        *no_files; // why no file of numbers may be opened but those that the scenario's own file
                   // names ("a lecture reads no files"), a text that stays; NULL: any may
} ScenarioRequest;

// A formula in the place of a step's own; it begins with a tensor that the step makes.
typedef struct ScenarioFormula {
    const char *text;
    const char *place; // where it was written, for messages: "own.yaml:7:12: "; "": by hand
} ScenarioFormula;

enum { SCENARIO_FORMULAS_MAX = 16 };

typedef struct Scenario {
    ScenarioRequest request; // `what` is NULL where it was made by hand
    const char *name;        // "padded-batch", or the file it was read from
    bool is_own;          // that is a file of the person's own, and not one of those that are known
    bool is_weights_file; // that is a file of weights, which tells no scenario
    const char *document; // "001", or NULL
    const char *about;    // one line
    const char *seed;     // manual_seed of what was drawn, as written; NULL: nothing was
    const char *weights;  // the file that the weights are from, without folders; NULL: none is
    bool untrained;       // so the scenario says of them
    const char *maps;     // the name of attention maps that were given; NULL: none were
    ptrdiff_t odd_rows;   // of attention maps that were given: how many do not sum to 1
    const char *note;     // something the person should know (how --text was split), or NULL

    ptrdiff_t size[SYMBOL_COUNT]; // 0: does not occur
    int layers;                   // of one shape, each of what the last has made; 0 and 1: one
    bool has_heads;               // false: no H axis, no view, transpose and concat
    StageOptions options;
    const StageOptions *layer_options; // [layers], where layers differ in numbers; NULL: none does

    bool scaled;            // the scale stage takes part
    bool masked;            // the mask stage takes part
    bool mask_before_scale; // document 003's order
    bool with_position;     // sinusoidal positions are added
    bool with_dropout;
    bool backward; // gradients are computed, from a loss back to every weight

    ScenarioFormula formulas[SCENARIO_FORMULAS_MAX]; // of two for one step the later one counts
    int formula_count;

    int threads;       // that compute; 0: as many as there are cores to use
    const char *spill; // a folder whose files keep the large tensors; NULL: memory does

    ScenarioTensor tensors[SCENARIO_TENSORS_MAX];
    int tensor_count;

    // Words for labels; NULL where the scenario has ids only or vectors only.
    const char *const *vocabulary; // vocabulary[id] is the word, size[SYMBOL_V] of them

    const char *const *questions; // [Q]: what its readouts are asked; NULL: it has none
    const ScenarioAsked *asked;   // [H]; NULL: nobody says

    const struct Scenario *shared; // the scenario that owns the rest; NULL: see scenario_share
    Arena arena;                   // owns everything above
} Scenario;

// The tensor with this role; NULL when there is none.
const ScenarioTensor *scenario_tensor(const Scenario *scenario, const char *role);

// That of one of several layers, as changeable as the scenario is.
ScenarioTensor *scenario_layer_tensor(const Scenario *scenario, const char *role, int layer);

// The options of a layer, from 0.
const StageOptions *scenario_options(const Scenario *scenario, int layer);

// How many parts the residual stream of all layers has: what goes in, and of each layer its heads, their
// bias and feed-forward, and the biases of norms behind attention and behind that, as far as there are any; at
// last the bias of the norm behind all layers.
ptrdiff_t scenario_parts(const Scenario *scenario);

// A part of it: the embedding, or what a layer (from 0) has added.
typedef enum PartKind {
    PART_EMBEDDING,
    PART_HEAD,
    PART_BIAS,
    PART_BIAS_OF_NORM, // behind attention
    PART_FEED_FORWARD,
    PART_BIAS_OF_NORM_2, // behind feed-forward
    PART_BIAS_OF_LAST_NORM
} PartKind;
typedef struct StreamPart {
    PartKind kind;
    int layer;
    ptrdiff_t head; // in its layer
} StreamPart;
StreamPart scenario_part(const Scenario *scenario, ptrdiff_t number);

// How many keys the text gives: all, unless some are appended behind them. Those of a cache are of the text.
ptrdiff_t scenario_text_keys(const Scenario *scenario);

// Whether some layer's numbers are those that a seed has drawn, here or in the file: nothing was learned in
// it.
bool scenario_is_untrained(const Scenario *scenario);

// Whether the weights of a row of attention maps that were given sum to 1, up to what 16 bits a number leave of
// that.
bool scenario_sums_to_one(double sum);

// Whether a head was asked for what it does in the row of word `id`; true where nobody says.
bool scenario_is_asked(const Scenario *scenario, ptrdiff_t head, ptrdiff_t row, int64_t id);

// Adds a tensor; asserts that there is room.
void scenario_add(Scenario *scenario, const char *role, const char *name, Tensor tensor,
                  const char *from);

// How an axis is called on screen: one "D" while all widths are equal, "d_in", "H*d_k" ... when
// they are not; "L" for Lq and Lk of inputs where queries and keys are the same tokens.
const char *scenario_axis_name(const Scenario *scenario, const char *symbol);

// The same scenario. Its numbers and texts stay those of `from`, which must outlive it. Ends with scenario_finish.
void scenario_share(Scenario *to, const Scenario *from);

// Gives a tensor numbers of its own, which may be changed; tensors that share a storage share one again. Returns
// false and sets err, with nothing changed, when memory is short.
bool scenario_own(Scenario *scenario, int tensor, Error *err);

// The same scenario with numbers of its own. Texts stay those of `from`, which must outlive it. Returns false and
// sets err when memory is short.
bool scenario_copy(Scenario *to, const Scenario *from, Error *err);

void scenario_finish(Scenario *scenario);

#endif
