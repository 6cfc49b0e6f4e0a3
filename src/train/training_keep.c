// training_keep: see training_keep.h.
#include "training_keep.h"

#include <string.h>

static size_t number_count(const Training *training)
{
    size_t count = 0;
    for (int i = 0; i < WEIGHT_COUNT; i++)
        count += 3 * (size_t)tensor_count(&training->weights[i]);
    return count;
}

// Copies all numbers to `numbers`, or from there.
static void copy(const Training *training, float *numbers, bool back)
{
    for (int i = 0; i < WEIGHT_COUNT; i++) {
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
    keep->step = training->step;
    keep->loss = training->loss;
    keep->paid = training->paid;
    keep->rate_scale = training->rate_scale;
    keep->by_hand = training->by_hand;
    keep->generator = training->generator;
    keep->power1 = training->optimizer.power1;
    keep->power2 = training->optimizer.power2;
    copy(training, keep->numbers, false);
    return true;
}

void training_return(Training *training, const TrainingKeep *keep)
{
    training->step = keep->step;
    training->loss = keep->loss;
    training->paid = keep->paid;
    training->rate_scale = keep->rate_scale;
    training->by_hand = keep->by_hand;
    training->generator = keep->generator;
    training->optimizer.power1 = keep->power1;
    training->optimizer.power2 = keep->power2;
    training->broke_off = false;
    copy(training, keep->numbers, true);
}
