// What keys do while one watches a training; see training_watch.h.
#include "training_watch.h"

#include "hangul.h"

static const float faster = 1.25f; // what + multiplies the learning rate with, and - divides it by
static const float scale_most = 1e6f;

typedef bool WatchKey(TrainingWatch *watch, Error *err);

static bool press_pause(TrainingWatch *watch, Error *err)
{
    watch->state = WATCH_PAUSED;
    return training_watch_look(watch, false, err);
}

static bool press_go_on(TrainingWatch *watch, Error *err)
{
    watch->state = WATCH_RUNS;
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

static bool press_one_step(TrainingWatch *watch, Error *err)
{
    if (watch->state == WATCH_RUNS)
        watch->state = WATCH_PAUSED;
    return training_watch_step(watch, err) && training_watch_look(watch, false, err);
}

static bool press_parameter(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->shows_parameter = true;
    return true;
}

static bool press_maps(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->shows_parameter = false;
    return true;
}

static bool press_type(TrainingWatch *watch, Error *err)
{
    return training_watch_type(watch, err);
}

static bool press_help(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->shows_help = !watch->shows_help;
    return true;
}

static bool press_leave(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->left = true;
    return true;
}

static bool press_earlier(TrainingWatch *watch, Error *err)
{
    watch->keep_chosen -= watch->keep_chosen > 0;
    return stand(watch, err);
}

static bool press_later(TrainingWatch *watch, Error *err)
{
    watch->keep_chosen += watch->keep_chosen + 1 < watch->keep_count;
    return stand(watch, err);
}

static bool press_back(TrainingWatch *watch, Error *err)
{
    return training_watch_return(watch, err);
}

static bool press_raise_rate(TrainingWatch *watch, Error *err)
{
    (void)err;
    float scale = watch->training.rate_scale * faster;
    watch->training.rate_scale = scale < scale_most ? scale : watch->training.rate_scale;
    return true;
}

static bool press_lower_rate(TrainingWatch *watch, Error *err)
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

static bool press_next_text(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->sentence = around(watch->sentence, 1, WATCH_SENTENCES);
    return true;
}

static bool press_text_before(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->sentence = around(watch->sentence, -1, WATCH_SENTENCES);
    return true;
}

static bool press_next_head(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->head = around(watch->head, 1, watch->training.recipe.heads);
    return true;
}

static bool press_head_before(TrainingWatch *watch, Error *err)
{
    (void)err;
    watch->head = around(watch->head, -1, watch->training.recipe.heads);
    return true;
}

static bool press_next_matrix(TrainingWatch *watch, Error *err)
{
    (void)err;
    look_at(watch, around((int)watch->update.weight, 1, WEIGHT_COUNT), 0);
    return true;
}

static bool press_matrix_before(TrainingWatch *watch, Error *err)
{
    (void)err;
    look_at(watch, around((int)watch->update.weight, -1, WEIGHT_COUNT), 0);
    return true;
}

static void move(TrainingWatch *watch, ptrdiff_t change)
{
    look_at(watch, (int)watch->update.weight, watch->update.place + change);
}

static ptrdiff_t row_of(const TrainingWatch *watch)
{
    const Tensor *weight = &watch->training.weights[watch->update.weight];
    return weight->shape[weight->rank - 1];
}

static bool press_left(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, -1);
    return true;
}

static bool press_right(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, 1);
    return true;
}

static bool press_up(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, -row_of(watch));
    return true;
}

static bool press_down(TrainingWatch *watch, Error *err)
{
    (void)err;
    move(watch, row_of(watch));
    return true;
}

static bool press_without(TrainingWatch *watch, Error *err)
{
    if (watch->digit >= watch->training.recipe.heads)
        return true;
    watch->without ^= 1u << watch->digit;
    return training_watch_look(watch, true, err);
}

// --- which of them is pressed

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

static const KeyRow keys[] = {
#define TRAINING_KEY(does, when, ...) KEY_ROW(TRAINING, when, __VA_ARGS__),
#include "keymaps.def"
};

static WatchKey *const deeds[] = {
#define TRAINING_KEY(does, ...) press_##does,
#include "keymaps.def"
};

const Keymap training_watch_keys = {keys, sizeof keys / sizeof *keys};

unsigned training_watch_now(const TrainingWatch *watch)
{
    static const unsigned states[] = {[WATCH_RUNS] = RUNS | LIVE, [WATCH_PAUSED] = STANDS | LIVE};
    bool is_live = watch->state == WATCH_RUNS || watch->state == WATCH_PAUSED;
    return (is_live ? states[watch->state] : 0) | (watch->shows_parameter ? NUMBERS : MAPS) |
           (watch->is_beside ? BESIDE : ALONE) | CLICK;
}

unsigned training_watch_ever(bool of_pair)
{
    return RUNS | STANDS | LIVE | MAPS | NUMBERS | CLICK | (of_pair ? BESIDE : ALONE);
}

bool training_watch_goes_back(const TrainingWatch *watch, const char *key)
{
    int row = keymap_find(training_watch_keys, PLACE_TRAINING, training_watch_now(watch), key);
    return row >= 0 && deeds[row] == press_back;
}

bool training_watch_press(TrainingWatch *watch, const char *key, Error *err)
{
    watch->hangul = hangul_key(key) && !watch->hangul_said;
    watch->hangul_said |= watch->hangul;
    int row = keymap_find(training_watch_keys, PLACE_TRAINING, training_watch_now(watch), key);
    if (watch->shows_help && (row < 0 || deeds[row] != press_leave)) {
        watch->shows_help = false; // any key goes back to the training
        return true;
    }
    if (watch->types)
        return training_watch_press_typing(watch, hangul_or_key(key), err);
    watch->digit = key[0] - '0';
    return row < 0 || deeds[row](watch, err);
}
