// The formats behind tensor_file.h.
#ifndef TENSOR_FORMATS_H
#define TENSOR_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arena.h"
#include "error.h"
#include "tensor.h"
#include "tensor_file.h"

// --- numbers
//
// Numbers in files: packed, little-endian, last axis fastest. Bytes are assembled one by one, so that all
// machines agree.

// How a number is stored. In a tensor, int32 and uint8 become int64; float16, bfloat16 and float64 become
// float32, the last one rounded to nearest even. RAW_OTHER is unsupported.
typedef enum RawKind {
    RAW_OTHER,
    RAW_F32,
    RAW_I64,
    RAW_BOOL,
    RAW_I32,
    RAW_U8,
    RAW_F16,
    RAW_BF16,
    RAW_F64,
} RawKind;

// Describes the conversion ("float16, widened to float32"); NULL if there is none.
const char *raw_conversion(RawKind kind);

// The size of a shape's numbers in a file. Returns false on overflow, counting an axis of length 0 as 1, so
// that strides fit too.
bool raw_bytes_of(size_t element_bytes, int rank, const ptrdiff_t shape[], size_t *bytes);
size_t raw_element_bytes(RawKind kind);

// A tensor's bytes as stored; raw_bytes_of gives their number.
typedef struct RawNumbers {
    RawKind kind;
    const unsigned char *bytes;
    int rank;
    const ptrdiff_t *shape;
} RawNumbers;

// Makes a contiguous tensor of them in the arena. Returns false if it does not fit in memory.
bool raw_read(const RawNumbers *stored, Arena *arena, Tensor *out, Error *err);

// A little-endian number of at most 8 bytes.
uint64_t little_endian(const unsigned char *bytes, size_t count);

// Iterates over a tensor's numbers in index order.
typedef struct RawCursor {
    const Tensor *tensor;
    ptrdiff_t at[TENSOR_RANK_MAX];
    bool more;
} RawCursor;

RawCursor raw_start(const Tensor *tensor);

// Writes as many whole numbers as fit into `room` (at least 8) bytes. Returns the bytes written, 0 at the end.
// Every NaN is 7fc00000, because NaN has no sign here.
size_t raw_next(RawCursor *cursor, unsigned char *bytes, size_t room);

// --- formats

// The names of a file's tensors, in order.
typedef struct TensorList {
    const char **names; // NULL-terminated
    int count;
} TensorList;

// A format: how its files are opened and read. `state` is what `open` returns, in the arena.
typedef struct TensorFormat {
    // Opens a file and lists its tensors. NULL and err on failure.
    void *(*open)(const char *path, TensorList *list, Arena *arena, Error *err);
    void (*close)(void *state); // NULL: nothing to close

    // Reads tensor `number`. Sets `kind` to how it is stored.
    bool (*read)(void *state, int number, RawKind *kind, Arena *arena, Tensor *out, Error *err);

    // A tensor's shape; false if it has too many axes. NULL: only reading shows it.
    bool (*shape)(const void *state, int number, int *rank, ptrdiff_t shape[TENSOR_RANK_MAX]);

    // The lists of words; skips unreadable ones. Returns false without memory. NULL: there are none.
    bool (*words)(void *state, Arena *arena, FileWords **lists, int *count, Error *err);
} TensorFormat;

extern const TensorFormat npy_format, npz_format, safetensors_format, pt_format;

// --- .npy
//
// NumPy's .npy: one tensor.
//
// Reads format versions 1, 2, 3; '<f4', '<i8', '|b1' as float32, int64, bool; '<i4' and '|u1' widened to
// int64, '<f2' and '|V2' (bfloat16) to float32; '<f8' rounded to float32. C and Fortran order (as strides).
// Refuses big-endian, objects, structured types and incomplete data.
// Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".

// Reads a whole file; missing or extra bytes are errors.
bool npy_read(const unsigned char *bytes, size_t length, const char *name, Arena *arena,
              Tensor *out, Error *err);

// Writes version 1 in C order, from any strides. The bytes live in the arena.
bool npy_write(const Tensor *tensor, Arena *arena, unsigned char **bytes, size_t *length,
               Error *err);

// --- .npz
//
// NumPy's .npz: a zip archive in which every entry NAME.npy is a tensor; skips other entries. Inflates no more than an
// entry's own header asks for. Words: string arrays.

// Writes an archive, uncompressed and without dates: equal tensors give equal bytes.
bool npz_write(const char *path, const NamedTensor tensors[], int count, const FileNote notes[],
               Error *err);

// --- .safetensors
//
// Hugging Face's .safetensors: a JSON header with each tensor's dtype, shape and offsets, then the bytes.
//
// Opening checks the header's length, that names are unique, and that all offsets lie in the file, match their
// shapes, do not overlap and leave no gap. The header's length need not be a multiple of 8, nor an offset of its
// element's size: bytes are decoded, never cast.
// Reads F32, I64 and BOOL as they are, I32 and U8 as int64, F16, BF16 and F64 as float32; refuses other types with
// advice. Words: a JSON list in __metadata__, a list of lists ("tokens.0" and so on), or words separated by blanks.
// Source: the format section of the README of github.com/huggingface/safetensors.

// Writes in canonical order (wide elements first, then by name), with the header padded by spaces to a multiple
// of 8. Equal tensors give equal bytes.
bool safetensors_write(const char *path, const NamedTensor tensors[], int count,
                       const FileNote notes[], Error *err);

// --- PyTorch
//
// PyTorch's .pt, .pth, .bin and .ckpt, as torch.save writes them. Since version 1.6: a zip archive with a
// pickle of the structure (pickle.h) and an entry for each storage. Before: several pickles, then the storages.
// Source: torch/serialization.py, _legacy_save and _legacy_load.
//
// Opening reads only the pickle, reading a tensor only its storage, with its strides in PyTorch. A file that is one
// tensor has the name "". Words: the lists of strings next to the tensors.

// An integer next to the tensors ("model_args.n_head"); false if there is none.
bool pt_number(const void *state, const char *name, int64_t *number);

// The classes of other objects, which are not read; or of pickled modules, whose tensors are. "" if there are
// none, NULL without memory.
const char *pt_beside(const void *state, bool modules, Arena *arena, Error *err);

// True for a file of a version before 1.6.
bool pt_is_old(const unsigned char *bytes, size_t length);

#endif
