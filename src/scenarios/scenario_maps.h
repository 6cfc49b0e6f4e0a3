// Attention maps that another model has computed, as a scenario: weights are given, and the steps behind
// them are the mean of each layer's heads and attention rollout (map_mean.c, map_residual.c, rollout.c).
//
// A file (tensor_file.h) has one tensor or one for each layer, in the order of their names, numbers in
// them as numbers. "FILE#NAME" is one of several sets. Its axes, unless the request says others:
//
//   one tensor           (Lq, Lk), (H, Lq, Lk), (layers, H, Lq, Lk), (layers, B, H, Lq, Lk)
//   one for each layer   (Lq, Lk), (H, Lq, Lk), (B, H, Lq, Lk), as transformers' output_attentions
#ifndef SCENARIO_MAPS_H
#define SCENARIO_MAPS_H

#include "scenario.h"

typedef struct MapsRequest {
    const char *file;  // "maps.npz", "maps.npz#attn_weights"
    const char *words; // of the keys, blanks between; NULL: those in the file. Where queries are
                       // as many and have none of their own, theirs too
    const char *query_words; // of the queries; NULL: none of their own
    const char *axes;        // "layers,B,H,Q,K"; NULL: as above
    bool has_batch;          // the first axis of three or four is the batch
    ptrdiff_t batch;         // and this sequence of it is shown
} MapsRequest;

// False with a sentence: a file that cannot be read, tensors that are no maps, another number of words.
// What was assumed of axes, words and rows that do not sum to 1 is told in scenario->note; the latter are
// counted in scenario->odd_rows. Where no query gives anything to a key behind it, the mask is taken for
// causal.
bool scenario_of_maps(Scenario *scenario, const MapsRequest *request, Error *err);

#endif
