// A watched training and its keys; see training_watch.h.
#include "training_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "utf8.h"

// --- one update of one parameter

static ParameterStep parameter_before(const Training *training, int weight, ptrdiff_t place)
{
    return (ParameterStep){.weight = weight,
                           .place = place,
                           .moment1 = {training->moments1[weight].storage.f32[place]},
                           .moment2 = {training->moments2[weight].storage.f32[place]},
                           .value = {training->weights[weight].storage.f32[place]}};
}

static void parameter_after(const Training *training, ParameterStep *update)
{
    update->step = training->step;
    update->gradient = training_gradient(training, update->weight)->storage.f32[update->place];
    update->moment1[1] = training->moments1[update->weight].storage.f32[update->place];
    update->moment2[1] = training->moments2[update->weight].storage.f32[update->place];
    update->value[1] = training->weights[update->weight].storage.f32[update->place];
    update->rate = training->optimizer.rate;
    update->remaining1 = 1.0 - training->optimizer.power1;
    update->remaining2 = 1.0 - training->optimizer.power2;
}

float parameter_step_size(const ParameterStep *update)
{
    return (float)((double)update->rate / update->remaining1);
}

float parameter_divisor(const ParameterStep *update, float epsilon)
{
    return sqrtf(update->moment2[1]) / (float)sqrt(update->remaining2) + epsilon;
}

// --- records for display

static const int64_t map_steps[] = {0, 10, 30, 100, 300, 1000, 3000, 10000};
static const uint64_t sentences_seed = 7; // of those that are held out

enum {
    MEASURE_STEPS = 20,
    KEEPS = 20,
    FRAME_STEPS_MAX = 20,
    SPEED_MOST = 64,
    CELLS = GRAMMAR_LENGTH_MAX
};

static size_t map_numbers(const TrainingWatch *watch)
{
    return (size_t)(WATCH_SENTENCES * training_heads(&watch->training.recipe) * CELLS * CELLS);
}

static bool is_map_step(int64_t step)
{
    for (size_t i = 0; i < sizeof map_steps / sizeof *map_steps; i++)
        if (map_steps[i] == step)
            return true;
    return false;
}

static bool is_keep_step(const TrainingRecipe *recipe, int64_t step)
{
    int64_t every = recipe->steps > KEEPS ? recipe->steps / KEEPS : 1;
    return is_map_step(step) || step % every == 0;
}

// --- opening

static bool take_maps(TrainingWatch *watch, Error *err)
{
    for (int i = 0; i <= WATCH_MAPS_MAX; i++) {
        WatchMaps *maps = i < WATCH_MAPS_MAX ? &watch->maps[i] : &watch->now;
        maps->weights = arena_take(&watch->arena, map_numbers(watch), sizeof *maps->weights, err);
        if (!maps->weights)
            return false;
    }
    return true;
}

static bool take_losses(TrainingWatch *watch, Error *err)
{
    int64_t steps = watch->training.recipe.steps;
    watch->losses = arena_take(&watch->arena, (size_t)steps + 1, sizeof *watch->losses, err);
    for (int64_t i = 0; watch->losses && i <= steps; i++)
        watch->losses[i] = NAN;
    return watch->losses != NULL;
}

static void choose_sentences(const Grammar *grammar, TrainingBatch *sentences)
{
    Generator generator;
    generator_seed(&generator, sentences_seed);
    if (!grammar->repeats)
        grammar_document_text(grammar, &sentences->texts[0]);
    for (int b = !grammar->repeats; b < WATCH_SENTENCES; b++)
        do
            grammar_draw_where(grammar, &generator, true, &sentences->texts[b]);
        while (!grammar->repeats && sentences->texts[b].length > WATCH_SENTENCE_LENGTH);
}

bool training_watch_open(TrainingWatch *watch, const TrainingRecipe *recipe, Error *err)
{
    *watch = (TrainingWatch){.measured_at = -1, .update = {.weight = WEIGHT_Q}};
    if (!training_open(&watch->training, recipe, err))
        return false;
    if (training_batch_open(&watch->training, WATCH_SENTENCES, recipe->grammar->length,
                            &watch->sentences, err)) {
        choose_sentences(recipe->grammar, &watch->sentences);
        if (take_maps(watch, err) && take_losses(watch, err))
            return true;
        training_batch_close(&watch->sentences);
    }
    training_close(&watch->training);
    arena_finish(&watch->arena);
    return false;
}

