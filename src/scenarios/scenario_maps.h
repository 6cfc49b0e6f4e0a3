// Attention maps that another model has computed, as a scenario: weights are given, and the steps behind
// them are the mean of each layer's heads and attention rollout (map_mean.c, map_residual.c, rollout.c).
//
// A file (tensor_file.h) has one tensor (H, Lq, Lk), (layers, H, Lq, Lk) or (layers, 1, H, Lq, Lk); or a
// tensor (H, Lq, Lk) or (1, H, Lq, Lk) for each layer, in the order of their names, numbers in them as
// numbers. "FILE#NAME" is one tensor of many.
#ifndef SCENARIO_MAPS_H
#define SCENARIO_MAPS_H

#include "scenario.h"

typedef struct MapsRequest {
    const char *file; // "maps.npz", "maps.npz#attn_weights"
    const char
        *words; // of the keys, blanks between; NULL: none. Where queries are as many, theirs too
} MapsRequest;

// False with a sentence: a file that cannot be read, tensors that are no maps, another number of words.
// Rows that do not sum to 1 are told in scenario->note and counted in scenario->odd_rows. Where no query
// gives anything to a key behind it, the mask is taken for causal.
bool scenario_of_maps(Scenario *scenario, const MapsRequest *request, Error *err);

#endif
