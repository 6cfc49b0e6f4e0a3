// The stack machine of a pickle: what it has, and what all its opcodes are made of. Functions that
// return false or NULL have put a sentence into machine->err.
#ifndef PICKLE_MACHINE_H
#define PICKLE_MACHINE_H

#include "pickle_values.h"

// As pickletools.py calls them.
typedef enum Opcode {
    OP_MARK = '(',
    OP_EMPTY_TUPLE = ')',
    OP_STOP = '.',
    OP_POP = '0',
    OP_BINFLOAT = 'G',
    OP_BININT = 'J',
    OP_BININT1 = 'K',
    OP_BININT2 = 'M',
    OP_NONE = 'N',
    OP_BINPERSID = 'Q',
    OP_REDUCE = 'R',
    OP_BINUNICODE = 'X',
    OP_EMPTY_LIST = ']',
    OP_APPEND = 'a',
    OP_BUILD = 'b',
    OP_GLOBAL = 'c',
    OP_APPENDS = 'e',
    OP_BINGET = 'h',
    OP_LONG_BINGET = 'j',
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
    OP_SHORT_BINUNICODE = 0x8c,
    OP_STACK_GLOBAL = 0x93,
    OP_MEMOIZE = 0x94,
    OP_FRAME = 0x95,
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
    Arena *arena;
    Error *err;
} PickleMachine;

// Runs all of it; what it makes, in the arena.
PickleValue *pickle_run(PickleMachine *machine);

// A new value on the stack; one of a kind that holds nothing yet.
bool pickle_push(PickleMachine *machine, PickleValue value);
bool pickle_push_kind(PickleMachine *machine, PickleKind kind);

// The newest value, which stays or is taken. A mark is none.
PickleValue *pickle_top(PickleMachine *machine);
PickleValue *pickle_pop(PickleMachine *machine);

// A tuple in place of the newest `count` values, or of those above the newest mark.
bool pickle_push_tuple(PickleMachine *machine, size_t count);
bool pickle_push_marked_tuple(PickleMachine *machine);

// Puts those into the list or dict below them.
bool pickle_put_items(PickleMachine *machine, size_t count, PickleKind kind);
bool pickle_put_marked(PickleMachine *machine, PickleKind kind);

// Keeps the newest value under a number; brings one back.
bool pickle_memo_put(PickleMachine *machine, uint64_t number);
bool pickle_memo_get(PickleMachine *machine, uint64_t number);

#endif
