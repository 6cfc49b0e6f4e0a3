// Files of named tensors: .npz, .safetensors, PyTorch's .pt, .pth, .bin and .ckpt, and .npy as a file
// with one tensor of no name. A checkpoint in several files is one such file.
//
// Reading is lazy: opening lists the names; a tensor's bytes are read when asked for. Untrusted
// bytes: every offset, size and name is checked, compressed sizes are bounded.
#ifndef TENSOR_FILE_H
#define TENSOR_FILE_H

#include <stdint.h>
#include "arena.h"
#include "error.h"
#include "tensor.h"

typedef struct TensorFile TensorFile; // in the arena; tensor_file_close gives back what is not

// Whether a path ends as such a file's does, or as one that is named as what it is when it is opened; or
// whether there is a file that begins as one does, or a folder with one.
bool tensor_file_is(const char *path);

// The path of the file of weights in a folder, under the names that models are published with. What is
// no folder stays as it is. NULL with a sentence.
const char *tensor_file_in(const char *path, Arena *arena, Error *err);

// By what it begins with, then by its ending. A shard opens all that it is one of. NULL with a sentence.
TensorFile *tensor_file_open(const char *path, Arena *arena, Error *err);

// Opens bytes in memory, which must outlive the file; `name` names them in messages and ends as
// such a file's.
TensorFile *tensor_file_open_bytes(const unsigned char *bytes, size_t length, const char *name,
                                   Arena *arena, Error *err);
void tensor_file_close(TensorFile *file);

// The names inside, in file order; "" for .npy.
int tensor_file_count(const TensorFile *file);
const char *tensor_file_name(const TensorFile *file, int number);

// Reads one tensor into the arena. A missing name is refused with the nearest one there is, if that is
// a misspelling of it.
bool tensor_file_read(TensorFile *file, const char *name, Arena *arena, Tensor *out, Error *err);

// Whether what is asked for by a name is stored under another one: LayerNorm.gamma and beta are older names
// of LayerNorm.weight and bias, which are found under either.
bool tensor_file_same_name(const char *name, const char *stored);

// A tensor's shape, which most formats tell without reading it. False with a sentence.
bool tensor_file_shape(TensorFile *file, const char *name, Arena *arena, int *rank,
                       ptrdiff_t shape[TENSOR_RANK_MAX], Error *err);

// A whole number that lies beside the tensors ("model_args.n_head"); false where there is none.
bool tensor_file_number(const TensorFile *file, const char *name, int64_t *number);

// What a person should know of a file that is open: what lies beside the tensors and is not read, which
// shards are missing. Up to three sentences, NULL-terminated. False when memory is short.
bool tensor_file_notes(const TensorFile *file, Arena *arena, const char *notes[4], Error *err);

// What became of the numbers of the tensor that was read last ("float16, widened to float32"); NULL
// where they are as the file has them.
const char *tensor_file_conversion(const TensorFile *file);

// Words beside the tensors: an array of texts in .npz and .npy, a list of texts in .pt, or in the metadata
// of .safetensors.
typedef struct FileWords {
    const char *name;         // as a tensor's
    const char *const *words; // UTF-8: words[row * columns + column]
    ptrdiff_t rows, columns;
} FileWords;

// All of them, in the arena. What cannot be read is left out: words are an extra. False without memory.
bool tensor_file_words(TensorFile *file, Arena *arena, FileWords **lists, int *count, Error *err);

// A tensor to be written.
typedef struct NamedTensor {
    const char *name;
    Tensor tensor;
} NamedTensor;

// Writes .npz or .safetensors by ending, to a new file beside the target which then takes its name,
// so that a full disk or a killed program never leaves half a file. int64, float32, bool.
bool tensor_file_write(const char *path, const NamedTensor tensors[], int count, Error *err);

// Whether tensors can be written to a path, asked before a long work that ends with that: its ending is
// known, and a new file can begin beside it. Nothing stays there.
bool tensor_file_try(const char *path, Error *err);

// What a file says of itself: __metadata__ of a .safetensors, lines of the comment of an .npz.
typedef struct FileNote {
    const char *name, *text; // UTF-8
} FileNote;

// The same with notes, up to one without a name.
bool tensor_file_write_noted(const char *path, const NamedTensor tensors[], int count,
                             const FileNote notes[], Error *err);

#endif
