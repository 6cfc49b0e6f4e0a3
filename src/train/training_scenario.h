// The model of a scenario as one that learns: its width, its heads, and whether it has positions and a scale.
#ifndef TRAINING_SCENARIO_H
#define TRAINING_SCENARIO_H

#include "training.h"

// Puts the scenario's model (opened with shape_only) into the recipe. False, with a sentence, where it asks
// nothing that the grammar answers, or has a part that does not learn here.
bool training_recipe_of(const Scenario *scenario, TrainingRecipe *recipe, Error *err);

#endif
