// A training in front of a person: in the terminal, in a window, and two of them; see app_train.h.
#include "app_train.h"

#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "app_words.def"
#include "screen.h"
#include "train_view.h"
#include "training_file.h"
#include "training_told.h"
#include "tui.h"
#include "utf8.h"

// --- one training or two

enum { FRAME_MILLISECONDS = 20 }; // for keys, between two frames of a training that runs

// What a person watches.
typedef struct Watched {
    TrainingWatch *watch;   // whose `left` says that the person has gone; of two the first
    TrainingPair *pair;     // NULL: one
    const char *checkpoint; // of one; NULL: nowhere
} Watched;

static bool runs(const Watched *watched)
{
    bool is_running =
        watched->pair ? training_pair_runs(watched->pair) : watched->watch->state == WATCH_RUNS;
    return is_running && !watched->watch->shows_help;
}

// A frame of a training that runs, and its checkpoint where one is due.
static bool go_on(const Watched *watched, Error *err)
{
    if (watched->pair)
        return training_pair_frame(watched->pair, err);
    const Training *training = &watched->watch->training;
    int64_t kept = training->step / TRAIN_CHECKPOINT_STEPS;
    if (!training_watch_frame(watched->watch, err))
        return false;
    bool is_due = training->step / TRAIN_CHECKPOINT_STEPS != kept;
    return !watched->checkpoint || !is_due ||
           training_write_checkpoint(training, watched->checkpoint, err);
}

static bool press(const Watched *watched, const char *key, Error *err)
{
    return watched->pair ? training_pair_press(watched->pair, key, err)
                         : training_watch_press(watched->watch, key, err);
}

// --- in the terminal

static void draw(void *context, Cells *cells)
{
    const Watched *watched = context;
    if (watched->pair)
        train_pair_screen_draw(watched->pair, cells);
    else
        train_screen_draw(watched->watch, cells);
}

static bool hear(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    (void)cells;
    if (event->kind == TERMINAL_KEY)
        return press(context, event->key, err);
    return event->kind != TERMINAL_TIME || go_on(context, err);
}

static bool is_over(const void *context)
{
    const Watched *watched = context;
    return watched->watch->left;
}

static LoopWants wants(void *context)
{
    return (LoopWants){.beside = -1, .milliseconds = runs(context) ? FRAME_MILLISECONDS : -1};
}

static LoopEnd follow_in_terminal(Watched watched, Error *err)
{
    static const LoopView view = {.draw = draw, .hear = hear, .is_over = is_over, .wants = wants};
    return loop_run(&view, &watched, err);
}

bool app_train_live(TrainingWatch *watch, const char *checkpoint, bool *shown, Error *err)
{
    LoopEnd end = follow_in_terminal((Watched){.watch = watch, .checkpoint = checkpoint}, err);
    *shown = end != LOOP_UNOPENED;
    return end != LOOP_BROKEN_OFF;
}

// --- in a window

static bool show(TrainWindow *window, const Watched *watched, Error *err)
{
    return watched->pair ? train_window_show_pair(window, watched->pair, err)
                         : train_window_show(window, watched->watch, err);
}

// Everything that the person has done there. False: the machine fails, or the window is gone.
static bool take_keys(TrainWindow *window, const Watched *watched, Error *err)
{
    char key[WINDOW_MESSAGE_MAX];
    TrainingWatch *watch = watched->watch;
    while (!watch->left && train_window_next(window, key, err))
        if (!press(watched, key, err))
            return false;
    watch->left = watch->left || window->closed;
    return err->text[0] == '\0';
}

static bool follow(TrainWindow *window, const Watched *watched, Error *err)
{
    bool good = true;
    while (good && !watched->watch->left) {
        bool is_running = runs(watched);
        if (is_running)
            good = go_on(watched, err);
        window->stale = window->stale || is_running;
        good = good && show(window, watched, err);
        if (good && !is_running)
            window_wait(&window->window, -1);
        good = good && take_keys(window, watched, err);
    }
    return good;
}

static bool follow_in_window(const Watched *watched, Error *err)
{
    static TrainWindow window; // with the letters of a process: large
    Error why = {.text = ""};  // it advises what pictures have, and a training has not
    if (!train_window_open(&window, watched->pair != NULL, &why))
        return error_set(err, "%s", TELL(TRAIN_NO_WINDOW));
    bool good = follow(&window, watched, err);
    train_window_close(&window);
    return good;
}

bool app_train_window(TrainingWatch *watch, const char *checkpoint, Error *err)
{
    return follow_in_window(&(Watched){.watch = watch, .checkpoint = checkpoint}, err);
}

