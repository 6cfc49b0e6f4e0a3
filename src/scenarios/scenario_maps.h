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

#include "arena.h"
#include "scenario.h"
#include "tensor.h"
#include "tensor_file.h"

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

// --- the tensors of a file as one stack of maps (maps_file.c)

typedef struct MapsRead {
    Tensor maps;       // (layers, H, Lq, Lk), float32, none of them 0
    const char *from;  // which tensors these are
    const char *label; // of their set
    const char *note;  // what was assumed; NULL: nothing
    ptrdiff_t batch;   // which sequence
    FileWords *words;  // beside them in the file
    int words_count;
} MapsRead;

// All in the arena. False with a sentence.
bool maps_file_read(const MapsRequest *request, Arena *arena, MapsRead *out, Error *err);

// Whether every row sums to 1; rows of zeros or NaN, of what was masked, do not count.
bool maps_are_shares(const Tensor *tensor);

#endif