bool training_watch_open_other(TrainingWatch *watch, TrainingWatch *other,
                               const TrainingRecipe *recipe, Error *err)
{
    if (!training_watch_open(other, recipe, err))
        return false;
    other->other = watch;
    watch->other = other;
    return true;
}

static void close_one(TrainingWatch *watch)
{
    training_batch_close(&watch->sentences);
    training_close(&watch->training);
    arena_finish(&watch->arena);
}

void training_watch_close(TrainingWatch *watch)
{
    if (watch->other)
        close_one(watch->other);
    close_one(watch);
}

// --- keeping records

static void take_weights(const TrainingWatch *watch, WatchMaps *maps)
{
    const TrainingBatch *batch = &watch->sentences;
    int heads = training_heads(&watch->training.recipe);
    for (int b = 0; b < WATCH_SENTENCES; b++)
        for (int h = 0; h < heads; h++)
            for (int at = 0; at < batch->length; at++)
                for (int k = 0; k < batch->length; k++)
                    maps->weights[((b * heads + h) * CELLS + at) * CELLS + k] =
                        measure_weight(batch, b, h, (ptrdiff_t[]){at, k});
    maps->step = watch->training.step;
}

bool training_watch_look(TrainingWatch *watch, bool must_measure, Error *err)
{
    int64_t step = watch->training.step;
    if (!training_batch_run(&watch->sentences, err))
        return false;
    take_weights(watch, &watch->now);
    bool is_new = watch->map_count == 0 || watch->maps[watch->map_count - 1].step < step;
    if (is_map_step(step) && is_new && watch->map_count < WATCH_MAPS_MAX)
        take_weights(watch, &watch->maps[watch->map_count++]);
    bool is_due = step < watch->measured_at || step >= watch->measured_at + MEASURE_STEPS ||
                  (watch->state != WATCH_RUNS && step != watch->measured_at) || is_map_step(step);
    if (!must_measure && !is_due)
        return true;
    watch->measured_at = step;
    return measure_training(&watch->training, watch->without, &watch->measure, err);
}

static bool keep(TrainingWatch *watch, Error *err)
{
    if (watch->keep_count == WATCH_KEEPS_MAX)
        return true;
    TrainingKeep *last = &watch->keeps[watch->keep_count];
    if (!training_keep(&watch->training, last, &watch->arena, err))
        return false;
    watch->keep_chosen = watch->keep_count++;
    return true;
}

static bool is_pause(const TrainingRecipe *recipe, int64_t step)
{
    bool found = false;
    for (int i = 0; i < recipe->pause_count; i++)
        found = found || recipe->pauses[i] == step;
    return found;
}

static bool begin_one(TrainingWatch *watch, Error *err)
{
    bool has_ended = watch->training.step >= watch->training.recipe.steps;
    bool waits = is_pause(&watch->training.recipe, watch->training.step);
    watch->state = has_ended ? WATCH_ENDED : waits ? WATCH_PAUSED : WATCH_RUNS;
    watch->speed = 1.0f;
    return keep(watch, err) && training_watch_look(watch, true, err);
}

bool training_watch_begin(TrainingWatch *watch, Error *err)
{
    return begin_one(watch, err) && (!watch->other || begin_one(watch->other, err));
}

// --- steps

static bool step_one(TrainingWatch *watch, Error *err)
{
    Training *training = &watch->training;
    if (watch->state == WATCH_ENDED || watch->state == WATCH_BROKE_OFF)
        return true;
    ParameterStep update = parameter_before(training, watch->update.weight, watch->update.place);
    if (!training_step(training, &watch->broken)) {
        if (!training->broke_off)
            return error_set(err, "%s", watch->broken.text);
        watch->state = WATCH_BROKE_OFF;
        return true;
    }
    parameter_after(training, &update);
    watch->is_by_hand = false;
    watch->update = update;
    watch->losses[training->step] = training->loss;
    if (training->step == training->recipe.steps)
        watch->state = WATCH_ENDED;
    else if (is_pause(&training->recipe, training->step))
        watch->state = WATCH_PAUSED;
    if (is_keep_step(&training->recipe, training->step) && !keep(watch, err))
        return false;
    return !is_map_step(training->step) || training_watch_look(watch, false, err);
}

bool training_watch_step(TrainingWatch *watch, Error *err)
{
    return step_one(watch, err) && (!watch->other || step_one(watch->other, err));
}

bool training_watch_runs(const TrainingWatch *watch)
{
    return watch->state == WATCH_RUNS || (watch->other && watch->other->state == WATCH_RUNS);
}

