// What a training is asked to be; see app_train.h.
#include "app_train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "scenario_file.h"
#include "training_scenario.h"
#include "app_words.h"

// What an option may be: whole numbers, or any.
typedef struct Range {
    const char *name;
    double least, most;
    enum { WHOLE, ANY, ABOVE } kind; // ABOVE: the least is not one of them
} Range;

static bool holds(const Range *range, double number)
{
    bool is_in = number >= range->least && number <= range->most;
    return is_in && (range->kind != ABOVE || (float)number > (float)range->least) &&
           (range->kind != WHOLE || number == floor(number));
}

static bool read_number(Range range, const char *text, double *out)
{
    char *rest;
    if (!text)
        return true;
    *out = strtod(text, &rest);
    if (*text && *rest == '\0' && holds(&range, *out))
        return true;
    app_fail(APP_MISUSED,
             range.kind == WHOLE   ? TELL(TRAIN_NUMBER_WHOLE)
             : range.kind == ABOVE ? TELL(TRAIN_NUMBER_ABOVE)
                                   : TELL(TRAIN_NUMBER),
             range.name, range.least, range.most, text);
    return false;
}

static bool read_optimizer(const char *name, TrainingRecipe *recipe)
{
    recipe->is_sgd = name && strcmp(name, "sgd") == 0;
    if (recipe
            ->is_sgd) { // it learns slowly, and what the overlap costs would be all that it learns
        recipe->rate = 0.03f;
        recipe->overlap_cost = recipe->decay = 0.0f;
    }
    if (!name || recipe->is_sgd || strcmp(name, "adam") == 0)
        return true;
    app_fail(APP_MISUSED, TELL(TRAIN_OPTIMIZER), name);
    return false;
}

// The model of a scenario, where one is named: its weights are what is still to be learned.
static bool read_scenario(const AppOptions *options, TrainingRecipe *recipe, Error *err)
{
    Scenario scenario;
    ScenarioRequest request = options->request;
    request.shape_only = true;
    if (!request.what && request.set_count > 0)
        return error_set(err, TELL(TRAIN_SET_ALONE));
    if (!request.what)
        return true;
    if (!scenario_open(&scenario, &request, err))
        return false;
    bool good = training_recipe_of(&scenario, recipe, err);
    scenario_finish(&scenario);
    return good;
}

static bool read_options(const AppOptions *options, TrainingRecipe *recipe)
{
    if (!read_optimizer(options->optimizer, recipe))
        return false;
    double steps = (double)recipe->steps, seed = 0, rate = (double)recipe->rate,
           heads = recipe->heads, overlap = (double)recipe->overlap_cost,
           decay = (double)recipe->decay;
    if (!read_number((Range){"steps", 0, 1e6, WHOLE}, options->steps, &steps) ||
        !read_number((Range){"seed", 0, 4294967295.0, WHOLE}, options->seed, &seed) ||
        !read_number((Range){"rate", 0, 1e9, ABOVE}, options->rate, &rate) ||
        !read_number((Range){"overlap", 0, 1e6, ANY}, options->overlap, &overlap) ||
        !read_number((Range){"decay", 0, 1, ANY}, options->decay, &decay) ||
        !read_number((Range){"heads", 1, MEASURE_HEADS_MAX, WHOLE}, options->heads, &heads))
        return false;
    recipe->steps = (int64_t)steps;
    recipe->seed = (uint64_t)seed;
    recipe->rate = (float)rate;
    recipe->heads = (int)heads;
    recipe->overlap_cost = (float)overlap;
    recipe->decay = (float)decay;
    recipe->threads = options->threads;
    return true;
}

bool app_train_recipe(const AppOptions *options, TrainingRecipe *recipe, int *code)
{
    Error err = {.text = ""};
    *recipe = training_recipe();
    *code = APP_MISUSED;
    if (!read_scenario(options, recipe, &err)) {
        *code = app_fail(APP_FAILED, "%s", err.text);
        return false;
    }
    if (!read_options(options, recipe))
        return false;
    return training_recipe_check(recipe, &err) || app_fail(APP_MISUSED, "%s", err.text) == APP_DONE;
}
