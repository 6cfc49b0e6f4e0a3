// NumPy's .npz: a zip archive in which every entry NAME.npy is a tensor. Read with libzip from
// untrusted bytes: no more is inflated than the shape in an entry's own header asks for.
#ifndef NPZ_H
#define NPZ_H

#include "arena.h"
#include "error.h"
#include "raw_numbers.h"
#include "tensor.h"
#include "tensor_file.h"

typedef struct Npz Npz; // in the arena; npz_close gives back what is not

// The archive at `path`; or bytes in memory, which must outlive it and which `name` names in
// messages. NULL with a sentence.
Npz *npz_open(const char *path, Arena *arena, Error *err);
Npz *npz_open_bytes(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
                    Error *err);
void npz_close(Npz *npz);

// The names in the order of the entries, without ".npy" (NULL-terminated); entries that do not end
// in .npy are no tensors and left out.
const char **npz_names(const Npz *npz, int *count);

// The tensor of names[number].
bool npz_read(Npz *npz, int number, Arena *arena, Tensor *out, Error *err);

// The words of names[number]; words->words is NULL where it holds none, or cannot be read. False without
// memory.
bool npz_words(const Npz *npz, int number, Arena *arena, FileWords *words, Error *err);

// How the tensor that was read last is stored.
RawKind npz_kind(const Npz *npz);

// Writes the archive at `path`, uncompressed and without times: equal tensors give equal bytes.
bool npz_write(const char *path, const NamedTensor tensors[], int count, const FileNote notes[],
               Error *err);

#endif
