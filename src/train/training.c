// Layers that learn: their steps, and the optimizers that move its weights; see training.h.
#include "training.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "train_words.def"

// --- optimizers
//
//   m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g g
//   w = w - rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//
// and before that, if weights decay,  w = (1 - rate * decay) w
//
// from  Kingma and Ba 2015, algorithm 1; torch.optim.Adam; Loshchilov and Hutter 2019 for decay. Powers are
//       multiplied step by step in double precision: no math library has a say.

Optimizer optimizer_adam(float rate, float beta1, float beta2)
{
    return (Optimizer){.rate = rate,
                       .beta1 = beta1,
                       .beta2 = beta2,
                       .epsilon = 1e-8f,
                       .power1 = 1.0,
                       .power2 = 1.0};
}

Optimizer optimizer_sgd(float rate)
{
    return (Optimizer){.is_sgd = true, .rate = rate, .power1 = 1.0, .power2 = 1.0};
}

void optimizer_begin(Optimizer *optimizer)
{
    optimizer->power1 *= (double)optimizer->beta1;
    optimizer->power2 *= (double)optimizer->beta2;
}

float optimizer_kept(float rate, float decay)
{
    return 1.0f - rate * decay;
}

void optimizer_step(const Optimizer *optimizer, size_t count, const float gradient[],
                    float moment1[], float moment2[], float weight[])
{
    float kept = optimizer->decay > 0.0f ? optimizer_kept(optimizer->rate, optimizer->decay) : 1.0f;
    if (optimizer->is_sgd) {
        for (size_t i = 0; i < count; i++)
            weight[i] = kept * weight[i] - optimizer->rate * gradient[i];
        return;
    }
    KernelAdam how = {.kept = kept,
                      .beta1 = optimizer->beta1,
                      .beta2 = optimizer->beta2,
                      .epsilon = optimizer->epsilon,
                      .step = (float)((double)optimizer->rate / (1.0 - optimizer->power1)),
                      .correction = (float)sqrt(1.0 - optimizer->power2)};
    kernel_choose()->adam(&how, (ptrdiff_t)count, gradient, moment1, moment2, weight);
}

// --- training

const char *const weight_names[WEIGHT_COUNT] = {[WEIGHT_EMBEDDING] = "embedding.weight",
                                                [WEIGHT_Q] = "q_proj.weight",
                                                [WEIGHT_K] = "k_proj.weight",
                                                [WEIGHT_V] = "v_proj.weight",
                                                [WEIGHT_OUT] = "out_proj.weight",
                                                [WEIGHT_READOUT] = "readout.weight"};

int weight_layer(int number)
{
    return number < WEIGHT_COUNT ? 0 : 1 + (number - WEIGHT_COUNT) / WEIGHT_OUT;
}

WeightNumber weight_like(int number)
{
    return number < WEIGHT_COUNT ? (WeightNumber)number
                                 : (WeightNumber)(WEIGHT_Q + (number - WEIGHT_COUNT) % WEIGHT_OUT);
}

int training_heads(const TrainingRecipe *recipe)
{
    return recipe->heads * recipe->layers;
}

const char *training_head_name(const TrainingRecipe *recipe, int head, char text[16])
{
    if (recipe->layers > 1)
        snprintf(text, 16, "%d.%d", head / recipe->heads, head % recipe->heads);
    else
        snprintf(text, 16, "%d", head);
    return text;
}

// Heads that share the width of a layer find their work later: with two, `memory` was not learned in 400
// steps from three of four seeds, and in 1200 from ten of ten.
int64_t training_usual_steps(const Grammar *grammar, int heads)
{
    return !grammar->repeats ? 2000 : heads > 1 ? 1200 : 400;
}

static TrainingRecipe recipe_of_repeating(const Grammar *grammar)
{
    enum { WIDTH = 48 };
    return (TrainingRecipe){.grammar = grammar,
                            .steps = training_usual_steps(grammar, 1),
                            .batch = 32,
                            .width = WIDTH,
                            .heads = 1,
                            .layers = 2,
                            .embedding_size = 2.0f / sqrtf((float)WIDTH),
                            .rate = 0.01f,
                            .beta1 = 0.9f,
                            .beta2 = 0.98f,
                            .decay = 0.1f};
}

