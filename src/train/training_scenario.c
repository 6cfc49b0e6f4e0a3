// training_scenario: see training_scenario.h.
#include "training_scenario.h"

#include <math.h>
#include <string.h>
#include "stage_option.h"
#include "train_words.h"

// --- what is asked

static bool check_questions(const Scenario *scenario, Error *err)
{
    if (!scenario->questions)
        return error_set(err, TELL(TRAIN_NO_TARGET), scenario->name);
    for (ptrdiff_t q = 0; q < scenario->size[SYMBOL_Q]; q++)
        if (q >= QUESTION_COUNT || strcmp(scenario->questions[q], question_names[q]) != 0)
            return error_set(err, TELL(TRAIN_QUESTIONS), scenario->name, scenario->questions[q]);
    return scenario->size[SYMBOL_Q] == QUESTION_COUNT ||
           error_set(err, TELL(TRAIN_QUESTIONS_FEW), scenario->name,
                     question_names[scenario->size[SYMBOL_Q]]);
}

// Texts are drawn from the grammar, so that its words are those that are learned, in its order.
static bool check_words(const Scenario *scenario, Error *err)
{
    ptrdiff_t count = scenario->vocabulary ? scenario->size[SYMBOL_V] : 0;
    for (ptrdiff_t w = 0; w < GRAMMAR_WORDS; w++)
        if (w >= count || strcmp(scenario->vocabulary[w], grammar_words[w]) != 0)
            return error_set(err, TELL(TRAIN_WORDS), scenario->name, w + 1, grammar_words[w],
                             GRAMMAR_WORDS);
    return count == GRAMMAR_WORDS || error_set(err, TELL(TRAIN_WORDS_MANY), scenario->name,
                                               GRAMMAR_WORDS, scenario->vocabulary[GRAMMAR_WORDS]);
}

// --- what learns

// Every option with a key of its own is as where nobody says anything of it.
static bool check_options(const Scenario *scenario, Error *err)
{
    StageOptions usual = scenario->options;
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)); i++)
        if (option->section) {
            stage_option_set(option, &usual, option->usual);
            if (stage_option_differs(option, &usual, &scenario->options))
                return error_set(err, TELL(TRAIN_PART), scenario->name, option->section,
                                 option->name);
        }
    if (scenario->options.learned_position)
        return error_set(err, TELL(TRAIN_PART), scenario->name, "model", "position=learned");
    if (scenario->options.causal)
        return error_set(err, TELL(TRAIN_PART), scenario->name, "attention", "mask=causal");
    return !scenario->with_dropout ||
           error_set(err, TELL(TRAIN_PART), scenario->name, "attention", "dropout");
}

static bool is_learned(const char *role)
{
    for (WeightNumber i = 0; i < WEIGHT_COUNT; i++)
        if (strcmp(role, weight_names[i]) == 0)
            return true;
    return false;
}

// Its weights are those that learn, each by itself.
static bool check_weights(const Scenario *scenario, Error *err)
{
    for (WeightNumber i = 0; i < WEIGHT_COUNT; i++)
        if (!scenario_tensor(scenario, weight_names[i]))
            return error_set(err, TELL(TRAIN_LACKS), scenario->name, weight_names[i]);
    for (int i = 0; i < scenario->tensor_count; i++) {
        const ScenarioTensor *tensor = &scenario->tensors[i];
        bool is_weight = tensor->tensor.dtype == DTYPE_F32;
        if (is_weight && (!is_learned(tensor->role) || strcmp(tensor->role, tensor->name) != 0))
            return error_set(err, TELL(TRAIN_HAS), scenario->name, tensor->name);
    }
    return true;
}

static bool check_shape(const Scenario *scenario, Error *err)
{
    const ptrdiff_t *size = scenario->size, width = size[SYMBOL_DIN];
    bool is_square = size[SYMBOL_DK] == width && size[SYMBOL_DV] == width &&
                     size[SYMBOL_DOUT] == width && scenario->has_heads;
    if (!is_square || width > INT16_MAX)
        return error_set(err, TELL(TRAIN_SQUARE), scenario->name);
    bool is_usual = scenario->options.scale == sqrtf((float)size[SYMBOL_D_K]);
    return !scenario->scaled || is_usual || error_set(err, TELL(TRAIN_SCALE), scenario->name);
}

bool training_recipe_of(const Scenario *scenario, TrainingRecipe *recipe, Error *err)
{
    if (!check_questions(scenario, err) || !check_words(scenario, err) ||
        !check_options(scenario, err) || !check_weights(scenario, err) ||
        !check_shape(scenario, err))
        return false;
    recipe->width = (int)scenario->size[SYMBOL_DIN];
    recipe->heads = (int)scenario->size[SYMBOL_H];
    recipe->unscaled = !scenario->scaled;
    recipe->unplaced = !scenario->with_position;
    return true;
}