static bool frame_one(TrainingWatch *watch, Error *err)
{
    if (watch->state != WATCH_RUNS)
        return true;
    int64_t usual = 1 + watch->training.step / 10;
    watch->owed += watch->speed * (float)(usual < FRAME_STEPS_MAX ? usual : FRAME_STEPS_MAX);
    int64_t steps = (int64_t)watch->owed; // of a slow one some frames do none
    watch->owed -= (float)steps;
    while (watch->state == WATCH_RUNS && steps-- > 0)
        if (!step_one(watch, err))
            return false;
    return training_watch_look(watch, false, err);
}

bool training_watch_frame(TrainingWatch *watch, Error *err)
{
    return frame_one(watch, err) && (!watch->other || frame_one(watch->other, err));
}

// Goes back to the chosen checkpoint and discards the later steps.
static bool press_back(TrainingWatch *watch, int by, Error *err)
{
    (void)by;
    const TrainingKeep *chosen = &watch->keeps[watch->keep_chosen];
    for (int64_t step = chosen->state.step + 1; step <= watch->training.recipe.steps; step++)
        watch->losses[step] = NAN;
    training_return(&watch->training, chosen);
    watch->keep_count = watch->keep_chosen + 1;
    while (watch->map_count > 0 && watch->maps[watch->map_count - 1].step > chosen->state.step)
        watch->map_count--;
    watch->update.step = 0;
    watch->is_by_hand = false;
    watch->state = chosen->state.step < watch->training.recipe.steps ? WATCH_PAUSED : WATCH_ENDED;
    return training_watch_look(watch, true, err);
}

float training_watch_weight(const TrainingWatch *watch, const WatchMaps *maps, int head, int at,
                            int to)
{
    int map = watch->sentence * training_heads(&watch->training.recipe) + head;
    return maps->weights[(map * CELLS + at) * CELLS + to];
}

double training_watch_sharpness(const TrainingWatch *watch)
{
    int length = watch->sentences.texts[0].length;
    int heads = training_heads(&watch->training.recipe);
    double sum = 0.0;
    for (int h = 0; h < heads; h++)
        for (int at = 0; at < length; at++) {
            const float *row = watch->now.weights + (h * CELLS + at) * CELLS;
            float most = 0.0f;
            for (int to = 0; to < length; to++)
                most = row[to] > most ? row[to] : most;
            sum += (double)most;
        }
    return sum / (length * heads);
}

// --- losses as a curve of columns

enum { STEPS_MIN = 50 };

int64_t training_watch_last(const TrainingWatch *watch)
{
    int64_t steps = watch->training.recipe.steps, now = watch->training.step;
    int64_t least = steps < STEPS_MIN ? steps : STEPS_MIN;
    now = now > least ? now : least;
    return now > 0 ? now : 1;
}

// The first step of a column; column `columns` begins after the last step.
static int64_t step_of(const TrainingWatch *watch, int column, int columns)
{
    return 1 + training_watch_last(watch) * column / columns;
}

float training_watch_loss(const TrainingWatch *watch, int column, int columns)
{
    int64_t first = step_of(watch, column, columns), end = step_of(watch, column + 1, columns);
    double sum = 0.0;
    int count = 0;
    for (int64_t step = first; step < (end > first ? end : first + 1); step++)
        if (step <= watch->training.recipe.steps && !isnan(watch->losses[step])) {
            sum += (double)watch->losses[step];
            count++;
        }
    return count ? (float)(sum / count) : NAN;
}

float training_watch_largest(const TrainingWatch *watch)
{
    float largest = 0.0f;
    for (int64_t step = 1; step <= watch->training.step; step++)
        largest = fmaxf(largest, watch->losses[step]); // which leaves NaN out
    return largest;
}

// --- changing a weight by hand

static bool press_type(TrainingWatch *watch, int by, Error *err)
{
    (void)by;
    if (watch->state == WATCH_RUNS)
        watch->state = WATCH_PAUSED;
    watch->types = true;
    watch->typed[0] = '\0';
    watch->typing = TYPING_FINE;
    return training_watch_look(watch, false, err);
}

// The error in the typed text, if it is not a number that a weight can hold.
static WatchTyping read_typed(const char *typed, float *value)
{
    char *rest;
    *value = strtof(typed, &rest);
    if (typed[0] == '\0' || *rest != '\0')
        return TYPING_NO_NUMBER;
    return isfinite(*value) ? TYPING_FINE : TYPING_TOO_LARGE;
}