// --- lines that tell of a training

bool app_train_is_told(int64_t step, int64_t steps)
{
    static const int64_t told[] = {0, 30, 100, 300, 1000};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (step == told[i])
            return true;
    return step == steps;
}

void app_train_print_cost(const TrainingRecipe *recipe)
{
    if (recipe->overlap_cost > 0.0f)
        printf(TELL(TRAIN_PAID_FOR), (double)recipe->overlap_cost);
}

void app_train_print_loss(const Training *training)
{
    if (training->step == 0)
        return;
    printf(TELL(TRAIN_LOSS), (double)training->loss);
    if (training->recipe.overlap_cost > 0.0f)
        printf(TELL(TRAIN_PAID), (double)training->paid);
}

void app_train_print_verdict(const Training *training, const Measure *measure)
{
    char text[2 * TOLD_BYTES];
    training_told_verdict(training, measure, text, sizeof text);
    printf("%s\n", text);
}

// --- two trainings beside each other

// What stands behind the name of a field and a blank; NULL where it is another field.
static const char *value_of(const char *what, const char *field)
{
    size_t length = strlen(field);
    return strncmp(what, field, length) == 0 && what[length] == ' ' ? what + length + 1 : NULL;
}

// "heads 2": whether it is a whole number from 1 to most.
static bool read_count(const char *text, int most, int *count)
{
    char *rest;
    long number = strtol(text, &rest, 10);
    *count = (int)number;
    return *text != '\0' && *rest == '\0' && number >= 1 && number <= most;
}

// The recipe with one thing different; false where that is nothing known.
static bool read_other(const char *what, TrainingRecipe *other)
{
    static const char *const fields[] = {"scale", "position", "overlap", "mask"};
    bool repeats = other->grammar->repeats;
    const char *heads = value_of(what, "heads"), *layers = value_of(what, "layers");
    if (heads)
        return read_count(heads, MEASURE_HEADS_MAX, &other->heads);
    if (layers)
        return repeats && read_count(layers, TRAINING_LAYERS_MAX, &other->layers);
    for (int i = 0; i < (int)(sizeof fields / sizeof *fields); i++) {
        const char *value = value_of(what, fields[i]);
        bool has_none =
            i != (repeats ? 2 : 3); // texts that repeat pay no overlap, others have no mask
        if (!value || strcmp(value, "none") != 0 || !has_none)
            continue;
        other->unscaled = other->unscaled || i == 0;
        other->unplaced = other->unplaced || i == 1;
        other->overlap_cost = i == 2 ? 0.0f : other->overlap_cost;
        other->unmasked = other->unmasked || i == 3;
        return true;
    }
    return false;
}

void app_train_print_padded(const char *text, int columns)
{
    int left = columns - utf8_width(text);
    printf("%s%*s", text, left > 0 ? left : 0, "");
}

static void print_side(const TrainingPair *pair, int side)
{
    enum { NAME_COLUMNS = 15 };
    const TrainingWatch *watch = &pair->sides[side];
    app_train_print_padded(pair->names[side], NAME_COLUMNS);
    if (watch->state == WATCH_BROKE_OFF) {
        printf(TELL(TRAIN_COMPARE_BROKE), watch->broken.text);
        return;
    }
    app_train_print_loss(&watch->training);
    printf(TELL(TRAIN_RIGHT));
    for (int q = 0; q < watch->training.recipe.grammar->asked; q++)
        printf("  %s %.3f", training_told_question(&watch->training, (Question)q),
               watch->measure.right[q]);
    printf(TELL(TRAIN_COMPARE_SHARP), training_watch_sharpness(watch));
}

// The step is that of one which has not broken off.
static void print_sides(const TrainingPair *pair)
{
    const TrainingWatch *first = &pair->sides[0];
    const TrainingWatch *told = first->state == WATCH_BROKE_OFF ? &pair->sides[1] : first;
    printf(TELL(TRAIN_STEP), (long long)told->training.step);
    printf("\n");
    print_side(pair, 0);
    print_side(pair, 1);
    fflush(stdout);
}

static bool look(TrainingPair *pair, Error *err)
{
    return training_watch_look(&pair->sides[0], true, err) &&
           training_watch_look(&pair->sides[1], true, err);
}

