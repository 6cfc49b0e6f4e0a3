// The objects that the machine of pickle.c makes, and the functions by which it makes tensors.
#ifndef PICKLE_VALUES_H
#define PICKLE_VALUES_H

#include <stdint.h>
#include "pickle.h"

typedef enum PickleKind {
    PICKLE_PLAIN, // None, a truth, a float: nothing that a tensor is made of
    PICKLE_NUMBER,
    PICKLE_TEXT,
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,
    PICKLE_GLOBAL, // a function or class by its name, not called yet
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
    const char *text;         // of a text; of a global "torch._utils _rebuild_tensor_v2"
    PickleItem *first, *last; // of a tuple, list or dict
    size_t count;
    PickledTensor *tensor; // of a tensor; of a storage key, type, kind and storage_count
};

// Puts one more item behind the others. False when memory is short.
bool pickle_append(PickleValue *to, const PickleValue *value, Arena *arena, Error *err);

// The storage that a persistent id stands for: ("storage", class, key, place, count).
bool pickle_storage(const PickleValue *id, Arena *arena, PickleValue *out, Error *err);

// What a known function makes of its arguments, a tuple; otherwise a sentence that names it.
bool pickle_call(const PickleValue *function, const PickleValue *arguments, Arena *arena,
                 PickleValue *out, Error *err);

#endif
