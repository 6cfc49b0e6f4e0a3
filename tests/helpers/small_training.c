// small_training: see small_training.h.
#include "small_training.h"

TrainingRecipe small_training(void)
{
    TrainingRecipe recipe = training_recipe(&grammar_english);
    recipe.batch = 5;
    recipe.width = 12;
    recipe.steps = 60;
    recipe.threads = 1;
    return recipe;
}