TrainingRecipe training_recipe(const Grammar *grammar)
{
    if (grammar->repeats)
        return recipe_of_repeating(grammar);
    return (TrainingRecipe){.grammar = grammar,
                            .steps = training_usual_steps(grammar, 3),
                            .batch = 32,
                            .width = 48,
                            .heads = 3,
                            .layers = 1,
                            .embedding_size = 0.3f,
                            .rate = 0.01f,
                            .beta1 = 0.9f,
                            .beta2 = 0.98f,
                            .decay = 0.3f,
                            .overlap_cost = 5.0f};
}

// --- a batch

static bool take(Scenario *scenario, const char *role, Dtype dtype, int rank,
                 const ptrdiff_t shape[], Error *err)
{
    Tensor tensor;
    if (!tensor_take(&scenario->arena, dtype, rank, shape, &tensor, err))
        return false;
    scenario_add(scenario, role, role, tensor, TELL(TRAIN_DRAWN));
    return true;
}

// What texts about people need, and what those that repeat do: places told by turning queries and keys,
// words that do not see those behind them, and layers that add up.
static void set_model(Scenario *scenario, const TrainingRecipe *recipe)
{
    bool repeats = recipe->grammar->repeats;
    scenario->layers = recipe->layers;
    scenario->masked = !repeats || !recipe->unmasked;
    scenario->with_position = !repeats && !recipe->unplaced;
    scenario->options = (StageOptions){.heads = recipe->heads,
                                       .scale = sqrtf((float)scenario->size[SYMBOL_D_K]),
                                       .scale_name = "sqrt_d_k",
                                       .mask_value = -INFINITY,
                                       .mask_padding = !repeats,
                                       .causal = repeats && !recipe->unmasked,
                                       .residual = repeats,
                                       .rope_neighbours = repeats,
                                       .rope = repeats && !recipe->unplaced ? 10000.0f : 0.0f};
}

static void set_sizes(TrainingBatch *batch, const TrainingRecipe *recipe)
{
    Scenario *scenario = &batch->scenario;
    ptrdiff_t *size = scenario->size;
    size[SYMBOL_B] = batch->count;
    size[SYMBOL_L] = size[SYMBOL_LQ] = size[SYMBOL_LK] = batch->length;
    size[SYMBOL_V] = recipe->grammar->word_count;
    size[SYMBOL_Q] = recipe->grammar->asked;
    size[SYMBOL_H] = recipe->heads;
    size[SYMBOL_DIN] = size[SYMBOL_DK] = size[SYMBOL_DV] = size[SYMBOL_DOUT] = recipe->width;
    size[SYMBOL_D_K] = size[SYMBOL_D_V] = recipe->width / recipe->heads;
    scenario->has_heads = true;
    scenario->scaled = !recipe->unscaled;
    scenario->vocabulary = recipe->grammar->words;
    scenario->questions = recipe->grammar->questions;
    scenario->threads = recipe->threads;
    set_model(scenario, recipe);
}

// Of so many texts as batch->count says, and so long ones.
static bool open_batch(const Training *training, bool backward, TrainingBatch *batch, Error *err)
{
    const int count = batch->count, length = batch->length;
    const Grammar *grammar = training->recipe.grammar;
    const ptrdiff_t asked[] = {count, grammar->asked, length}, tokens[] = {count, length};
    Scenario *scenario = &batch->scenario;
    batch->grammar = grammar;
    *scenario = (Scenario){.name = "training", .about = "", .backward = backward};
    set_sizes(batch, &training->recipe);
    batch->texts = arena_take(&scenario->arena, (size_t)count, sizeof *batch->texts, err);
    bool taken =
        batch->texts && take(scenario, "input_ids", DTYPE_I64, 2, tokens, err) &&
        (grammar->repeats || take(scenario, "key_padding_mask", DTYPE_BOOL, 2, tokens, err)) &&
        take(scenario, "targets", DTYPE_I64, 3, asked, err);
    for (int i = 0; taken && i < training->weight_count; i++) {
        scenario_add(scenario, weight_names[weight_like(i)], training->names[i],
                     training->weights[i], "trained");
        scenario->tensors[scenario->tensor_count - 1].layer = weight_layer(i);
    }
    if (taken && trace_open(&batch->trace, scenario, err))
        return true;
    scenario_finish(scenario);
    return false;
}

bool training_batch_open(const Training *training, int count, int length, TrainingBatch *batch,
                         Error *err)
{
    *batch = (TrainingBatch){.count = count, .length = length};
    return open_batch(training, false, batch, err);
}