// The moments stay: the next update uses them.
static bool type_take(TrainingWatch *watch, Error *err)
{
    ParameterStep *update = &watch->update;
    float value;
    watch->typing = read_typed(watch->typed, &value);
    if (watch->typing != TYPING_FINE)
        return true;
    watch->training.weights[update->weight].storage.f32[update->place] = value;
    *update = (ParameterStep){.weight = update->weight, .place = update->place};
    watch->types = false;
    watch->is_by_hand = watch->training.by_hand = true;
    return training_watch_look(watch, true, err);
}

static bool type_leave_it(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->types = false;
    return true;
}

static bool type_erase(TrainingWatch *watch, Error *err)
{
    size_t length = strlen(watch->typed);
    (void)err;
    watch->typed[length > 0 ? length - 1 : 0] = '\0';
    return true;
}

static const KeyRow type_keys[] = {
#define TYPING_KEY(does, ...) KEY_ROW(TYPING, 0, __VA_ARGS__),
#include "keymaps.def"
};

const Keymap training_typing_keys = {type_keys, sizeof type_keys / sizeof *type_keys};

static bool press_typing(TrainingWatch *watch, const char *key, Error *err)
{
    static bool (*const deeds[])(TrainingWatch *, Error *) = {
#define TYPING_KEY(does, ...) type_##does,
#include "keymaps.def"
    };
    size_t length = strlen(watch->typed);
    bool is_of_number = key[1] == '\0' && strchr("0123456789.-+e", key[0]) != NULL;
    int row = keymap_find(training_typing_keys, PLACE_TYPING, 0, key);
    watch->typing = TYPING_FINE;
    if (row >= 0)
        return deeds[row](watch, err);
    if (!is_of_number)
        watch->typing = TYPING_OTHER_KEY;
    else if (length == WATCH_TYPED_MAX)
        watch->typing = TYPING_FULL;
    else
        memcpy(watch->typed + length, key, 2);
    return true;
}

// --- keys, each with a number from its row

static bool press_runs(TrainingWatch *watch, int by, Error *err)
{
    watch->state = by ? WATCH_RUNS : WATCH_PAUSED;
    return training_watch_look(watch, false, err);
}

static bool press_one_step(TrainingWatch *watch, int by, Error *err)
{
    (void)by;
    if (watch->state == WATCH_RUNS)
        watch->state = WATCH_PAUSED;
    return step_one(watch, err) && training_watch_look(watch, false, err);
}

static bool press_parameter(TrainingWatch *watch, int by, Error *err)
{
    (void)err;
    watch->shows_parameter = by;
    return true;
}

static bool press_help(TrainingWatch *watch, int by, Error *err)
{
    (void)by, (void)err;
    watch->shows_help = !watch->shows_help;
    return true;
}

static bool press_leave(TrainingWatch *watch, int by, Error *err)
{
    (void)by, (void)err;
    watch->left = true;
    return true;
}

// While it runs, the newest checkpoint is chosen. A paused training is measured as it is.
static bool press_checkpoint(TrainingWatch *watch, int by, Error *err)
{
    int chosen = watch->keep_chosen + by;
    if (chosen >= 0 && chosen < watch->keep_count)
        watch->keep_chosen = chosen;
    return watch->state != WATCH_RUNS || press_runs(watch, false, err);
}

static bool press_speed(TrainingWatch *watch, int by, Error *err)
{
    (void)err;
    if (by > 0 ? watch->speed < SPEED_MOST : watch->speed > 1.0f / SPEED_MOST)
        watch->speed = by > 0 ? 2.0f * watch->speed : watch->speed / 2.0f;
    return true;
}

static bool press_rate(TrainingWatch *watch, int by, Error *err)
{
    const float faster = 1.25f, most = 1e6f;
    float *now = &watch->training.rate_scale, scale = by > 0 ? *now * faster : *now / faster;
    (void)err;
    if (by > 0 ? scale < most : scale > 1.0f / most)
        *now = scale;
    return true;
}

// --- the selection: a parameter, or a head and a sentence

static int around(int number, int change, int count)
{
    return (number + change + count) % count;
}

static bool press_text(TrainingWatch *watch, int by, Error *err)
{
    (void)err;
    watch->sentence = around(watch->sentence, by, WATCH_SENTENCES);
    return true;
}

static bool press_head(TrainingWatch *watch, int by, Error *err)
{
    (void)err;
    watch->head = around(watch->head, by, training_heads(&watch->training.recipe));
    return true;
}

