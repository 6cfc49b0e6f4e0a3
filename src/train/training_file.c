// Trained weights in files, snapshots of a training in memory, and a scenario's model as a recipe;
// see training.h and training_watch.h.

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "stage.h"
#include "tensor_file.h"
#include "train_words.def"
#include "training.h"
#include "training_watch.h"

// --- files

// The state besides weights and moments: its memory as int64, so that no bit is lost. It is valid for
// this machine and program only.
enum { STATE_WORDS = (sizeof(TrainingState) + sizeof(int64_t) - 1) / sizeof(int64_t) };

static const char state_name[] = "training.state";

// "training.moment1.q"; of later layers "training.moment1.layer1.q".
static const char *moment_name(int moment, int weight, char text[64])
{
    static const char *const words[WEIGHT_COUNT] = {"embedding", "q", "k", "v", "out", "readout"};
    int layer = weight_layer(weight);
    snprintf(text, 64, "training.moment%d.", moment);
    if (layer > 0)
        text_add(text, 64, "layer%d.", layer);
    return text_add(text, 64, "%s", words[weight_like(weight)]);
}

// The recipe as bits, for comparison: a checkpoint continues only with the same recipe.
static int grammar_number(const Grammar *grammar)
{
    int number = 0;
    while (grammar_get(number) != grammar)
        number++;
    return number;
}

static void recipe_bits(const TrainingRecipe *recipe, int64_t bits[8])
{
    const float floats[] = {recipe->embedding_size, recipe->rate,         recipe->beta1,
                            recipe->beta2,          recipe->overlap_cost, recipe->decay};
    memset(bits, 0, 8 * sizeof *bits);
    bits[0] = (int64_t)recipe->seed;
    bits[1] = recipe->steps;
    bits[2] = recipe->batch;
    bits[3] = recipe->width * 1000 + recipe->heads;
    bits[4] = recipe->is_sgd + 2 * recipe->unscaled + 4 * recipe->unplaced +
              8 * grammar_number(recipe->grammar) + 64 * recipe->unmasked +
              128 * (recipe->layers - 1);
    memcpy(&bits[5], floats, sizeof floats);
}

static TrainingState state_of(const Training *training)
{
    TrainingState state;
    memset(&state, 0, sizeof state); // gaps too, so that equal states are equal files
    state.step = training->step;
    recipe_bits(&training->recipe, state.recipe);
    state.power1 = training->optimizer.power1;
    state.power2 = training->optimizer.power2;
    state.rate_scale = (double)training->rate_scale;
    state.by_hand = training->by_hand;
    state.generator = training->generator;
    return state;
}

static void take_state(Training *training, const TrainingState *state)
{
    training->step = state->step;
    training->optimizer.power1 = state->power1;
    training->optimizer.power2 = state->power2;
    training->rate_scale = (float)state->rate_scale;
    training->by_hand = state->by_hand != 0;
    training->generator = state->generator;
}

bool training_write_weights(const Training *training, const char *path, Error *err)
{
    NamedTensor tensors[WEIGHTS_MAX];
    for (int i = 0; i < training->weight_count; i++)
        tensors[i] = (NamedTensor){training->file_names[i], training->weights[i]};
    return tensor_file_write(path, tensors, training->weight_count, err);
}

bool training_write_checkpoint(const Training *training, const char *path, Error *err)
{
    TrainingState state = state_of(training);
    int64_t words[STATE_WORDS] = {0};
    memcpy(words, &state, sizeof state);
    NamedTensor tensors[3 * WEIGHTS_MAX + 1];
    char moments[WEIGHTS_MAX][2][64];
    int count = 0;
    for (int i = 0; i < training->weight_count; i++) {
        tensors[count++] = (NamedTensor){training->file_names[i], training->weights[i]};
        tensors[count++] = (NamedTensor){moment_name(1, i, moments[i][0]), training->moments1[i]};
        tensors[count++] = (NamedTensor){moment_name(2, i, moments[i][1]), training->moments2[i]};
    }
    tensors[count++] =
        (NamedTensor){state_name, tensor_over(words, DTYPE_I64, 1, (ptrdiff_t[]){STATE_WORDS})};
    return tensor_file_write(path, tensors, count, err);
}

// --- continuing

static bool read_into(TensorFile *file, const char *name, const Tensor *to, Arena *arena,
                      Error *err)
{
    Tensor read;
    if (!tensor_file_read(file, name, arena, &read, err))
        return false;
    if (read.dtype != to->dtype || !tensor_same_shape(&read, to))
        return error_set(err, TELL(TRAIN_SHAPE), name);
    tensor_copy(&read, to);
    return true;
}

