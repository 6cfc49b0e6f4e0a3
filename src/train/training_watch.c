// training_watch: see training_watch.h.
#include "training_watch.h"

#include <math.h>

static const int64_t map_steps[] = {0, 10, 30, 100, 300, 1000, 3000, 10000};
static const uint64_t sentences_seed = 7; // of those that are held out

enum { MEASURE_STEPS = 20, KEEPS = 20, FRAME_STEPS_MAX = 20, CELLS = GRAMMAR_LENGTH_MAX };

static size_t map_numbers(const TrainingWatch *watch)
{
    return (size_t)(WATCH_SENTENCES * watch->training.recipe.heads * CELLS * CELLS);
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

static void choose_sentences(TrainingBatch *sentences)
{
    Generator generator;
    generator_seed(&generator, sentences_seed);
    grammar_document_text(&sentences->texts[0]);
    for (int b = 1; b < WATCH_SENTENCES; b++)
        do
            grammar_draw_where(&generator, true, &sentences->texts[b]);
        while (sentences->texts[b].length > WATCH_SENTENCE_LENGTH);
}

bool training_watch_open(TrainingWatch *watch, const TrainingRecipe *recipe, Error *err)
{
    *watch = (TrainingWatch){.measured_at = -1, .update = {.weight = WEIGHT_Q}};
    if (!training_open(&watch->training, recipe, err))
        return false;
    if (training_batch_open(&watch->training, WATCH_SENTENCES, GRAMMAR_LENGTH_MAX,
                            &watch->sentences, err)) {
        choose_sentences(&watch->sentences);
        if (take_maps(watch, err) && take_losses(watch, err))
            return true;
        training_batch_close(&watch->sentences);
    }
    training_close(&watch->training);
    arena_finish(&watch->arena);
    return false;
}

void training_watch_close(TrainingWatch *watch)
{
    training_batch_close(&watch->sentences);
    training_close(&watch->training);
    arena_finish(&watch->arena);
}

// --- what is kept

static void take_weights(const TrainingWatch *watch, WatchMaps *maps)
{
    float *to = maps->weights;
    const TrainingBatch *batch = &watch->sentences;
    for (int b = 0; b < WATCH_SENTENCES; b++)
        for (int h = 0; h < watch->training.recipe.heads; h++)
            for (int at = 0; at < CELLS; at++)
                for (int k = 0; k < CELLS; k++)
                    *to++ = measure_weight(batch, b, h, (ptrdiff_t[]){at, k});
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

bool training_watch_begin(TrainingWatch *watch, Error *err)
{
    bool has_ended = watch->training.step >= watch->training.recipe.steps;
    watch->state = has_ended ? WATCH_ENDED : WATCH_RUNS;
    return keep(watch, err) && training_watch_look(watch, true, err);
}

// --- steps

bool training_watch_step(TrainingWatch *watch, Error *err)
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
    if (is_keep_step(&training->recipe, training->step) && !keep(watch, err))
        return false;
    return !is_map_step(training->step) || training_watch_look(watch, false, err);
}

bool training_watch_frame(TrainingWatch *watch, Error *err)
{
    int64_t steps = 1 + watch->training.step / 10;
    steps = steps < FRAME_STEPS_MAX ? steps : FRAME_STEPS_MAX;
    while (watch->state == WATCH_RUNS && steps-- > 0)
        if (!training_watch_step(watch, err))
            return false;
    return training_watch_look(watch, false, err);
}

bool training_watch_return(TrainingWatch *watch, Error *err)
{
    const TrainingKeep *chosen = &watch->keeps[watch->keep_chosen];
    for (int64_t step = chosen->step + 1; step <= watch->training.recipe.steps; step++)
        watch->losses[step] = NAN;
    training_return(&watch->training, chosen);
    watch->keep_count = watch->keep_chosen + 1;
    while (watch->map_count > 0 && watch->maps[watch->map_count - 1].step > chosen->step)
        watch->map_count--;
    watch->update.step = 0;
    watch->is_by_hand = false;
    watch->state = chosen->step < watch->training.recipe.steps ? WATCH_PAUSED : WATCH_ENDED;
    return training_watch_look(watch, true, err);
}

float training_watch_weight(const TrainingWatch *watch, const WatchMaps *maps, int at, int to)
{
    int head = watch->sentence * watch->training.recipe.heads + watch->head;
    return maps->weights[(head * CELLS + at) * CELLS + to];
}

double training_watch_sharpness(const TrainingWatch *watch)
{
    int length = watch->sentences.texts[0].length, heads = watch->training.recipe.heads;
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
