// Layers that learn: the pipeline's own stages, forward and backward, on texts of the grammar.
//
// Life cycle: training_open; training_step until `step` is `recipe.steps`, and between steps whatever
// one wants to look at; training_close. Everything that the next step depends on is in the weights,
// their moments, the generator and `step`, which training_file.h keeps.
#ifndef TRAINING_H
#define TRAINING_H

#include "grammar.h"
#include "optimizer.h"
#include "overlap.h"
#include "trace.h"

// What is trained and how. training_recipe has the numbers that the shipped weights were made with.
enum { TRAINING_PAUSES_MAX = 16, TRAINING_LAYERS_MAX = 4 };

typedef struct TrainingRecipe {
    const Grammar *grammar; // of the texts
    uint64_t seed;
    int64_t steps;
    int batch;            // texts a step
    int width, heads;     // d_model, H
    int layers;           // each adds what it finds to what it reads, where texts repeat
    float embedding_size; // of the first embeddings: normal, times this
    int64_t pauses[TRAINING_PAUSES_MAX]; // steps after which one who watches is waited for
    int pause_count;
    float rate; // the largest: training_rate
    float beta1, beta2;
    float decay; // of all weights at a step, times its rate; 0: none
    // What is added to the loss, times the overlap of what the questions hear; 0: nothing. With it
    // heads specialise from nearly every seed, without it only from some. Training.loss is without it.
    float overlap_cost;
    bool is_sgd;
    bool unscaled, unplaced; // scores are not divided by sqrt(d_k); places are not told
    bool unmasked;           // where texts repeat: words see those behind them, too
    int threads;             // 0: as many as there are cores; the bits are the same
} TrainingRecipe;

TrainingRecipe training_recipe(const Grammar *grammar);

// How many heads there are, those of the first layer first; and what one is called: "2", or "1.0" where there
// are several layers.
int training_heads(const TrainingRecipe *recipe);
const char *training_head_name(const TrainingRecipe *recipe, int head, char text[16]);

// Whether it can be trained: false, with a sentence, where heads do not divide the width, or the rate is no
// number above 0.
bool training_recipe_check(const TrainingRecipe *recipe, Error *err);

typedef enum WeightNumber {
    WEIGHT_EMBEDDING,
    WEIGHT_Q,
    WEIGHT_K,
    WEIGHT_V,
    WEIGHT_OUT,
    WEIGHT_READOUT,
    WEIGHT_COUNT, // behind it WEIGHT_Q to WEIGHT_OUT of the second layer, and so on
    WEIGHTS_MAX = WEIGHT_COUNT + (TRAINING_LAYERS_MAX - 1) * WEIGHT_OUT
} WeightNumber;

// "embedding.weight", "q_proj.weight", ...: their roles, and their names where there is one layer.
extern const char *const weight_names[WEIGHT_COUNT];

// Of the weight with that number: which layer it is in, from 0, and which of the first layer's it is like.
int weight_layer(int number);
WeightNumber weight_like(int number);

// A batch of texts and a trace that runs on it.
typedef struct TrainingBatch {
    const Grammar *grammar;
    Scenario scenario;
    Trace trace;
    GrammarText *texts;
    int count, length; // of texts; of the longest one that fits
} TrainingBatch;

typedef struct Training {
    TrainingRecipe recipe;
    int64_t step; // how many are done
    Generator generator;
    Optimizer optimizer;
    int weight_count;
    Tensor weights[WEIGHTS_MAX], moments1[WEIGHTS_MAX], moments2[WEIGHTS_MAX];
    const char *names[WEIGHTS_MAX];      // in the trace
    const char *file_names[WEIGHTS_MAX]; // in files: of several layers "layers.1.q_proj.weight"
    int gradients[WEIGHTS_MAX];          // tensors of the batch's trace
    TrainingBatch batch;                 // forward and backward
    Overlap overlap;               // of the weights before the last step, where it costs something
    Tensor grad_out, grad_readout; // likewise: the batch's gradients and those of the overlap
    float rate_scale; // what a person multiplied the recipe's rate with; 1 at the start
    float loss;       // of the answers in the batch, before its update
    float paid;       // what the overlap cost then, beside the loss
    bool broke_off;   // a step found a number that is none
    bool by_hand;     // a person changed a weight on the way: the recipe alone does not make these
    Arena arena;
} Training;

// The weights as they are before the first step. False when memory is short, or when the recipe is
// impossible.
bool training_open(Training *training, const TrainingRecipe *recipe, Error *err);

// The learning rate of the next step, as the recipe has it and a person changed it: it falls in a line to 0 at
// the last step. Where texts repeat it rises for 50 steps, and falls as half a cosine to 0.02 of the largest.
float training_rate(const Training *training);

// Whether the overlap has a part in how this weight moves.
bool training_overlap_moves(const Training *training, int weight);

// Whether the next step also asks for words that stand nowhere to be looked up, where the grammar has them: from
// half of the steps on. Heads that look a word up form first, and surely.
bool training_asks_guesses(const Training *training);

// Draws a batch, runs it forward and backward, and updates every weight. False where a loss or a gradient is no
// number: the sentence names the first tensor in which that shows, the trace of the batch stays to be looked at,
// and the weights are those before the step.
bool training_step(Training *training, Error *err);

// The gradient of a weight that the last step went by: in its batch, and of the overlap where that costs
// something.
const Tensor *training_gradient(const Training *training, int weight);

// A batch of `count` texts of at most `length` words that shares the weights, forward only. To be filled
// and run by training_batch_run; closed by training_batch_close, which accepts a zeroed one.
bool training_batch_open(const Training *training, int count, int length, TrainingBatch *batch,
                         Error *err);

// Lets batch->texts be what the batch holds, and runs it.
bool training_batch_run(TrainingBatch *batch, Error *err);

void training_batch_close(TrainingBatch *batch);

void training_close(Training *training);

#endif