static bool read_all(Training *training, TensorFile *file, Arena *arena, Error *err)
{
    int64_t words[STATE_WORDS] = {0}, recipe[8];
    Tensor state_words = tensor_over(words, DTYPE_I64, 1, (ptrdiff_t[]){STATE_WORDS});
    TrainingState state;
    if (!read_into(file, state_name, &state_words, arena, err))
        return false;
    memcpy(&state, words, sizeof state);
    recipe_bits(&training->recipe, recipe);
    bool is_ours = memcmp(recipe, state.recipe, sizeof recipe) == 0 && state.step >= 0 &&
                   state.step <= training->recipe.steps && state.generator.used >= 0 &&
                   state.generator.used <= 624 && state.rate_scale > 0.0;
    if (!is_ours)
        return error_set(err, TELL(TRAIN_OTHER));
    for (int i = 0; i < training->weight_count; i++) {
        char first[64], second[64];
        if (!read_into(file, training->file_names[i], &training->weights[i], arena, err) ||
            !read_into(file, moment_name(1, i, first), &training->moments1[i], arena, err) ||
            !read_into(file, moment_name(2, i, second), &training->moments2[i], arena, err))
            return false;
    }
    take_state(training, &state);
    return true;
}

bool training_read_checkpoint(Training *training, const char *path, Error *err)
{
    Arena arena = {0};
    TensorFile *file = tensor_file_open(path, &arena, err);
    bool good = file && read_all(training, file, &arena, err);
    if (file)
        tensor_file_close(file);
    arena_finish(&arena);
    return good || error_prefix(err, TELL(TRAIN_GOES_NOT_ON), path);
}

// --- kept in memory

static size_t number_count(const Training *training)
{
    size_t count = 0;
    for (int i = 0; i < training->weight_count; i++)
        count += 3 * (size_t)tensor_count(&training->weights[i]);
    return count;
}

// Copies all numbers to `numbers`, or back.
static void copy(const Training *training, float *numbers, bool back)
{
    for (int i = 0; i < training->weight_count; i++) {
        const Tensor *three[] = {&training->weights[i], &training->moments1[i],
                                 &training->moments2[i]};
        size_t count = (size_t)tensor_count(three[0]);
        for (int k = 0; k < 3; k++, numbers += count) {
            float *own = three[k]->storage.f32;
            memcpy(back ? own : numbers, back ? numbers : own, count * sizeof *own);
        }
    }
}

bool training_keep(const Training *training, TrainingKeep *keep, Arena *arena, Error *err)
{
    if (!keep->numbers)
        keep->numbers = arena_take(arena, number_count(training), sizeof *keep->numbers, err);
    if (!keep->numbers)
        return false;
    keep->state = state_of(training);
    keep->loss = training->loss;
    keep->has_loss = training->has_loss;
    keep->paid = training->paid;
    copy(training, keep->numbers, false);
    return true;
}

void training_return(Training *training, const TrainingKeep *keep)
{
    take_state(training, &keep->state);
    training->loss = keep->loss;
    training->has_loss = keep->has_loss;
    training->paid = keep->paid;
    training->broke_off = false;
    copy(training, keep->numbers, true);
}

// --- what is asked

static bool check_questions(const Scenario *scenario, const Grammar *grammar, Error *err)
{
    const char *const *asked = grammar->questions;
    char list[64] = "";
    if (!scenario->questions)
        return error_set(err, TELL(TRAIN_NO_TARGET), scenario->name);
    for (int q = 0; q < grammar->asked; q++)
        text_add(list, sizeof list, q ? ", %s" : "%s", asked[q]);
    for (ptrdiff_t q = 0; q < scenario->size[SYMBOL_Q]; q++)
        if (q >= grammar->asked || strcmp(scenario->questions[q], asked[q]) != 0)
            return error_set(err, TELL(TRAIN_QUESTIONS), scenario->name, scenario->questions[q],
                             list);
    return scenario->size[SYMBOL_Q] == grammar->asked ||
           error_set(err, TELL(TRAIN_QUESTIONS_FEW), scenario->name,
                     asked[scenario->size[SYMBOL_Q]], list);
}

// The grammar draws the texts, so the vocabulary must be its words in its order.
static bool check_words(const Scenario *scenario, const Grammar *grammar, Error *err)
{
    ptrdiff_t count = scenario->vocabulary ? scenario->size[SYMBOL_V] : 0;
    for (ptrdiff_t w = 0; w < grammar->word_count; w++)
        if (w >= count || strcmp(scenario->vocabulary[w], grammar->words[w]) != 0)
            return error_set(err, TELL(TRAIN_WORDS), scenario->name, w + 1, grammar->words[w],
                             grammar->word_count, grammar->scenario);
    return count == grammar->word_count ||
           error_set(err, TELL(TRAIN_WORDS_MANY), scenario->name, grammar->word_count,
                     scenario->vocabulary[grammar->word_count]);
}