// Which head answers each question, in one line a question, and whether heads have parted.
static void print_heads(const TrainingPair *pair, int side)
{
    enum { QUESTION_COLUMNS = 8 };
    const TrainingWatch *watch = &pair->sides[side];
    const Measure *measure = &watch->measure;
    if (watch->state == WATCH_BROKE_OFF)
        return;
    printf("%s\n", pair->names[side]);
    for (int q = 0; q < watch->training.recipe.grammar->measured; q++) {
        int own = measure->owner[q];
        char name[16];
        printf("  ");
        app_train_print_padded(training_told_question(&watch->training, (Question)q),
                               QUESTION_COLUMNS);
        printf(TELL(TRAIN_COMPARE_HEAD), measure->right[q],
               training_head_name(&watch->training.recipe, own, name), measure->mass[q][own],
               measure->right_without[q][own]);
    }
    app_train_print_verdict(&watch->training, measure);
}

static void print_end(const TrainingPair *pair)
{
    printf(TELL(TRAIN_HELD), MEASURE_TEXTS);
    print_heads(pair, 0);
    print_heads(pair, 1);
}

static void print_meaning(const TrainingPair *pair)
{
    app_train_print_cost(&pair->sides[0].training.recipe);
    const Grammar *grammar = pair->sides[0].training.recipe.grammar;
    if (grammar->repeats)
        printf("%s", TELL(TRAIN_MEANS_NEXT));
    else
        words_print(stdout, TELL(TRAIN_COMPARE_MEANS), grammar->words[grammar->first_of[0]]);
}

// --- line by line

static bool run_lines(TrainingPair *pair, Error *err)
{
    int64_t steps = pair->sides[0].training.recipe.steps;
    bool good = true;
    print_meaning(pair);
    print_sides(pair);
    for (int64_t step = 1; good && step <= steps; step++) {
        good = training_pair_step(pair, err);
        if (good && app_train_is_told(step, steps) && (good = look(pair, err)))
            print_sides(pair);
    }
    if (good)
        print_end(pair);
    return good;
}

// --- where it is seen

// Heads that were taken away in passing are put back for the result: they belong to the training.
static bool tell_end(TrainingPair *pair, Error *err)
{
    pair->sides[0].without = pair->sides[1].without = 0;
    if (!look(pair, err))
        return false;
    print_meaning(pair);
    print_sides(pair);
    print_end(pair);
    return true;
}

// Where there is no terminal to draw on, a sentence has said so, and it goes on line by line.
static bool run_in(TrainPlace place, TrainingPair *pair, Error *err)
{
    Watched watched = {.watch = &pair->sides[0], .pair = pair};
    if (place == TRAIN_IN_WINDOW)
        return follow_in_window(&watched, err) && tell_end(pair, err);
    LoopEnd end = place == TRAIN_IN_TERMINAL ? follow_in_terminal(watched, err) : LOOP_UNOPENED;
    return end == LOOP_UNOPENED ? run_lines(pair, err)
                                : end != LOOP_BROKEN_OFF && tell_end(pair, err);
}

static bool is_same(const TrainingRecipe *a, const TrainingRecipe *b)
{
    return a->heads == b->heads && a->layers == b->layers && a->unscaled == b->unscaled &&
           a->unplaced == b->unplaced && a->unmasked == b->unmasked &&
           a->overlap_cost == b->overlap_cost;
}

int app_train_compare(const TrainingRecipe *recipe, const char *what, TrainPlace place)
{
    static TrainingPair pair; // with generators: large
    TrainingRecipe own = *recipe, other = *recipe;
    char name[32];
    Error err = {.text = ""};
    if (!read_other(what, &other))
        return app_fail(
            APP_MISUSED,
            own.grammar->repeats ? TELL(TRAIN_COMPARE_WHAT_NEXT) : TELL(TRAIN_COMPARE_WHAT), what);
    bool has_so_many = value_of(what, "heads") && other.heads == own.heads;
    if (has_so_many) // the contrast is what is asked for: one head beside two
        own.heads = other.heads == 1 ? 2 : 1;
    if (is_same(&own, &other))
        return app_fail(APP_MISUSED, TELL(TRAIN_COMPARE_SAME), what);
    if (!training_recipe_check(&other, &err))
        return app_fail(APP_MISUSED, "%s", err.text);
    if (!training_pair_open(&pair, &own, &other, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    snprintf(name, sizeof name, "%s %d", "heads", own.heads);
    pair.names[0] = has_so_many ? name : TELL(TRAIN_COMPARE_RECIPE);
    pair.names[1] = what;
    bool good = training_pair_begin(&pair, &err) && run_in(place, &pair, &err);
    training_pair_close(&pair);
    return app_result(good, &err);
}
