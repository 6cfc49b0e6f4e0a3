// Two trainings beside each other; see app_train.h.
#include "app_train.h"

#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "app_words.h"
#include "tui.h"
#include "train_screen.h"
#include "utf8.h"

// What stands behind the name of a field and a blank; NULL where it is another field.
static const char *value_of(const char *what, const char *field)
{
    size_t length = strlen(field);
    return strncmp(what, field, length) == 0 && what[length] == ' ' ? what + length + 1 : NULL;
}

// The recipe with one thing different; false where that is nothing known.
static bool read_other(const char *what, TrainingRecipe *other)
{
    const char *scale = value_of(what, "scale"), *position = value_of(what, "position");
    const char *heads = value_of(what, "heads"), *overlap = value_of(what, "overlap");
    bool is_free = overlap && strcmp(overlap, "none") == 0;
    other->unscaled = scale && strcmp(scale, "none") == 0;
    other->unplaced = position && strcmp(position, "none") == 0;
    if (is_free)
        other->overlap_cost = 0.0f;
    if (!heads)
        return other->unscaled || other->unplaced || is_free;
    char *rest;
    long number = strtol(heads, &rest, 10);
    other->heads = (int)number;
    return *rest == '\0' && number >= 1 && number <= MEASURE_HEADS_MAX;
}

static void print_name(const char *name)
{
    enum { NAME_COLUMNS = 15 };
    int left = NAME_COLUMNS - utf8_width(name);
    printf("%s%*s", name, left > 0 ? left : 0, "");
}

static void print_side(const TrainingPair *pair, int side)
{
    const TrainingWatch *watch = &pair->sides[side];
    print_name(pair->names[side]);
    if (watch->state == WATCH_BROKE_OFF) {
        printf(TELL(TRAIN_COMPARE_BROKE), watch->broken.text);
        return;
    }
    app_train_print_loss(&watch->training);
    printf(TELL(TRAIN_RIGHT));
    for (int q = 0; q < QUESTION_COUNT; q++)
        printf("  %s %.3f", question_names[q], watch->measure.right[q]);
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
    const TrainingWatch *watch = &pair->sides[side];
    const Measure *measure = &watch->measure;
    if (watch->state == WATCH_BROKE_OFF)
        return;
    printf("%s\n", pair->names[side]);
    for (int q = 0; q < QUESTION_COUNT; q++) {
        int own = measure->owner[q];
        printf(TELL(TRAIN_COMPARE_HEAD), question_names[q], measure->right[q], own,
               measure->mass[q][own], measure->right_without[q][own]);
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
    printf(TELL(TRAIN_COMPARE_MEANS));
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

// --- in a terminal

enum { FRAME_MILLISECONDS = 20 }; // for keys, between two frames

static void draw(void *context, Cells *cells)
{
    train_pair_screen_draw(context, cells);
}

static bool hear(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    TrainingPair *pair = context;
    (void)cells;
    if (event->kind == TERMINAL_KEY)
        return training_pair_press(pair, event->key, err);
    return event->kind != TERMINAL_TIME || training_pair_frame(pair, err);
}

static bool is_over(const void *context)
{
    const TrainingPair *pair = context;
    return pair->sides[0].left;
}

static LoopWants wants(void *context)
{
    const TrainingPair *pair = context;
    bool runs = training_pair_runs(pair) && !pair->sides[0].shows_help;
    return (LoopWants){.beside = -1, .milliseconds = runs ? FRAME_MILLISECONDS : -1};
}

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
static bool run_live(TrainingPair *pair, Error *err)
{
    static const LoopView view = {.draw = draw, .hear = hear, .is_over = is_over, .wants = wants};
    LoopEnd end = loop_run(&view, pair, err);
    if (end == LOOP_UNOPENED)
        return run_lines(pair, err);
    return end != LOOP_BROKEN_OFF && tell_end(pair, err);
}

// --- in a window

static bool run_window(TrainingPair *pair, Error *err)
{
    return app_train_window_pair(pair, err) && tell_end(pair, err);
}

static bool run_in(TrainPlace place, TrainingPair *pair, Error *err)
{
    return place == TRAIN_IN_WINDOW     ? run_window(pair, err)
           : place == TRAIN_IN_TERMINAL ? run_live(pair, err)
                                        : run_lines(pair, err);
}

int app_train_compare(const TrainingRecipe *recipe, const char *what, TrainPlace place)
{
    static TrainingPair pair; // with generators: large
    TrainingRecipe other = *recipe;
    Error err = {.text = ""};
    if (!read_other(what, &other))
        return app_fail(APP_MISUSED, TELL(TRAIN_COMPARE_WHAT), what);
    if (!training_recipe_check(&other, &err))
        return app_fail(APP_MISUSED, "%s", err.text);
    if (!training_pair_open(&pair, recipe, &other, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    pair.names[0] = TELL(TRAIN_COMPARE_RECIPE);
    pair.names[1] = what;
    bool good = training_pair_begin(&pair, &err) && run_in(place, &pair, &err);
    training_pair_close(&pair);
    return good ? app_finish_output() : app_fail(APP_FAILED, "%s", err.text);
}