static void fill_texts(const TrainingBatch *batch)
{
    const Scenario *scenario = &batch->scenario;
    const ScenarioTensor *padding = scenario_tensor(scenario, "key_padding_mask");
    int64_t *ids = scenario_tensor(scenario, "input_ids")->tensor.storage.i64;
    int64_t *targets = scenario_tensor(scenario, "targets")->tensor.storage.i64;
    const ptrdiff_t questions = scenario->size[SYMBOL_Q], length = batch->length;
    for (ptrdiff_t b = 0; b < batch->count; b++) {
        const GrammarText *text = &batch->texts[b];
        for (ptrdiff_t l = 0; l < length; l++) {
            bool is_word = l < text->length;
            ids[b * length + l] = is_word ? text->words[l] : 0;
            if (padding)
                *tensor_flag2(&padding->tensor, b, l) = !is_word;
            for (ptrdiff_t q = 0; q < questions; q++)
                targets[(b * questions + q) * length + l] = is_word ? text->answers[q][l] : -1;
        }
    }
}

bool training_batch_run(TrainingBatch *batch, Error *err)
{
    fill_texts(batch);
    trace_renew(&batch->trace);
    return trace_run(&batch->trace, err);
}

void training_batch_close(TrainingBatch *batch)
{
    trace_close(&batch->trace);
    scenario_finish(&batch->scenario);
}

// --- weights

static void weight_shape(const TrainingRecipe *recipe, WeightNumber number, int *rank,
                         ptrdiff_t shape[3])
{
    const ptrdiff_t width = recipe->width, words = recipe->grammar->word_count;
    const ptrdiff_t readout[] = {recipe->grammar->asked, words, width};
    const ptrdiff_t embedding[] = {words, width}, square[] = {width, width};
    *rank = number == WEIGHT_READOUT ? 3 : 2;
    memcpy(shape,
           number == WEIGHT_READOUT     ? readout
           : number == WEIGHT_EMBEDDING ? embedding
                                        : square,
           (size_t)*rank * sizeof *shape);
}

const char *training_file_name(int number, int layers, char text[32])
{
    const char *role = weight_names[weight_like(number)];
    bool is_of_layer = weight_like(number) >= WEIGHT_Q && weight_like(number) <= WEIGHT_OUT;
    if (!is_of_layer || layers < 2)
        return role;
    snprintf(text, 32, "layers.%d.%s", weight_layer(number), role);
    return text;
}

static bool name_weight(Training *training, int number, Error *err)
{
    const char *role = weight_names[weight_like(number)];
    int layer = weight_layer(number);
    char text[32];
    training->names[number] =
        layer > 0 ? arena_format(&training->arena, err, SCENARIO_LAYER_NAME, layer, role) : role;
    training->file_names[number] = arena_text(
        &training->arena, training_file_name(number, training->recipe.layers, text), err);
    return training->names[number] && training->file_names[number];
}

// Embeddings are normal, small beside the positions; matrices are nn.Linear's own: uniform within
// 1 / sqrt(width).
static void draw_weight(Training *training, int number)
{
    float *weight = training->weights[number].storage.f32;
    size_t count = (size_t)tensor_count(&training->weights[number]);
    double bound = 1.0 / sqrt((double)training->recipe.width);
    if (number == WEIGHT_EMBEDDING)
        generator_normal(&training->generator, 0.0, (double)training->recipe.embedding_size, weight,
                         count);
    else
        generator_uniform(&training->generator, -bound, bound, weight, count);
}

static bool take_weights(Training *training, Error *err)
{
    training->weight_count = WEIGHT_COUNT + (training->recipe.layers - 1) * WEIGHT_OUT;
    for (int i = 0; i < training->weight_count; i++) {
        int rank;
        ptrdiff_t shape[3];
        weight_shape(&training->recipe, weight_like(i), &rank, shape);
        if (!name_weight(training, i, err) ||
            !tensor_take(&training->arena, DTYPE_F32, rank, shape, &training->weights[i], err) ||
            !tensor_take(&training->arena, DTYPE_F32, rank, shape, &training->moments1[i], err) ||
            !tensor_take(&training->arena, DTYPE_F32, rank, shape, &training->moments2[i], err))
            return false;
        draw_weight(training, i);
    }
    return true;
}

// Of the weights that the overlap moves, where it costs something.
static bool take_overlap(Training *training, Error *err)
{
    const Tensor *out = &training->weights[WEIGHT_OUT];
    const Tensor *readout = &training->weights[WEIGHT_READOUT];
    Arena *arena = &training->arena;
    return training->recipe.overlap_cost == 0.0f ||
           (overlap_take(out, readout, arena, &training->overlap, err) &&
            tensor_take(arena, DTYPE_F32, 2, out->shape, &training->grad_out, err) &&
            tensor_take(arena, DTYPE_F32, 3, readout->shape, &training->grad_readout, err));
}

