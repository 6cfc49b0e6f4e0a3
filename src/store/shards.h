// One checkpoint in several files (shards), read as one: "model-00001-of-00003.safetensors" and so on,
// with an index beside them ("model.safetensors.index.json") that says which tensor lies where.
//
// Opening reads the index, or, where there is none, the names in every shard. A shard is opened when one
// of its tensors is asked for. One that is missing is an error only then.
#ifndef SHARDS_H
#define SHARDS_H

#include "arena.h"
#include "error.h"
#include "tensor_file.h"

typedef struct Shards Shards; // in the arena; shards_close gives back what is not

// Whether a path is called as an index is, or as a shard.
bool shards_is(const char *path);

// The index at `path`, or the shards that the one at `path` is one of. NULL with a sentence.
Shards *shards_open(const char *path, Arena *arena, Error *err);
void shards_close(Shards *shards);

// The names in the index's order (NULL-terminated).
const char **shards_names(const Shards *shards, int *count);

// The open file with names[number]. NULL with a sentence.
TensorFile *shards_file(Shards *shards, int number, Arena *arena, Error *err);

// Which shards are missing, in a sentence; "" where none is. NULL when memory is short.
const char *shards_missing(const Shards *shards, Arena *arena, Error *err);

#endif
