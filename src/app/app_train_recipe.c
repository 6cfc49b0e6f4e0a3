// What a training is asked to be; see app_train.h.
#include "app_train.h"

#include <stdlib.h>
#include <string.h>
#include "scenario_file.h"
#include "training_scenario.h"
#include "app_words.h"

static bool read_number(const char *name, const char *text, double most, double *out)
{
    char *rest;
    if (!text)
        return true;
    *out = strtod(text, &rest);
    if (*text && *rest == '\0' && *out >= 0.0 && *out <= most)
        return true;
    app_fail(APP_MISUSED, TELL(TRAIN_NUMBER), name, most, text);
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
    if (!read_number("steps", options->steps, 1e6, &steps) ||
        !read_number("seed", options->seed, 4294967295.0, &seed) ||
        !read_number("rate", options->rate, 1e9, &rate) ||
        !read_number("overlap", options->overlap, 1e6, &overlap) ||
        !read_number("decay", options->decay, 1.0, &decay) ||
        !read_number("heads", options->heads, MEASURE_HEADS_MAX, &heads))
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
    if (read_scenario(options, recipe, &err))
        return read_options(options, recipe);
    *code = app_fail(APP_FAILED, "%s", err.text);
    return false;
}