static bool take_held_out(Training *training, Error *err)
{
    training->held_out = arena_take(&training->arena, 1, sizeof *training->held_out, err);
    return training->held_out != NULL;
}

bool training_recipe_check(const TrainingRecipe *recipe, Error *err)
{
    if (recipe->heads < 1 || recipe->width < 1 || recipe->width % recipe->heads != 0)
        return error_set(err, TELL(TRAIN_WIDTH), recipe->width, recipe->heads);
    if (recipe->grammar->repeats && recipe->width / recipe->heads % 2 != 0)
        return error_set(err, TELL(TRAIN_PAIRS), recipe->width / recipe->heads);
    if (recipe->grammar->repeats && recipe->overlap_cost > 0.0f)
        return error_set(err, "%s", TELL(TRAIN_OVERLAP_ONE));
    if (recipe->layers < 1 || recipe->layers > TRAINING_LAYERS_MAX)
        return error_set(err, TELL(TRAIN_LAYERS), TRAINING_LAYERS_MAX, recipe->layers);
    if (recipe->heads > OVERLAP_HEADS_MAX && recipe->overlap_cost > 0.0f)
        return error_set(err, TELL(TRAIN_OVERLAP_HEADS), OVERLAP_HEADS_MAX, recipe->heads);
    if (!isfinite(recipe->rate) || recipe->rate <= 0.0f)
        return error_set(err, TELL(TRAIN_RATE), (double)recipe->rate);
    return true;
}

static void find_gradients(Training *training)
{
    char name[64];
    for (int i = 0; i < training->weight_count; i++) {
        snprintf(name, sizeof name, "grad.%s", training->names[i]);
        training->gradients[i] = trace_find(&training->batch.trace, name);
    }
}

bool training_open(Training *training, const TrainingRecipe *recipe, Error *err)
{
    *training = (Training){
        .recipe = *recipe,
        .batch = {.count = recipe->batch, .length = recipe->grammar->length},
        .rate_scale = 1.0f,
        .optimizer = recipe->is_sgd ? optimizer_sgd(recipe->rate)
                                    : optimizer_adam(recipe->rate, recipe->beta1, recipe->beta2)};
    training->optimizer.decay = recipe->decay;
    generator_seed(&training->generator, recipe->seed);
    if (training_recipe_check(recipe, err) && take_weights(training, err) &&
        take_overlap(training, err) && take_held_out(training, err) &&
        open_batch(training, true, &training->batch, err)) {
        find_gradients(training);
        return true;
    }
    arena_finish(&training->arena);
    return false;
}

void training_close(Training *training)
{
    if (training->held_out)
        training_batch_close(training->held_out);
    training_batch_close(&training->batch);
    arena_finish(&training->arena);
}

// --- a step

// The first tensor of the trace that holds NaN or infinity; masked scores may be -inf.
static const char *first_broken(const Trace *trace)
{
    for (int number = 0; number < trace->tensor_count; number++) {
        const Tensor *tensor = &trace->tensors[number].tensor;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        for (bool more = tensor->dtype == DTYPE_F32; more; more = tensor_next(tensor, at)) {
            float value = tensor->storage.f32[tensor_place(tensor, at)];
            if (isnan(value) || (isinf(value) && value > 0.0f))
                return trace->tensors[number].name;
        }
    }
    return NULL;
}

// What a step broke off at: where it shows first. Losses are the first only where the loss itself is it.
static bool report_broken(const Training *training, Error *err)
{
    const char *name = first_broken(&training->batch.trace);
    long long step = (long long)training->step + 1;
    double rate = (double)training->optimizer.rate;
    if (name && strcmp(name, "losses") == 0)
        return error_set(err, TELL(TRAIN_NONE_LOSS), step, rate);
    return error_set(err, TELL(TRAIN_NONE), step, name ? name : TELL(TRAIN_SOME_GRADIENT), rate);
}

// All gradients are checked before the first weight moves. No test ends a loop early, so that many
// numbers are looked at at once.
static bool all_finite(const Tensor gradients[], int weights, float loss)
{
    bool good = isfinite(loss);
    for (int i = 0; i < weights; i++) {
        ptrdiff_t count = tensor_count(&gradients[i]);
        int broken = 0;
        for (ptrdiff_t place = 0; place < count; place++)
            broken |= !(fabsf(gradients[i].storage.f32[place]) <= FLT_MAX); // NaN is not
        good = good && !broken;
    }
    return good;
}

