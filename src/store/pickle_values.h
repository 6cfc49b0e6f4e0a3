// The objects that the machine of pickle.c makes, and the functions by which it makes tensors.
#ifndef PICKLE_VALUES_H
#define PICKLE_VALUES_H

#include <stdint.h>
#include "pickle.h"

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

// Puts one more item behind the others. False when memory is short.
bool pickle_append(PickleValue *to, const PickleValue *value, Arena *arena, Error *err);

// The pickle that the first bytes are, and how many bytes it has. NULL with a sentence.
const PickleValue *pickle_value(const unsigned char *bytes, size_t length, size_t *used,
                                Arena *arena, Error *err);

// What a persistent id stands for: ("storage", class, key, place, count), in older files with a view
// behind it (key, offset, count); or ("module", class, ...), which is that class.
bool pickle_storage(const PickleValue *id, Arena *arena, PickleValue *out, Error *err);

// What a function makes of its arguments, a tuple: an unknown one makes an object. A sentence where it
// could run a program.
bool pickle_call(const PickleValue *function, const PickleValue *arguments, Arena *arena,
                 PickleValue *out, Error *err);

#endif
