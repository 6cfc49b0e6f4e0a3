// training_pair: see training_pair.h.
#include "training_pair.h"

bool training_pair_open(TrainingPair *pair, const TrainingRecipe *recipe,
                        const TrainingRecipe *other, Error *err)
{
    if (!training_watch_open(&pair->sides[0], recipe, err))
        return false;
    if (!training_watch_open(&pair->sides[1], other, err)) {
        training_watch_close(&pair->sides[0]);
        return false;
    }
    pair->sides[0].is_beside = pair->sides[1].is_beside = true;
    return true;
}

bool training_pair_begin(TrainingPair *pair, Error *err)
{
    return training_watch_begin(&pair->sides[0], err) && training_watch_begin(&pair->sides[1], err);
}

bool training_pair_step(TrainingPair *pair, Error *err)
{
    return training_watch_step(&pair->sides[0], err) && training_watch_step(&pair->sides[1], err);
}

bool training_pair_frame(TrainingPair *pair, Error *err)
{
    for (int i = 0; i < PAIR_SIDES; i++)
        if (pair->sides[i].state == WATCH_RUNS && !training_watch_frame(&pair->sides[i], err))
            return false;
    return true;
}

bool training_pair_runs(const TrainingPair *pair)
{
    return pair->sides[0].state == WATCH_RUNS || pair->sides[1].state == WATCH_RUNS;
}

unsigned training_pair_now(const TrainingPair *pair)
{
    return training_watch_now(&pair->sides[pair->sides[1].state == WATCH_RUNS]);
}

static int64_t chosen_step(const TrainingWatch *watch)
{
    return watch->keeps[watch->keep_chosen].step;
}

int64_t training_pair_back(const TrainingPair *pair)
{
    int64_t first = chosen_step(&pair->sides[0]), second = chosen_step(&pair->sides[1]);
    return first < second ? first : second;
}

// Both sides choose the same step: one that broke off has no later ones.
static void choose_alike(TrainingPair *pair)
{
    int64_t step = training_pair_back(pair);
    for (int i = 0; i < PAIR_SIDES; i++)
        while (chosen_step(&pair->sides[i]) > step)
            pair->sides[i].keep_chosen--;
}

bool training_pair_press(TrainingPair *pair, const char *key, Error *err)
{
    if (training_watch_goes_back(&pair->sides[0], key))
        choose_alike(pair);
    return training_watch_press(&pair->sides[0], key, err) &&
           training_watch_press(&pair->sides[1], key, err);
}

void training_pair_close(TrainingPair *pair)
{
    training_watch_close(&pair->sides[1]);
    training_watch_close(&pair->sides[0]);
}
