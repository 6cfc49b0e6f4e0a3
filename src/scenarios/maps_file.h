// The tensors of a file as one stack of attention maps; shared by maps_file.c and scenario_maps.c.
#ifndef MAPS_FILE_H
#define MAPS_FILE_H

#include "tensor.h"
#include "arena.h"

// (layers, H, Lq, Lk), float32, none of them 0; `from` says which tensors these are. Both in the arena.
// `what` is "FILE" or "FILE#NAME". False with a sentence.
bool maps_file_read(const char *what, Arena *arena, Tensor *maps, const char **from, Error *err);

#endif
