// A weight that a person changes by hand while they watch a training; see training_watch.h.
#include "training_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool training_watch_type(TrainingWatch *watch, Error *err)
{
    if (watch->state == WATCH_RUNS)
        watch->state = WATCH_PAUSED;
    watch->types = true;
    watch->typed[0] = '\0';
    watch->typing = TYPING_FINE;
    return training_watch_look(watch, false, err);
}

// What is wrong with what was typed, where it is no whole number that a weight can hold.
static WatchTyping read_typed(const char *typed, float *value)
{
    char *rest;
    *value = strtof(typed, &rest);
    if (typed[0] == '\0' || *rest != '\0')
        return TYPING_NO_NUMBER;
    return isfinite(*value) ? TYPING_FINE : TYPING_TOO_LARGE;
}

// The moments stay: the next update goes on from them.
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

static const KeyRow keys[] = {
#define TYPING_KEY(does, ...) KEY_ROW(TYPING, 0, __VA_ARGS__),
#include "keymaps.def"
};

const Keymap training_typing_keys = {keys, sizeof keys / sizeof *keys};

bool training_watch_press_typing(TrainingWatch *watch, const char *key, Error *err)
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
