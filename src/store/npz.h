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

// NULL with a sentence. `names` (without ".npy", NULL-terminated, in the arena) and `count` are
// filled; entries that do not end in .npy are no tensors and left out.
Npz *npz_open(const char *path, Arena *arena, const char ***names, int *count, Error *err);

// The same of bytes in memory, which must outlive the archive; `name` names them in messages.
Npz *npz_open_bytes(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
                    const char ***names, int *count, Error *err);
void npz_close(Npz *npz);

// The tensor of names[number].
bool npz_read(Npz *npz, int number, Arena *arena, Tensor *out, Error *err);

// How the tensor that was read last is stored.
RawKind npz_kind(const Npz *npz);

// Writes the archive at `path`, uncompressed and without times: equal tensors give equal bytes.
bool npz_write(const char *path, const NamedTensor tensors[], int count, const FileNote notes[],
               Error *err);

#endif
