// The formats of several tensors: what tensor_file.c is made of. npy.h has the format of one.
#ifndef TENSOR_FORMATS_H
#define TENSOR_FORMATS_H

#include "arena.h"
#include "error.h"
#include "raw_numbers.h"
#include "tensor.h"
#include "tensor_file.h"

// --- .npz
//
// NumPy's .npz: a zip archive in which every entry NAME.npy is a tensor. Read with libzip from
// untrusted bytes: no more is inflated than the shape in an entry's own header asks for.

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

// --- .safetensors
//
// Hugging Face's .safetensors: a JSON header with every tensor's dtype, shape and place, then the
// bytes. Read from untrusted bytes with jansson.
//
// Checked when opened: the header's length, no name twice, every place inside the file and exactly
// as large as its shape asks for, no overlap, no hole. The header's length need not be a multiple
// of 8, nor a place a multiple of its element's size: bytes are decoded, never cast.
// Source: the format section of the README of github.com/huggingface/safetensors.

typedef struct Safetensors Safetensors; // in the arena; safetensors_close gives back what is not

// The file at `path`; or bytes in memory, which must outlive it and which `name` names in messages.
// NULL with a sentence.
Safetensors *safetensors_open(const char *path, Arena *arena, Error *err);
Safetensors *safetensors_open_bytes(const unsigned char *bytes, size_t length, const char *name,
                                    Arena *arena, Error *err);
void safetensors_close(Safetensors *file);

// The names in file order (NULL-terminated).
const char **safetensors_names(const Safetensors *file, int *count);

// The tensor of names[number]: F32, I64 and BOOL as they are, I32 and U8 as int64, F16, BF16 and F64
// as float32. Others are refused, with what to do, only here.
bool safetensors_read(Safetensors *file, int number, Arena *arena, Tensor *out, Error *err);

// How it is stored.
RawKind safetensors_kind(const Safetensors *file, int number);

// Its shape, without reading it; false where it has more axes than are read.
bool safetensors_shape(const Safetensors *file, int number, int *rank,
                       ptrdiff_t shape[TENSOR_RANK_MAX]);

// The words in __metadata__, whose values are texts: a list of texts in JSON, a list of such lists, which
// become "tokens.0" and so on, or words with blanks between. False without memory.
bool safetensors_words(const Safetensors *file, Arena *arena, FileWords **lists, int *count,
                       Error *err);

// Writes in the format's canonical order (wide elements first, then by name), header padded with
// spaces to a multiple of 8. Equal tensors give equal bytes.
bool safetensors_write(const char *path, const NamedTensor tensors[], int count,
                       const FileNote notes[], Error *err);

// --- PyTorch
//
// PyTorch's .pt, .pth, .bin and .ckpt, as torch.save writes them. Since version 1.6: a zip archive of a
// pickle, which says what there is (pickle.h), and of an entry for each storage. Before: pickles one
// behind another, and then the storages. Read from untrusted bytes; nothing of the pickle is run.
// Source: torch/serialization.py, _legacy_save and _legacy_load.
//
// Opening reads the pickle alone; a storage is read when one of its tensors is asked for.

typedef struct Pt Pt; // in the arena; pt_close gives back what is not

// The file at `path`; or bytes in memory, which must outlive it and which `path` names in messages.
// NULL with a sentence.
Pt *pt_open(const char *path, Arena *arena, Error *err);
Pt *pt_open_bytes(const unsigned char *bytes, size_t length, const char *path, Arena *arena,
                  Error *err);
void pt_close(Pt *pt);

// The names in the order of the dicts (NULL-terminated); "" where the file is one tensor.
const char **pt_names(const Pt *pt, int *count);

// The tensor of names[number], with the strides that it has in PyTorch.
bool pt_read(Pt *pt, int number, Arena *arena, Tensor *out, Error *err);

// The lists of texts beside the tensors.
FileWords *pt_words(const Pt *pt, int *count);

// How it is stored.
RawKind pt_kind(const Pt *pt, int number);

// Its shape, without reading it; false where it has more axes than are read.
bool pt_shape(const Pt *pt, int number, int *rank, ptrdiff_t shape[TENSOR_RANK_MAX]);

// A whole number beside the tensors ("model_args.n_head"); false where there is none.
bool pt_number(const Pt *pt, const char *name, int64_t *number);

// The classes of objects beside the tensors, which are not read; or those of modules that were pickled
// whole, whose tensors are. "" where there are none, NULL when memory is short.
const char *pt_beside(const Pt *pt, bool modules, Arena *arena, Error *err);

// Whether a file begins as those of before version 1.6.
bool pt_is_old(const unsigned char *bytes, size_t length);

#endif
