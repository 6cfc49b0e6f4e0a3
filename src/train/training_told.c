// training_told: see training_told.h.
#include "training_told.h"

#include <stdio.h>
#include <string.h>
#include "number_text.h"
#include "train_words.h"

static const char *state_of(const TrainingWatch *watch)
{
    return watch->state == WATCH_RUNS     ? TELL(TRAIN_STATE_RUNS)
           : watch->state == WATCH_PAUSED ? TELL(TRAIN_STATE_PAUSED)
                                          : TELL(TRAIN_STATE_ENDED);
}

void training_told_rate(const TrainingWatch *watch, char text[TOLD_BYTES])
{
    const Training *training = &watch->training;
    float rate = training->rate_scale * training->recipe.rate *
                 (1.0f - (float)training->step / (float)training->recipe.steps);
    size_t used = strlen(text);
    if (watch->state == WATCH_BROKE_OFF) // in the step after those that are done
        words_format(text + used, TOLD_BYTES - used, TELL(TRAIN_TITLE_BROKE),
                     (long long)training->step + 1);
    else
        words_format(text + used, TOLD_BYTES - used, TELL(TRAIN_TITLE_RATE), (double)rate,
                     state_of(watch));
}

void training_told_loss(const TrainingWatch *watch, char text[TOLD_BYTES])
{
    const Training *training = &watch->training;
    size_t used = strlen(text);
    if (training->step == 0)
        return;
    words_format(text + used, TOLD_BYTES - used,
                 watch->is_by_hand ? TELL(TRAIN_TITLE_LOSS_WAS) : TELL(TRAIN_TITLE_LOSS),
                 number_unsigned_nan((double)training->loss));
    used = strlen(text);
    if (training->recipe.overlap_cost > 0.0f)
        words_format(text + used, TOLD_BYTES - used, TELL(TRAIN_TITLE_PAID),
                     number_unsigned_nan((double)training->paid));
}

void training_told_title(const TrainingWatch *watch, char text[TOLD_BYTES])
{
    const Training *training = &watch->training;
    words_format(text, TOLD_BYTES, TELL(TRAIN_TITLE), (long long)training->step,
                 (long long)training->recipe.steps);
    training_told_loss(watch, text);
    training_told_rate(watch, text);
}

// "who 0.135, before 0.036"
static void tell_unlearned(const Measure *measure, char text[TOLD_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (int q = 0; q < QUESTION_COUNT; q++)
        if (measure->right[q] < MEASURE_LEARNED)
            used += (size_t)snprintf(text + used, TOLD_BYTES - used, "%s%s %.3f", used ? ", " : "",
                                     question_names[q], measure->right[q]);
}

// How the heads share the work. One alone has nobody to share it with.
static const char *sharing_of(const Training *training, const Measure *measure)
{
    if (training->recipe.heads == 1)
        return TELL(TRAIN_VERDICT_ALONE);
    if (!measure->is_learned)
        return TELL(TRAIN_VERDICT_OPEN);
    if (measure->is_clear)
        return TELL(TRAIN_VERDICT_CLEAR);
    return measure->is_distinct ? TELL(TRAIN_VERDICT_DISTINCT) : TELL(TRAIN_VERDICT_SHARED);
}

void training_told_verdict(const Training *training, const Measure *measure, char *text,
                           size_t room)
{
    char unlearned[TOLD_BYTES];
    const char *sharing = sharing_of(training, measure);
    tell_unlearned(measure, unlearned);
    if (!measure->is_learned)
        words_format(text, room, TELL(TRAIN_VERDICT_UNLEARNED), MEASURE_LEARNED, unlearned,
                     sharing);
    else
        words_format(text, room, "%s", sharing);
    size_t used = strlen(text);
    if (training->by_hand)
        words_format(text + used, room - used, "\n%s", TELL(TRAIN_VERDICT_BY_HAND));
}

static void tell_typing(const TrainingWatch *watch, char *text, size_t room)
{
    switch (watch->typing) {
    case TYPING_OTHER_KEY:
        words_format(text, room, "%s", TELL(TRAIN_TYPING_OTHER_KEY));
        return;
    case TYPING_FULL:
        words_format(text, room, TELL(TRAIN_TYPING_FULL), WATCH_TYPED_MAX);
        return;
    case TYPING_NO_NUMBER:
        words_format(text, room, TELL(TRAIN_TYPING_NO_NUMBER), watch->typed);
        return;
    case TYPING_TOO_LARGE:
        words_format(text, room, TELL(TRAIN_TYPING_TOO_LARGE), watch->typed);
        return;
    case TYPING_FINE:
        break;
    }
    words_format(text, room, "%s", TELL(TRAIN_SAYS_TYPE));
}

void training_told_message(const TrainingWatch *watch, bool tells_pale, char *text, size_t room)
{
    const Measure *measure = &watch->measure;
    long long back = (long long)watch->keeps[watch->keep_chosen].step;
    if (watch->hangul)
        words_format(text, room, "%s", TELL(TRAIN_SAYS_HANGUL));
    else if (watch->state == WATCH_BROKE_OFF)
        words_format(text, room, TELL(TRAIN_SAYS_BROKE_OFF), watch->broken.text, back);
    else if (watch->types)
        tell_typing(watch, text, room);
    else if (watch->is_by_hand)
        words_format(text, room, TELL(TRAIN_SAYS_BY_HAND), back);
    else if (watch->without)
        words_format(text, room, TELL(TRAIN_SAYS_AWAY), question_names[QUESTION_WHO],
                     measure->right[QUESTION_WHO], question_names[QUESTION_BEFORE],
                     measure->right[QUESTION_BEFORE], question_names[QUESTION_MARK],
                     measure->right[QUESTION_MARK]);
    else if (watch->state == WATCH_ENDED && watch->keep_chosen + 1 < watch->keep_count)
        words_format(text, room, TELL(TRAIN_SAYS_CHOSEN), back);
    else if (watch->state == WATCH_ENDED)
        words_format(text, room, TELL(TRAIN_SAYS_ENDED), question_names[QUESTION_WHO],
                     measure->owner[QUESTION_WHO], question_names[QUESTION_BEFORE],
                     measure->owner[QUESTION_BEFORE], question_names[QUESTION_MARK],
                     measure->owner[QUESTION_MARK]);
    else if (watch->state == WATCH_PAUSED)
        words_format(text, room, TELL(TRAIN_SAYS_PAUSED), back);
    else
        words_format(text, room, "%s%s", TELL(TRAIN_SAYS_READ),
                     tells_pale ? TELL(TRAIN_SAYS_PALE) : "");
}
