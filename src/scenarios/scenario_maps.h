// Attention maps of another program as a scenario: the weights are given; the steps after them are the mean over each
// layer's heads and attention rollout (stages/rollout.c).
//
// A file (tensor_file.h) has one tensor, or one per layer, ordered by name with numbers compared as numbers.
// "FILE#NAME" selects one of several sets. The axes, unless the request gives others:
//
//   one tensor       (Lq, Lk), (H, Lq, Lk), (layers, H, Lq, Lk), (layers, B, H, Lq, Lk)
//   one per layer    (Lq, Lk), (H, Lq, Lk), (B, H, Lq, Lk), as transformers' output_attentions
#ifndef SCENARIO_MAPS_H
#define SCENARIO_MAPS_H

#include "arena.h"
#include "scenario.h"
#include "tensor.h"
#include "tensor_file.h"

typedef struct MapsRequest {
    const char *file;        // "maps.npz", "maps.npz#attn_weights"
    const char *words;       // of the keys, separated by blanks; NULL: those in the file
    const char *query_words; // NULL: those of the keys, if there are as many
    const char *axes;        // "layers,B,H,Q,K"; NULL: see above
    bool has_batch;          // the first of three or four axes is the batch
    ptrdiff_t batch;         // the sequence to show
} MapsRequest;

// Returns false and sets err if the file is unreadable, its tensors are not maps, or the number of words is wrong.
// scenario->note lists assumptions about axes and words, and rows that do not sum to 1, which scenario->odd_rows counts.
// Assumes a causal mask if no query attends to later keys.
bool scenario_of_maps(Scenario *scenario, const MapsRequest *request, Error *err);

// --- a file's tensors as one stack of maps (maps_file.c)

typedef struct MapsRead {
    Tensor maps;       // (layers, H, Lq, Lk), float32, none of them 0
    const char *from;  // names of the tensors
    const char *label; // of the set
    const char *note;  // assumptions; NULL: none
    ptrdiff_t batch;   // the sequence
    FileWords *words;  // other words in the file
    int words_count;
} MapsRead;

// Results live in the arena. Returns false and sets err on failure.
bool maps_file_read(const MapsRequest *request, Arena *arena, MapsRead *out, Error *err);

// True if every row sums to 1; ignores masked rows (zeros or NaN).
bool maps_are_shares(const Tensor *tensor);

#endif
