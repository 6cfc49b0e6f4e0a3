// Training: runs the pipeline's own stages forward and backward on texts of a grammar.
//
// Life cycle: training_open; training_step until `step` is `recipe.steps`, with any inspection
// between steps; training_close. The next step depends only on the weights, their moments, the
// generator and `step`, which training_write_checkpoint stores.
#ifndef TRAINING_H
#define TRAINING_H

#include <stdbool.h>
#include <stddef.h>
#include "grammar.h"
#include "overlap.h"
#include "trace.h"

// --- optimizers: Adam and SGD, in torch.optim's form

typedef struct Optimizer {
    bool is_sgd;        // plain gradient descent: no moments
    float rate;         // learning rate (lr)
    float beta1, beta2; // decay of the moments
    float epsilon;      // outside the bias correction, as in torch.optim.Adam
    float decay;        // how fast weights shrink before they move, times the rate: decoupled, as
                        // torch.optim.AdamW has it; 0: they do not
    double power1, power2; // beta1^t and beta2^t: how much of their zeros is still in the moments
} Optimizer;

// Before the first step: Adam with these betas, or SGD.
Optimizer optimizer_adam(float rate, float beta1, float beta2);
Optimizer optimizer_sgd(float rate);

// Call before updating the weights of a step: t becomes t + 1.
void optimizer_begin(Optimizer *optimizer);

// The factor of weight decay, applied before a weight moves.
float optimizer_kept(float rate, float decay);

// One step of `count` weights with their own moments, which are zero before the first step.
void optimizer_step(const Optimizer *optimizer, size_t count, const float gradient[],
                    float moment1[], float moment2[], float weight[]);

// --- what is trained and how

// What is trained and how. training_recipe holds the settings of the shipped weights.
enum { TRAINING_PAUSES_MAX = 16, TRAINING_LAYERS_MAX = 4 };

typedef struct TrainingRecipe {
    const Grammar *grammar; // of the texts
    uint64_t seed;
    int64_t steps;
    int batch;            // texts per step
    int width, heads;     // d_model, H
    int layers;           // each adds its result to its input; several need repeating texts
    float embedding_size; // standard deviation of the initial embeddings
    int64_t pauses[TRAINING_PAUSES_MAX]; // steps after which a watched training pauses
    int pause_count;
    float rate; // the peak; see training_rate
    float beta1, beta2;
    float decay; // of all weights per step, times its rate; 0: none
    // The weight of the overlap (overlap.h) in the loss; 0: none. With it heads specialise from
    // nearly every seed, without it only from some. Training.loss does not include it.
    float overlap_cost;
    bool is_sgd;
    bool unscaled, unplaced; // no division by sqrt(d_k); no positions
    bool unmasked;           // no causal mask, in repeating texts
    int threads;             // 0: one per core; the bits are the same
} TrainingRecipe;

TrainingRecipe training_recipe(const Grammar *grammar);

// The steps that so many heads in a layer need to learn a grammar's texts.
int64_t training_usual_steps(const Grammar *grammar, int heads);

// The number of heads, the first layer's first; and the name of one: "2", or "1.0" if there are several
// layers.
int training_heads(const TrainingRecipe *recipe);
const char *training_head_name(const TrainingRecipe *recipe, int head, char text[16]);

// Checks a recipe. Returns false and sets err if the heads do not divide the width, or the rate is not
// above 0.
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

// "embedding.weight", "q_proj.weight", ...: the roles, which are also the names if there is one
// layer.
extern const char *const weight_names[WEIGHT_COUNT];

// The layer of a weight, from 0, and the first layer's weight with the same role.
int weight_layer(int number);
WeightNumber weight_like(int number);

// A weight's name in a file of so many layers, perhaps in `text`: "layers.0.q_proj.weight".
const char *training_file_name(int number, int layers, char text[32]);

