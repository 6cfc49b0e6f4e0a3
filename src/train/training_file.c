// training_file: see training_file.h.
#include "training_file.h"

#include <string.h>
#include "tensor_file.h"
#include "train_words.h"

// What is kept beside weights and moments: as it lies in memory, as int64, so that no bit is lost. It is
// for this machine and this program; `recipe` is what tells another one's.
typedef struct State {
    int64_t step;
    int64_t recipe[8];
    double power1, power2, rate_scale;
    int64_t by_hand;
    Generator generator;
} State;

enum { STATE_WORDS = (sizeof(State) + sizeof(int64_t) - 1) / sizeof(int64_t) };

static const char state_name[] = "training.state";
static const char *const moment_names[2][WEIGHT_COUNT] = {
    {"training.moment1.embedding", "training.moment1.q", "training.moment1.k", "training.moment1.v",
     "training.moment1.out", "training.moment1.readout"},
    {"training.moment2.embedding", "training.moment2.q", "training.moment2.k", "training.moment2.v",
     "training.moment2.out", "training.moment2.readout"}};

// The recipe as bits, to be compared: what another recipe would go on with is another training.
static void recipe_bits(const TrainingRecipe *recipe, int64_t bits[8])
{
    const float floats[] = {recipe->embedding_size, recipe->rate,         recipe->beta1,
                            recipe->beta2,          recipe->overlap_cost, recipe->decay};
    memset(bits, 0, 8 * sizeof *bits);
    bits[0] = (int64_t)recipe->seed;
    bits[1] = recipe->steps;
    bits[2] = recipe->batch;
    bits[3] = recipe->width * 1000 + recipe->heads;
    bits[4] = recipe->is_sgd + 2 * recipe->unscaled + 4 * recipe->unplaced;
    memcpy(&bits[5], floats, sizeof floats);
}

static State state_of(const Training *training)
{
    State state;
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

bool training_write_weights(const Training *training, const char *path, Error *err)
{
    NamedTensor tensors[WEIGHT_COUNT];
    for (int i = 0; i < WEIGHT_COUNT; i++)
        tensors[i] = (NamedTensor){weight_names[i], training->weights[i]};
    return tensor_file_write(path, tensors, WEIGHT_COUNT, err);
}

bool training_write_checkpoint(const Training *training, const char *path, Error *err)
{
    State state = state_of(training);
    int64_t words[STATE_WORDS] = {0};
    memcpy(words, &state, sizeof state);
    NamedTensor tensors[3 * WEIGHT_COUNT + 1];
    for (int i = 0; i < WEIGHT_COUNT; i++) {
        tensors[3 * i] = (NamedTensor){weight_names[i], training->weights[i]};
        tensors[3 * i + 1] = (NamedTensor){moment_names[0][i], training->moments1[i]};
        tensors[3 * i + 2] = (NamedTensor){moment_names[1][i], training->moments2[i]};
    }
    tensors[3 * WEIGHT_COUNT] =
        (NamedTensor){state_name, tensor_over(words, DTYPE_I64, 1, (ptrdiff_t[]){STATE_WORDS})};
    return tensor_file_write(path, tensors, 3 * WEIGHT_COUNT + 1, err);
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
    State state;
    if (!read_into(file, state_name, &state_words, arena, err))
        return false;
    memcpy(&state, words, sizeof state);
    recipe_bits(&training->recipe, recipe);
    bool is_ours = memcmp(recipe, state.recipe, sizeof recipe) == 0 && state.step >= 0 &&
                   state.step <= training->recipe.steps && state.generator.used >= 0 &&
                   state.generator.used <= 624 && state.rate_scale > 0.0;
    if (!is_ours)
        return error_set(err, TELL(TRAIN_OTHER));
    for (int i = 0; i < WEIGHT_COUNT; i++)
        if (!read_into(file, weight_names[i], &training->weights[i], arena, err) ||
            !read_into(file, moment_names[0][i], &training->moments1[i], arena, err) ||
            !read_into(file, moment_names[1][i], &training->moments2[i], arena, err))
            return false;
    training->step = state.step;
    training->optimizer.power1 = state.power1;
    training->optimizer.power2 = state.power2;
    training->rate_scale = (float)state.rate_scale;
    training->by_hand = state.by_hand != 0;
    training->generator = state.generator;
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
