// Files of named tensors: .npz, .safetensors, PyTorch's .pt, .pth, .bin and .ckpt; .npy counts as a file with
// one unnamed tensor, a checkpoint in several files as one.
//
// Opening reads the names; a tensor's bytes are read on request. Files are untrusted: every offset, size and
// name is checked, and decompression is bounded.
#ifndef TENSOR_FILE_H
#define TENSOR_FILE_H

#include <stdint.h>
#include "arena.h"
#include "error.h"
#include "tensor.h"

typedef struct TensorFile TensorFile; // in the arena; tensor_file_close frees the rest

// True if a path has the extension of such a file, or is a file with such a beginning, or a folder with one.
bool tensor_file_is(const char *path);

// The weights file in a folder, by the usual names. Other paths are returned unchanged. NULL and err if there
// is none.
const char *tensor_file_in(const char *path, Arena *arena, Error *err);

// Detects the format by content, then by extension. Opens all shards. NULL and err on failure.
TensorFile *tensor_file_open(const char *path, Arena *arena, Error *err);

void tensor_file_close(TensorFile *file);

// The names in file order; "" for .npy.
int tensor_file_count(const TensorFile *file);
const char *tensor_file_name(const TensorFile *file, int number);

// Reads a tensor into the arena. For an unknown name, err suggests a similar one.
bool tensor_file_read(TensorFile *file, const char *name, Arena *arena, Tensor *out, Error *err);

// True if `stored` is another spelling of `name`: LayerNorm.gamma and beta are older names of LayerNorm.weight
// and bias.
bool tensor_file_same_name(const char *name, const char *stored);

// Orders names, digits by their value: "layer.2" before "layer.10". Names that differ in leading zeros are equal.
int tensor_file_compare_names(const char *left, const char *right);

// Reads only a tensor's shape, if the format allows. Returns false and sets err on failure.
bool tensor_file_shape(TensorFile *file, const char *name, Arena *arena, int *rank,
                       ptrdiff_t shape[TENSOR_RANK_MAX], Error *err);

// An integer stored next to the tensors ("model_args.n_head"); false if there is none.
bool tensor_file_number(const TensorFile *file, const char *name, int64_t *number);

// Up to three remarks about the file, NULL-terminated: what else it holds, which shards are missing. Returns
// false and sets err without memory.
bool tensor_file_notes(const TensorFile *file, Arena *arena, const char *notes[4], Error *err);

// How the last tensor was converted ("float16, widened to float32"), or NULL.
const char *tensor_file_conversion(const TensorFile *file);

// Words stored next to the tensors: string arrays in .npz and .npy, string lists in .pt or in the metadata of
// .safetensors.
typedef struct FileWords {
    const char *name;         // as a tensor's
    const char *const *words; // UTF-8: words[row * columns + column]
    ptrdiff_t rows, columns;
} FileWords;

// Reads all of them into the arena, skipping unreadable ones. Returns false without memory.
bool tensor_file_words(TensorFile *file, Arena *arena, FileWords **lists, int *count, Error *err);

typedef struct NamedTensor {
    const char *name;
    Tensor tensor;
} NamedTensor;

// Writes .npz or .safetensors, by extension, atomically. int64, float32, bool.
bool tensor_file_write(const char *path, const NamedTensor tensors[], int count, Error *err);

// Tests, before long work, whether tensors can be written to a path: its extension, and a new file next to
// it. Leaves nothing there.
bool tensor_file_try(const char *path, Error *err);

// Metadata: __metadata__ of a .safetensors, lines of the comment of an .npz.
typedef struct FileNote {
    const char *name, *text; // UTF-8
} FileNote;

// The same with metadata, up to an entry without a name.
bool tensor_file_write_noted(const char *path, const NamedTensor tensors[], int count,
                             const FileNote notes[], Error *err);

#endif
