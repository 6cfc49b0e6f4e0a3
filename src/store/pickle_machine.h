// What the machine of a pickle is, and the tensors that it makes; pickle.h has what others ask.
#ifndef PICKLE_MACHINE_H
#define PICKLE_MACHINE_H

#include <stdint.h>
#include "pickle.h"

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
// The stack machine of a pickle: what it has, and what all its opcodes are made of. Functions that
// return false or NULL have put a sentence into machine->err.

// As pickletools.py calls them.
typedef enum Opcode {
    OP_MARK = '(',
    OP_EMPTY_TUPLE = ')',
    OP_STOP = '.',
    OP_POP = '0',
    OP_POP_MARK = '1',
    OP_DUP = '2',
    OP_BINBYTES = 'B',
    OP_SHORT_BINBYTES = 'C',
    OP_FLOAT = 'F',
    OP_BINFLOAT = 'G',
    OP_INT = 'I',
    OP_BININT = 'J',
    OP_BININT1 = 'K',
    OP_LONG = 'L',
    OP_BININT2 = 'M',
    OP_NONE = 'N',
    OP_BINPERSID = 'Q',
    OP_REDUCE = 'R',
    OP_STRING = 'S',
    OP_BINSTRING = 'T',
    OP_SHORT_BINSTRING = 'U',
    OP_UNICODE = 'V',
    OP_BINUNICODE = 'X',
    OP_EMPTY_LIST = ']',
    OP_APPEND = 'a',
    OP_BUILD = 'b',
    OP_GLOBAL = 'c',
    OP_DICT = 'd',
    OP_APPENDS = 'e',
    OP_GET = 'g',
    OP_BINGET = 'h',
    OP_INST = 'i',
    OP_LONG_BINGET = 'j',
    OP_LIST = 'l',
    OP_OBJ = 'o',
    OP_PUT = 'p',
    OP_BINPUT = 'q',
    OP_LONG_BINPUT = 'r',
    OP_SETITEM = 's',
    OP_TUPLE = 't',
    OP_SETITEMS = 'u',
    OP_EMPTY_DICT = '}',
    OP_PROTO = 0x80,
    OP_NEWOBJ = 0x81,
    OP_TUPLE1 = 0x85,
    OP_TUPLE2 = 0x86,
    OP_TUPLE3 = 0x87,
    OP_NEWTRUE = 0x88,
    OP_NEWFALSE = 0x89,
    OP_LONG1 = 0x8a,
    OP_LONG4 = 0x8b,
    OP_SHORT_BINUNICODE = 0x8c,
    OP_BINUNICODE8 = 0x8d,
    OP_BINBYTES8 = 0x8e,
    OP_EMPTY_SET = 0x8f,
    OP_ADDITEMS = 0x90,
    OP_FROZENSET = 0x91,
    OP_NEWOBJ_EX = 0x92,
    OP_STACK_GLOBAL = 0x93,
    OP_MEMOIZE = 0x94,
    OP_FRAME = 0x95,
    OP_BYTEARRAY8 = 0x96,
} Opcode;

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

// Runs all of it; what it makes, in the arena.
PickleValue *pickle_run(PickleMachine *machine);

// A new value on the stack; one of a kind that holds nothing yet.

// The newest value, which stays or is taken. A mark is none.

// A tuple in place of the newest `count` values, or of those above the newest mark.

// Puts those into the list or dict below them, or into an object that may be one.

// Keeps the newest value under a number; brings one back.

#endif