// A batch of texts and a trace to run it.
typedef struct TrainingBatch {
    const Grammar *grammar;
    Scenario scenario;
    Trace trace;
    GrammarText *texts;
    int count, length; // the number of texts; the longest length that fits
} TrainingBatch;

typedef struct Training {
    TrainingRecipe recipe;
    int64_t step; // steps done
    Generator generator;
    Optimizer optimizer;
    int weight_count;
    Tensor weights[WEIGHTS_MAX], moments1[WEIGHTS_MAX], moments2[WEIGHTS_MAX];
    const char *names[WEIGHTS_MAX];      // in the trace
    const char *file_names[WEIGHTS_MAX]; // in files: of several layers "layers.1.q_proj.weight"
    int gradients[WEIGHTS_MAX];          // tensors in the batch's trace
    TrainingBatch batch;                 // forward and backward
    TrainingBatch *held_out; // what measure.h measures on; not open before the first time
    Overlap overlap;         // of the weights before the last step, if it has a weight in the loss
    Tensor grad_out, grad_readout; // same: the batch's gradients plus the overlap's
    float rate_scale;              // a person's factor for the recipe's rate; 1 at the start
    float loss;                    // of the batch's answers, before the update
    bool has_loss;  // false before a step has run: at first, and when it was read from a file
    float paid;     // the overlap's part of the cost, besides the loss
    bool broke_off; // a step produced NaN or infinity
    bool by_hand;   // a person changed a weight: the recipe alone does not reproduce these
    Arena arena;
} Training;

// Sets the initial weights. Returns false if memory is short or the recipe is impossible.
bool training_open(Training *training, const TrainingRecipe *recipe, Error *err);

// The learning rate of the next step, times rate_scale: it falls linearly to 0 at the last step. For repeating
// texts it rises for 50 steps, then falls as half a cosine to 0.02 of the largest.
float training_rate(const Training *training);

// True if the overlap contributes to this weight's gradient.
bool training_overlap_moves(const Training *training, int weight);

// True if the next step also asks for words that the text does not contain, if the grammar has them: in the
// second half of the steps. So the heads that look a word up form first, and reliably.
bool training_asks_guesses(const Training *training);

// Draws a batch, runs it forward and backward, and updates every weight. Returns false if a loss or a gradient
// is NaN or infinite: err names the first such tensor, the batch's trace stays for inspection, and the weights
// keep their values from before the step.
bool training_step(Training *training, Error *err);

// The gradient that the last step used for a weight: the batch's, plus the overlap's if it has a weight.
const Tensor *training_gradient(const Training *training, int weight);

// A forward-only batch of `count` texts of at most `length` words that shares the weights.
// training_batch_run fills and runs it; training_batch_close closes it and accepts a zeroed one.
bool training_batch_open(const Training *training, int count, int length, TrainingBatch *batch,
                         Error *err);

// Runs the batch on batch->texts.
bool training_batch_run(TrainingBatch *batch, Error *err);

void training_batch_close(TrainingBatch *batch);

void training_close(Training *training);

// --- the recipe of a scenario's model: training_file.c

// Writes the model of a scenario (opened with shape_only) into the recipe. Returns false and sets err if
// the grammar has no answers for its questions, or if training does not support a part of it.
bool training_recipe_of(const Scenario *scenario, TrainingRecipe *recipe, Error *err);

// --- trained weights in a file, and checkpoints of interrupted trainings: training_file.c
//
// The weights have the names that scenarios read (weights: file: x.safetensors). A checkpoint also
// holds everything that the next step depends on, under names that begin with "training.", so a
// killed and continued training ends with the same bits as an uninterrupted one.

// Writes the weights alone, .safetensors or .npz by ending.
bool training_write_weights(const Training *training, const char *path, Error *err);

bool training_write_checkpoint(const Training *training, const char *path, Error *err);

// Continues an open training with the same recipe. Returns false if the file is not a checkpoint of it;
// then close the training.
bool training_read_checkpoint(Training *training, const char *path, Error *err);

#endif
