// Two trainings beside each other; see app_train.h.
#include "app_train.h"

#include <stdlib.h>
#include <string.h>
#include "app.h"
#include "utf8.h"
#include "app_words.h"

typedef struct Lane {
    Training training;
    const char *name;
    Error broken; // of a step that broke off
} Lane;

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
    const char *heads = value_of(what, "heads");
    other->unscaled = scale && strcmp(scale, "none") == 0;
    other->unplaced = position && strcmp(position, "none") == 0;
    if (!heads)
        return other->unscaled || other->unplaced;
    char *rest;
    long number = strtol(heads, &rest, 10);
    other->heads = (int)number;
    return *rest == '\0' && number >= 1 && number <= MEASURE_HEADS_MAX;
}

// The largest weight in a row of the document's sentence, the mean over rows and heads: near 1 where
// softmax is saturated.
static bool sharpness(const Training *training, double *mean, Error *err)
{
    TrainingBatch batch;
    if (!training_batch_open(training, 1, GRAMMAR_LENGTH_MAX, &batch, err))
        return false;
    grammar_document_text(&batch.texts[0]);
    bool good = training_batch_run(&batch, err);
    int length = batch.texts[0].length, heads = training->recipe.heads;
    double sum = 0.0;
    for (int h = 0; good && h < heads; h++)
        for (int at = 0; at < length; at++) {
            float most = 0.0f;
            for (int to = 0; to < length; to++) {
                float weight = measure_weight(&batch, 0, h, (ptrdiff_t[]){at, to});
                most = weight > most ? weight : most;
            }
            sum += (double)most;
        }
    *mean = sum / (length * heads);
    training_batch_close(&batch);
    return good;
}

static void print_name(const char *name)
{
    enum { NAME_COLUMNS = 15 };
    int left = NAME_COLUMNS - utf8_width(name);
    printf("%s%*s", name, left > 0 ? left : 0, "");
}

static bool print_lane(const Lane *lane, Error *err)
{
    const Training *training = &lane->training;
    Measure measure;
    double sharp;
    if (training->broke_off) {
        print_name(lane->name);
        printf(TELL(TRAIN_COMPARE_BROKE), lane->broken.text);
        return true;
    }
    if (!measure_training(training, 0, &measure, err) || !sharpness(training, &sharp, err))
        return false;
    print_name(lane->name);
    if (training->step > 0)
        printf(TELL(TRAIN_LOSS), (double)training->loss);
    printf(TELL(TRAIN_RIGHT));
    for (int q = 0; q < QUESTION_COUNT; q++)
        printf("  %s %.3f", question_names[q], measure.right[q]);
    printf(TELL(TRAIN_COMPARE_SHARP), sharp);
    return true;
}

static bool print_lanes(const Lane lanes[2], int64_t step, Error *err)
{
    printf(TELL(TRAIN_STEP), (long long)step);
    printf("\n");
    bool good = print_lane(&lanes[0], err) && print_lane(&lanes[1], err);
    fflush(stdout);
    return good;
}

// A step that breaks off ends that lane alone; false where the machine fails.
static bool step_lane(Lane *lane, Error *err)
{
    if (lane->training.broke_off || training_step(&lane->training, &lane->broken))
        return true;
    return lane->training.broke_off || error_set(err, "%s", lane->broken.text);
}

static bool run_lanes(Lane lanes[2], Error *err)
{
    int64_t steps = lanes[0].training.recipe.steps, step = 0;
    bool good = print_lanes(lanes, 0, err);
    while (good && step < steps) {
        step++;
        good = step_lane(&lanes[0], err) && step_lane(&lanes[1], err);
        if (good && app_train_is_told(step, steps))
            good = print_lanes(lanes, step, err);
    }
    return good;
}

int app_train_compare(const TrainingRecipe *recipe, const char *what)
{
    static Lane lanes[2]; // with generators: large
    TrainingRecipe other = *recipe;
    Error err = {.text = ""};
    if (!read_other(what, &other))
        return app_fail(APP_MISUSED, TELL(TRAIN_COMPARE_WHAT), what);
    lanes[0].name = TELL(TRAIN_COMPARE_RECIPE);
    lanes[1].name = what;
    if (!training_open(&lanes[0].training, recipe, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    bool good = training_open(&lanes[1].training, &other, &err);
    if (good) {
        good = run_lanes(lanes, &err);
        training_close(&lanes[1].training);
    }
    training_close(&lanes[0].training);
    return good ? app_finish_output() : app_fail(APP_FAILED, "%s", err.text);
}
