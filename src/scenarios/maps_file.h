// The tensors of a file as one stack of attention maps; shared by maps_file.c, maps_file.c and
// scenario_maps.c.
#ifndef MAPS_FILE_H
#define MAPS_FILE_H

#include "arena.h"
#include "scenario_maps.h"
#include "tensor.h"
#include "tensor_file.h"

// --- the sets of a file: one tensor, or tensors whose names differ in one number

typedef struct MapsSet {
    const char *label;  // "encoder_attentions" of encoder_attentions.0, .1 ...
    const char **names; // of its tensors, numbers in their order
    int count;
    bool is_list;     // each tensor is one of a list: no axis of its own counts layers
    const char *note; // what else the file had; NULL: nothing
} MapsSet;

// --- all of it

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
