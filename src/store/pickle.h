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

// --- objects
//
// The objects that the machine makes, and the functions by which it makes tensors.

typedef enum PickleKind {
    PICKLE_PLAIN,  // None, a float, bytes: nothing that a tensor is made of
    PICKLE_NUMBER, // a whole number; False is 0, True is 1
    PICKLE_TEXT,
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,
    PICKLE_GLOBAL, // a function or class by its name, not called yet
    PICKLE_OBJECT, // what an unknown function or class would make
    PICKLE_STORAGE,
    PICKLE_TENSOR,
    PICKLE_MARK,
} PickleKind;

typedef struct PickleValue PickleValue;

// A place in a tuple, list or dict. In dicts keys and values take turns.
typedef struct PickleItem {
    const PickleValue *value;
    struct PickleItem *next;
} PickleItem;

struct PickleValue {
    PickleKind kind;
    int64_t number;
    const char
        *text; // of a text; of a global "torch._utils _rebuild_tensor_v2"; of an object its class
    PickleItem *first, *last; // of a tuple, list, dict or object
    size_t count;
    PickleKind filled_as;     // of a list, dict or object: what its items were put in as
    const PickleValue *pairs; // of a dict: the list of pairs that it was made of
    const PickleValue *state; // of an object: its attributes
    PickledTensor *tensor;    // of a tensor; of a storage key, type, kind and storage_count
};

// The pickle that the first bytes are, and how many bytes it has. NULL with a sentence.
const PickleValue *pickle_value(const unsigned char *bytes, size_t length, size_t *used,
                                Arena *arena, Error *err);

// --- the machine
//
// The stack machine of a pickle (pickle_machine.c).

// A list that grows.
typedef struct PickleStack {
    PickleValue **at;
    size_t count, room;
} PickleStack;

typedef struct PickleMachine {
    const unsigned char *bytes;
    size_t length, place;
    PickleStack stack, memo; // objects at hand, and those that are used again
    PickleStack storages;    // every one that a persistent id has named
    Arena *arena;
    Error *err;
} PickleMachine;

// Runs all of it; what it makes, in the arena. NULL with a sentence in machine->err.
PickleValue *pickle_run(PickleMachine *machine);

#endif
