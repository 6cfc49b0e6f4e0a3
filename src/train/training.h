// A layer that learns: the pipeline's own stages, forward and backward, on texts of the grammar.
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
enum { TRAINING_PAUSES_MAX = 16 };

typedef struct TrainingRecipe {
    const Grammar *grammar; // of the texts
    uint64_t seed;
    int64_t steps;
    int batch;                           // texts a step
    int width, heads;                    // d_model, H
    float embedding_size;                // of the first embeddings: normal, times this
    int64_t pauses[TRAINING_PAUSES_MAX]; // steps after which one who watches is waited for
    int pause_count;
    float rate; // at the first step; it falls in a line to 0 at the last
    float beta1, beta2;
    float decay; // of all weights at a step, times its rate; 0: none
    // What is added to the loss, times the overlap of what the questions hear; 0: nothing. With it
    // heads specialise from nearly every seed, without it only from some. Training.loss is without it.
    float overlap_cost;
    bool is_sgd;
    bool unscaled, unplaced; // scores are not divided by sqrt(d_k); no positions are added
    int threads;             // 0: as many as there are cores; the bits are the same
} TrainingRecipe;

TrainingRecipe training_recipe(void);

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
    WEIGHT_COUNT
} WeightNumber;

// "embedding.weight", "q_proj.weight", ...: their names in files, and their roles.
extern const char *const weight_names[WEIGHT_COUNT];

// A batch of texts and a trace that runs on it.
typedef struct TrainingBatch {
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
    Tensor weights[WEIGHT_COUNT], moments1[WEIGHT_COUNT], moments2[WEIGHT_COUNT];
    TrainingBatch batch;           // forward and backward
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

// Whether the overlap has a part in how this weight moves.
bool training_overlap_moves(const Training *training, WeightNumber weight);

// Draws a batch, runs it forward and backward, and updates every weight. False where a loss or a
// gradient is no number: the sentence names the first tensor in which that shows, the trace of the
// batch stays to be looked at, and the weights are those before the step.
bool training_step(Training *training, Error *err);

// The gradient of a weight that the last step went by: in its batch, and of the overlap where that costs
// something.
const Tensor *training_gradient(const Training *training, WeightNumber weight);

// A batch of `count` texts of at most `length` words that shares the weights, forward only. To be filled
// and run by training_batch_run; closed by training_batch_close, which accepts a zeroed one.
bool training_batch_open(const Training *training, int count, int length, TrainingBatch *batch,
                         Error *err);

// Lets batch->texts be what the batch holds, and runs it.
bool training_batch_run(TrainingBatch *batch, Error *err);

void training_batch_close(TrainingBatch *batch);

void training_close(Training *training);

#endif
