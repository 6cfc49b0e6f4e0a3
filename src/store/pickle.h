// What a state dict of PyTorch says about its tensors: a pickle, read without running anything.
//
// A pickle is a program for a small stack machine that makes Python objects. The machine here makes
// numbers, texts, tuples, lists, dicts and tensors that lie elsewhere, and knows by name the few
// functions that torch.save calls for those. Whatever else a pickle calls is refused in a sentence
// that names it. Nothing grows faster than the bytes that are read.
// Source: pickletools.py of CPython (the opcodes), torch/serialization.py and torch/_utils.py.
#ifndef PICKLE_H
#define PICKLE_H

#include "arena.h"
#include "error.h"
#include "raw_numbers.h"
#include "tensor_file.h"

enum { PICKLE_BYTES_MAX = 16 * 1024 * 1024 };

// A tensor: a strided view of a storage, which is an entry of the archive.
typedef struct PickledTensor {
    const char *name; // keys from the outermost dict on, joined by dots; "": the tensor is all
    const char *key;  // which storage
    const char *type; // "FloatStorage"
    RawKind kind;     // RAW_OTHER: not read
    size_t storage_count;
    size_t offset; // in elements; like all of these not yet held against the storage
    int rank;      // -1: more axes than are read
    ptrdiff_t shape[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX];
} PickledTensor;

typedef struct Pickled {
    PickledTensor *tensors; // in the order of the dicts
    int count;
    FileWords *words; // lists and tuples of texts alone
    int words_count;
} Pickled;

// Everything in the arena. The sentence says "it": the caller names the bytes in front.
bool pickle_tensors(const unsigned char *bytes, size_t length, Arena *arena, Pickled *out,
                    Error *err);

#endif
