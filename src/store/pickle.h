// Reads the tensors of a PyTorch state dict from a pickle without executing it.
//
// A pickle is a program for a small stack machine that makes Python objects. This machine makes numbers,
// strings, tuples, lists, dicts and tensors stored elsewhere, and knows the few functions that torch.save uses
// for them. Objects of other classes keep only their class name, except that a pickled nn.Module has the
// tensors of its state dict. Functions that can run programs are refused. Memory use is linear in the bytes
// read.
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
    const char *name; // dict keys from the outermost, joined by dots; "": the file is one tensor
    const char *key;  // of its storage
    const char *type; // "FloatStorage"
    RawKind kind;     // RAW_OTHER: unsupported
    bool is_quantized;
    size_t element_bytes; // 0: unknown
    size_t storage_count;
    size_t offset; // in elements; unchecked, like the others
    int rank;      // -1: too many axes
    ptrdiff_t shape[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX];
} PickledTensor;

// An integer, named like a tensor: "model_args.n_head"; also in attributes of objects.
typedef struct PickledNumber {
    const char *name;
    int64_t number;
} PickledNumber;

// A class of other objects in the file, and their number.
typedef struct PickledClass {
    const char *name; // "argparse.Namespace"
    int count;
    bool is_module; // their tensors were read
} PickledClass;

typedef struct Pickled {
    PickledTensor *tensors; // in the order of the dicts
    int count;
    FileWords *words; // lists and tuples that hold only strings
    int words_count;
    PickledNumber *numbers;
    int number_count;
    PickledClass *classes;
    int class_count;
    PickledTensor *storages; // all that are mentioned, some repeatedly
    size_t storage_count;
    size_t bytes; // of the pickle
} Pickled;

// Results live in the arena. Messages say "it": the caller puts a name in front.
bool pickle_tensors(const unsigned char *bytes, size_t length, Arena *arena, Pickled *out,
                    Error *err);

// Reads NumPy's pickled array of strings as one row. Leaves out->words alone if it is something else. Returns
// false only without memory.
bool pickle_words(const unsigned char *bytes, size_t length, Arena *arena, FileWords *out,
                  Error *err);

// --- objects

typedef enum PickleKind {
    PICKLE_PLAIN,  // None, a float, bytes: never part of a tensor
    PICKLE_NUMBER, // a whole number; False is 0, True is 1
    PICKLE_TEXT,
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,
    PICKLE_GLOBAL, // a function or class by name, not called
    PICKLE_OBJECT, // the result of an unknown function or class
    PICKLE_STORAGE,
    PICKLE_TENSOR,
    PICKLE_MARK,
} PickleKind;

typedef struct PickleValue PickleValue;

// An element of a tuple, list or dict; in dicts keys and values alternate.
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
    PickleKind filled_as;     // of a list, dict or object: how its items were added
    const PickleValue *pairs; // of a dict: the list of pairs it was made from
    const PickleValue *state; // of an object: its attributes
    PickledTensor *tensor;    // of a tensor; of a storage: key, type, kind and storage_count
};

// Parses the pickle at the start of the bytes and sets its length. NULL and err on failure.
const PickleValue *pickle_value(const unsigned char *bytes, size_t length, size_t *used,
                                Arena *arena, Error *err);

// --- the machine (pickle_machine.c)

typedef struct PickleStack {
    PickleValue **at;
    size_t count, room;
} PickleStack;

typedef struct PickleMachine {
    const unsigned char *bytes;
    size_t length, place;
    PickleStack stack, memo; // objects in use, and memoised ones
    PickleStack storages;    // all named by persistent ids
    Arena *arena;
    Error *err;
} PickleMachine;

// Runs the pickle. Results live in the arena. NULL and machine->err on failure.
PickleValue *pickle_run(PickleMachine *machine);

#endif
