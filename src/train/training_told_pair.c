// What is told of two trainings beside each other; see training_told.h.
#include "training_told.h"

#include "train_words.h"

// The one that goes on where the other has broken off.
static const TrainingWatch *leader_of(const TrainingPair *pair)
{
    return &pair->sides[pair->sides[0].state == WATCH_BROKE_OFF];
}

void training_told_pair_title(const TrainingPair *pair, char text[TOLD_BYTES])
{
    const TrainingWatch *leader = leader_of(pair);
    words_format(text, TOLD_BYTES, TELL(TRAIN_PAIR_TITLE), (long long)leader->training.step,
                 (long long)leader->training.recipe.steps);
    training_told_rate(leader, text);
}

void training_told_side(const TrainingPair *pair, int side, char text[TOLD_BYTES])
{
    words_format(text, TOLD_BYTES, "%s", pair->names[side]);
    training_told_loss(&pair->sides[side], text);
}

void training_told_sharpness(const TrainingWatch *side, char text[TOLD_BYTES])
{
    words_format(text, TOLD_BYTES, TELL(TRAIN_PAIR_SHARP), training_watch_sharpness(side));
}

static const TrainingWatch *broken_of(const TrainingPair *pair)
{
    for (int i = 0; i < PAIR_SIDES; i++)
        if (pair->sides[i].state == WATCH_BROKE_OFF)
            return &pair->sides[i];
    return NULL;
}

void training_told_pair_message(const TrainingPair *pair, char *text, size_t room)
{
    const TrainingWatch *leader = leader_of(pair), *broken = broken_of(pair);
    long long back = (long long)training_pair_back(pair);
    if (leader->hangul)
        words_format(text, room, "%s", TELL(TRAIN_SAYS_HANGUL));
    else if (broken)
        words_format(text, room, TELL(TRAIN_PAIR_BROKE), pair->names[broken - pair->sides],
                     broken->broken.text, back);
    else if (leader->without)
        words_format(text, room, "%s", TELL(TRAIN_PAIR_AWAY));
    else if (leader->state == WATCH_PAUSED)
        words_format(text, room, TELL(TRAIN_SAYS_PAUSED), back);
    else if (leader->state == WATCH_RUNS)
        words_format(text, room, "%s", TELL(TRAIN_PAIR_RUNS));
    else if (leader->keep_chosen + 1 < leader->keep_count)
        words_format(text, room, TELL(TRAIN_SAYS_CHOSEN), back);
    else
        words_format(text, room, "%s", TELL(TRAIN_PAIR_ENDED));
}
