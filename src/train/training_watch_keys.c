// What keys do while one watches a training; see training_watch.h.
#include "training_watch.h"

#include <string.h>
#include "hangul.h"

static const float faster = 1.25f; // what + multiplies the learning rate with, and - divides it by
static const float scale_most = 1e6f;

typedef bool WatchKey(TrainingWatch *watch, Error *err);

static bool pause(TrainingWatch *watch, Error *err)
{
    if (watch->state == WATCH_RUNS || watch->state == WATCH_PAUSED)
        watch->state = watch->state == WATCH_RUNS ? WATCH_PAUSED : WATCH_RUNS;
    return training_watch_look(watch, false, err);
}

// While it runs, the newest checkpoint is the chosen one. What stands is measured as it stands.
static bool stand(TrainingWatch *watch, Error *err)
{
    if (watch->state != WATCH_RUNS)
        return true;
    watch->state = WATCH_PAUSED;
    return training_watch_look(watch, false, err);
}

static bool one_step(TrainingWatch *watch, Error *err)
{
    if (watch->state == WATCH_RUNS)
        watch->state = WATCH_PAUSED;
    return training_watch_step(watch, err) && training_watch_look(watch, false, err);
}

static bool parameter(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->shows_parameter = !watch->shows_parameter;
    return true;
}

static bool type(TrainingWatch *watch, Error *err)
{
    return !watch->shows_parameter || training_watch_type(watch, err);
}

static bool help(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->shows_help = !watch->shows_help;
    return true;
}

static bool leave(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->left = true;
    return true;
}

static bool earlier(TrainingWatch *watch, Error *err)
{
    watch->keep_chosen -= watch->keep_chosen > 0;
    return stand(watch, err);
}

static bool later(TrainingWatch *watch, Error *err)
{
    watch->keep_chosen += watch->keep_chosen + 1 < watch->keep_count;
    return stand(watch, err);
}

static bool raise_rate(TrainingWatch *watch, Error *err)
{
    (void)err;
    float scale = watch->training.rate_scale * faster;
    watch->training.rate_scale = scale < scale_most ? scale : watch->training.rate_scale;
    return true;
}

static bool lower_rate(TrainingWatch *watch, Error *err)
{
    (void)err;
    float scale = watch->training.rate_scale / faster;
    watch->training.rate_scale = scale > 1.0f / scale_most ? scale : watch->training.rate_scale;
    return true;
}

// --- what is looked at: a parameter, or a head and a sentence

static int around(int number, int change, int count)
{
    return (number + change + count) % count;
}

// Another parameter has no update yet that anybody saw.
static void look_at(TrainingWatch *watch, int weight, ptrdiff_t place)
{
    ptrdiff_t count = tensor_count(&watch->training.weights[weight]);
    watch->update =
        (ParameterStep){.weight = (WeightNumber)weight, .place = ((place % count) + count) % count};
}

static void turn(TrainingWatch *watch, int change)
{
    if (watch->shows_parameter)
        look_at(watch, around((int)watch->update.weight, change, WEIGHT_COUNT), 0);
    else
        watch->sentence = around(watch->sentence, change, WATCH_SENTENCES);
}

static bool tab(TrainingWatch *watch, Error *err)
{
    (void)err;
    turn(watch, 1);
    return true;
}

static bool tab_back(TrainingWatch *watch, Error *err)
{
    (void)err;
    turn(watch, -1);
    return true;
}

// Arrows: a number beside it, or `row` rows on; of heads, the next.
static void move(TrainingWatch *watch, int change, bool by_row)
{
    const Tensor *weight = &watch->training.weights[watch->update.weight];
    ptrdiff_t row = by_row ? weight->shape[weight->rank - 1] : 1;
    if (watch->shows_parameter)
        look_at(watch, (int)watch->update.weight, watch->update.place + change * row);
    else
        watch->head = around(watch->head, change, watch->training.recipe.heads);
}

static bool left(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, -1, false);
    return true;
}

static bool right(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, 1, false);
    return true;
}

static bool up(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, -1, true);
    return true;
}

static bool down(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, 1, true);
    return true;
}

static const struct {
    const char *key;
    WatchKey *press;
    bool of_parameter; // it shows or changes a single parameter
} keys[] = {
    {.key = "Space", .press = pause},
    {.key = "s", .press = one_step},
    {.key = "n", .press = parameter, .of_parameter = true},
    {.key = "?", .press = help},
    {.key = "q", .press = leave},
    {.key = "[", .press = earlier},
    {.key = "]", .press = later},
    {.key = "b", .press = training_watch_return},
    {.key = "+", .press = raise_rate},
    {.key = "=", .press = raise_rate},
    {.key = "-", .press = lower_rate},
    {.key = "Tab", .press = tab},
    {.key = "BackTab", .press = tab_back},
    {.key = "Left", .press = left},
    {.key = "Right", .press = right},
    {.key = "Up", .press = up},
    {.key = "Down", .press = down},
    {.key = "Enter", .press = type, .of_parameter = true},
};

bool training_watch_is_of_parameter(const char *key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, key) == 0)
            return keys[i].of_parameter;
    return false;
}

bool training_watch_press(TrainingWatch *watch, const char *key, Error *err)
{
    watch->hangul = hangul_key(key) && !watch->hangul_said;
    watch->hangul_said |= watch->hangul;
    key = hangul_or_key(key);
    bool is_digit = key[0] >= '0' && key[0] <= '9' && key[1] == '\0';
    if (watch->shows_help && strcmp(key, "q") != 0) {
        watch->shows_help = false; // any key goes back to the training
        return true;
    }
    if (watch->types)
        return training_watch_press_typing(watch, key, err);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, key) == 0)
            return keys[i].press(watch, err);
    if (!is_digit || key[0] - '0' >= watch->training.recipe.heads)
        return true;
    watch->without ^= 1u << (key[0] - '0');
    return training_watch_look(watch, true, err);
}