// A newly selected parameter has no recorded update yet.
static bool press_matrix(TrainingWatch *watch, int by, Error *err)
{
    (void)err;
    int weight = around(watch->update.weight, by, watch->training.weight_count);
    watch->update = (ParameterStep){.weight = weight};
    return true;
}

static bool press_number(TrainingWatch *watch, int by, Error *err)
{
    ptrdiff_t count = tensor_count(&watch->training.weights[watch->update.weight]);
    ptrdiff_t place = (watch->update.place + by) % count;
    (void)err;
    watch->update =
        (ParameterStep){.weight = watch->update.weight, .place = place < 0 ? place + count : place};
    return true;
}

static bool press_row(TrainingWatch *watch, int by, Error *err)
{
    const Tensor *weight = &watch->training.weights[watch->update.weight];
    return press_number(watch, by * (int)weight->shape[weight->rank - 1], err);
}

static bool press_without(TrainingWatch *watch, int by, Error *err)
{
    (void)by;
    if (watch->digit >= training_heads(&watch->training.recipe))
        return true;
    watch->without ^= 1u << watch->digit;
    return training_watch_look(watch, true, err);
}

// --- reading keys

enum {
    RUNS = 1,
    STANDS = 2,
    LIVE = 4,
    MAPS = 8,
    NUMBERS = 16,
    ALONE = 32,
    BESIDE = 64,
    CLICK = WATCH_CLICK
};

static const KeyRow watch_keys[] = {
#define TRAINING_KEY(does, by, when, ...) KEY_ROW(TRAINING, when, __VA_ARGS__),
#include "keymaps.def"
};

static const struct {
    bool (*press)(TrainingWatch *watch, int by, Error *err);
    int by;
} deeds[] = {
#define TRAINING_KEY(does, by, ...) {press_##does, by},
#include "keymaps.def"
};

const Keymap training_watch_keys = {watch_keys, sizeof watch_keys / sizeof *watch_keys};

static unsigned now_of(const TrainingWatch *watch)
{
    static const unsigned states[] = {[WATCH_RUNS] = RUNS | LIVE, [WATCH_PAUSED] = STANDS | LIVE};
    bool is_live = watch->state == WATCH_RUNS || watch->state == WATCH_PAUSED;
    return (is_live ? states[watch->state] : 0) | (watch->shows_parameter ? NUMBERS : MAPS) |
           (watch->other ? BESIDE : ALONE) | CLICK;
}

unsigned training_watch_now(const TrainingWatch *watch)
{
    bool other_runs = watch->other && watch->other->state == WATCH_RUNS;
    return now_of(other_runs ? watch->other : watch);
}

unsigned training_watch_ever(const TrainingWatch *watch)
{
    return RUNS | STANDS | LIVE | MAPS | NUMBERS | CLICK | (watch->other ? BESIDE : ALONE);
}

static int row_of(const TrainingWatch *watch, const char *key)
{
    return keymap_find(training_watch_keys, PLACE_TRAINING, now_of(watch), key);
}

static bool press_one(TrainingWatch *watch, const char *key, Error *err)
{
    int row = row_of(watch, key);
    watch->hangul = hangul_key(key) && !watch->hangul_said;
    watch->hangul_said |= watch->hangul;
    if (watch->shows_help && (row < 0 || deeds[row].press != press_leave)) {
        watch->shows_help = false; // any key goes back to the training
        return true;
    }
    if (watch->types)
        return press_typing(watch, hangul_or_key(key), err);
    watch->digit = key[0] - '0';
    return row < 0 || deeds[row].press(watch, deeds[row].by, err);
}

static int64_t chosen_step(const TrainingWatch *watch)
{
    return watch->keeps[watch->keep_chosen].state.step;
}

int64_t training_watch_back(const TrainingWatch *watch)
{
    int64_t own = chosen_step(watch), other = watch->other ? chosen_step(watch->other) : own;
    return own < other ? own : other;
}

// Going back, both choose the same step: a failed one has no later steps.
static void choose_alike(TrainingWatch *watch)
{
    int64_t step = training_watch_back(watch);
    for (int side = 0; side < WATCH_SIDES; side++, watch = watch->other)
        while (chosen_step(watch) > step)
            watch->keep_chosen--;
}

bool training_watch_press(TrainingWatch *watch, const char *key, Error *err)
{
    int row = row_of(watch, key);
    if (watch->other && row >= 0 && deeds[row].press == press_back)
        choose_alike(watch);
    return press_one(watch, key, err) && (!watch->other || press_one(watch->other, key, err));
}
