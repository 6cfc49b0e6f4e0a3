// Turns a scenario's model into a recipe: width, heads, positions and scale.
#ifndef TRAINING_SCENARIO_H
#define TRAINING_SCENARIO_H

#include "training.h"

// Writes the model of a scenario (opened with shape_only) into the recipe. Returns false and sets err if
// the grammar has no answers for its questions, or if training does not support a part of it.
bool training_recipe_of(const Scenario *scenario, TrainingRecipe *recipe, Error *err);

#endif
