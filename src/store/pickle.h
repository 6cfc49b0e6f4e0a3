// What a state dict of PyTorch says about its tensors: a pickle, read without running anything.
//
// A pickle is a program for a small stack machine that makes Python objects. The machine here makes
// numbers, texts, tuples, lists, dicts and tensors that lie elsewhere, and knows by name the few
// functions that torch.save calls for those. Other classes become objects with a name and nothing
// more, except that a pickled nn.Module has the tensors of its state dict. A function that can run
// programs is refused. Nothing grows faster than the bytes that are read.
// Source: pickletools.py of CPython (the opcodes), torch/serialization.py and torch/_utils.py.
#ifndef PICKLE_H
#define PICKLE_H

#include <stdint.h>
#include "arena.h"
#include "error.h"
#include "tensor_file.h"
#include "tensor_formats.h"

enum { PICKLE_BYTES_MAX = 16 * 1024 * 1024 };

// A tensor: a strided view of a storage, which is an entry of the archive.
typedef struct PickledTensor {
    const char *name; // keys from the outermost dict on, joined by dots; "": the tensor is all
    const char *key;  // which storage
    const char *type; // "FloatStorage"
    RawKind kind;     // RAW_OTHER: not read
    bool is_quantized;
    size_t element_bytes; // 0: unknown
    size_t storage_count;
    size_t offset; // in elements; like all of these not yet held against the storage
    int rank;      // -1: more axes than are read
    ptrdiff_t shape[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX];
} PickledTensor;

// A whole number, named as tensors are: "model_args.n_head"; also in attributes of objects.
typedef struct PickledNumber {
    const char *name;
    int64_t number;
} PickledNumber;

// A class whose objects lie beside the tensors, and how many do.
typedef struct PickledClass {
    const char *name; // "argparse.Namespace"
    int count;
    bool is_module; // their tensors were read
} PickledClass;

typedef struct Pickled {
    PickledTensor *tensors; // in the order of the dicts
    int count;
    FileWords *words; // lists and tuples of texts alone
    int words_count;
    PickledNumber *numbers;
    int number_count;
    PickledClass *classes;
    int class_count;
    PickledTensor *storages; // all that are named, some several times
    size_t storage_count;
    size_t bytes; // of the pickle
} Pickled;

// Everything in the arena. The sentence says "it": the caller names the bytes in front.
bool pickle_tensors(const unsigned char *bytes, size_t length, Arena *arena, Pickled *out,
                    Error *err);

// The texts of NumPy's array of objects, as one row. out->words stays where they are none; false only
// without memory.
bool pickle_words(const unsigned char *bytes, size_t length, Arena *arena, FileWords *out,
                  Error *err);

#endif