float training_rate(const Training *training)
{
    enum { RISES = 50 };
    const TrainingRecipe *recipe = &training->recipe;
    double step = (double)(training->step + 1), steps = (double)recipe->steps;
    if (!recipe->grammar->repeats)
        return training->rate_scale * recipe->rate *
               (1.0f - (float)training->step / (float)recipe->steps);
    const double half_turn = 3.14159265358979323846;
    double falls = 0.5 * (1.0 + cos(half_turn * step / steps)), rises = step / RISES;
    falls = falls > 0.02 ? falls : 0.02;
    return training->rate_scale *
           (float)((double)recipe->rate * (rises < 1.0 ? rises : 1.0) * falls);
}

static void update(Training *training, const Tensor gradients[])
{
    training->optimizer.rate = training_rate(training);
    optimizer_begin(&training->optimizer);
    for (int i = 0; i < training->weight_count; i++)
        optimizer_step(&training->optimizer, (size_t)tensor_count(&gradients[i]),
                       gradients[i].storage.f32, training->moments1[i].storage.f32,
                       training->moments2[i].storage.f32, training->weights[i].storage.f32);
}

static const Tensor *batch_gradient(const Training *training, int weight)
{
    return &training->batch.trace.tensors[training->gradients[weight]].tensor;
}

bool training_overlap_moves(const Training *training, int weight)
{
    return training->recipe.overlap_cost > 0.0f &&
           (weight == WEIGHT_OUT || weight == WEIGHT_READOUT);
}

const Tensor *training_gradient(const Training *training, int weight)
{
    if (!training_overlap_moves(training, weight))
        return batch_gradient(training, weight);
    return weight == WEIGHT_OUT ? &training->grad_out : &training->grad_readout;
}

static void add_slope(const Tensor *gradient, float cost, const Tensor *slope, const Tensor *sum)
{
    ptrdiff_t count = tensor_count(sum);
    for (ptrdiff_t i = 0; i < count; i++)
        sum->storage.f32[i] = fmaf(cost, slope->storage.f32[i], gradient->storage.f32[i]);
}

// The batch's gradients stay as they are: what the trace says of them stays true.
static void add_overlap(Training *training)
{
    const TrainingRecipe *recipe = &training->recipe;
    const Overlap *overlap = &training->overlap;
    training->paid = 0.0f;
    if (recipe->overlap_cost == 0.0f)
        return;
    double found = overlap_measure(kernel_choose(), &training->weights[WEIGHT_OUT],
                                   &training->weights[WEIGHT_READOUT], recipe->heads, overlap);
    training->paid = (float)((double)recipe->overlap_cost * found);
    add_slope(batch_gradient(training, WEIGHT_OUT), recipe->overlap_cost, &overlap->slope_out,
              &training->grad_out);
    add_slope(batch_gradient(training, WEIGHT_READOUT), recipe->overlap_cost,
              &overlap->slope_readout, &training->grad_readout);
}

bool training_asks_guesses(const Training *training)
{
    const TrainingRecipe *recipe = &training->recipe;
    return recipe->grammar->guesses && training->step * 2 >= recipe->steps;
}

static void draw_text(Training *training, GrammarText *text)
{
    const TrainingRecipe *recipe = &training->recipe;
    grammar_draw_where(recipe->grammar, &training->generator, false, text);
    if (!recipe->grammar->guesses || training_asks_guesses(training))
        return;
    for (int at = 0; at < text->length; at++)
        if (text->where[QUESTION_NEXT][at] < 0)
            text->answers[QUESTION_NEXT][at] = -1;
}

bool training_step(Training *training, Error *err)
{
    TrainingBatch *batch = &training->batch;
    const Trace *trace = &batch->trace;
    Tensor gradients[WEIGHTS_MAX];
    for (int b = 0; b < batch->count; b++)
        draw_text(training, &batch->texts[b]);
    if (!training_batch_run(batch, err))
        return false;
    training->has_loss = true;
    training->loss = trace->tensors[trace_find(trace, "loss")].tensor.storage.f32[0];
    add_overlap(training);
    for (int i = 0; i < training->weight_count; i++)
        gradients[i] = *training_gradient(training, i);
    if (!all_finite(gradients, training->weight_count, training->loss)) {
        training->broke_off = true;
        return report_broken(training, err);
    }
    update(training, gradients);
    training->step++;
    return true;
}