// The grammar with the scenario's second word, which no two grammars share; English if none has it.
static const Grammar *grammar_of(const Scenario *scenario)
{
    const Grammar *grammar;
    bool has_words = scenario->vocabulary && scenario->size[SYMBOL_V] > 1;
    for (int i = 0; has_words && (grammar = grammar_get(i)) != NULL; i++)
        if (strcmp(scenario->vocabulary[1], grammar->words[1]) == 0)
            return grammar;
    return &grammar_english;
}

// --- what learns

// For repeating texts, layers must have residuals and rotary positions on neighbouring pairs, or no
// positions.
static void add_usual(const Grammar *grammar, const Scenario *scenario, StageOptions *usual)
{
    if (!grammar->repeats)
        return;
    usual->residual = true;
    usual->rope_neighbours = scenario->options.rope_neighbours;
    usual->rope = scenario->options.rope > 0.0f ? 10000.0f : 0.0f;
}

// Every option with its own key must have its default value.
static bool check_options(const Scenario *scenario, const Grammar *grammar, Error *err)
{
    StageOptions usual = scenario->options;
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)); i++)
        if (option->section)
            stage_option_set(option, &usual, option->usual);
    add_usual(grammar, scenario, &usual);
    for (int i = 0; (option = stage_option_get(i)); i++)
        if (option->section && stage_option_differs(option, &usual, &scenario->options))
            return error_set(err,
                             option->usual == 0.0 && !stage_option_is_on(option, &scenario->options)
                                 ? TELL(TRAIN_PART_LACKS)
                                 : TELL(TRAIN_PART),
                             scenario->name, option->section, option->name);
    if (scenario->options.learned_position || (grammar->repeats && scenario->with_position))
        return error_set(err, TELL(TRAIN_PART), scenario->name, "model", "position");
    if (scenario->options.causal && !grammar->repeats)
        return error_set(err, TELL(TRAIN_PART), scenario->name, "attention", "mask=causal");
    if (scenario->layers > 1 && !grammar->repeats)
        return error_set(err, TELL(TRAIN_PART), scenario->name, "weights", "layers");
    return !scenario->with_dropout ||
           error_set(err, TELL(TRAIN_PART), scenario->name, "attention", "dropout");
}

static bool is_learned(const char *role)
{
    for (WeightNumber i = 0; i < WEIGHT_COUNT; i++)
        if (strcmp(role, weight_names[i]) == 0)
            return true;
    return false;
}

// Its weights must be exactly the trained ones, each separate.
static bool check_weights(const Scenario *scenario, Error *err)
{
    for (WeightNumber i = 0; i < WEIGHT_COUNT; i++)
        if (!scenario_tensor(scenario, weight_names[i]))
            return error_set(err, TELL(TRAIN_LACKS), scenario->name, weight_names[i]);
    for (int i = 0; i < scenario->tensor_count; i++) {
        const ScenarioTensor *tensor = &scenario->tensors[i];
        bool is_weight = tensor->tensor.dtype == DTYPE_F32;
        if (is_weight && (!is_learned(tensor->role) || strcmp(tensor->role, tensor->name) != 0))
            return error_set(err, TELL(TRAIN_HAS), scenario->name, tensor->name);
    }
    return true;
}

static bool check_shape(const Scenario *scenario, Error *err)
{
    const ptrdiff_t *size = scenario->size, width = size[SYMBOL_DIN];
    bool is_square = size[SYMBOL_DK] == width && size[SYMBOL_DV] == width &&
                     size[SYMBOL_DOUT] == width && scenario->has_heads;
    if (!is_square || width > INT16_MAX)
        return error_set(err, TELL(TRAIN_SQUARE), scenario->name);
    bool is_usual = scenario->options.scale == sqrtf((float)size[SYMBOL_D_K]);
    return !scenario->scaled || is_usual || error_set(err, TELL(TRAIN_SCALE), scenario->name);
}

bool training_recipe_of(const Scenario *scenario, TrainingRecipe *recipe, Error *err)
{
    const Grammar *grammar = grammar_of(scenario);
    *recipe = training_recipe(grammar);
    if (!check_questions(scenario, grammar, err) || !check_words(scenario, grammar, err) ||
        !check_options(scenario, grammar, err) || !check_weights(scenario, err) ||
        !check_shape(scenario, err))
        return false;
    recipe->width = (int)scenario->size[SYMBOL_DIN];
    recipe->heads = (int)scenario->size[SYMBOL_H];
    recipe->layers = scenario->layers > 1 ? scenario->layers : 1;
    recipe->unscaled = !scenario->scaled;
    recipe->unplaced = grammar->repeats ? scenario->options.rope == 0.0f : !scenario->with_position;
    recipe->unmasked = grammar->repeats && !scenario->options.causal;
    if (grammar->repeats)
        recipe->embedding_size = 2.0f / sqrtf((float)recipe->width);
    return true;
}
