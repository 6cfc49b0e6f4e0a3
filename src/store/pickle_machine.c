// pickle_machine: the opcodes; see pickle_machine.h. One function for each group that is alike.
#include "pickle_machine.h"

#include <string.h>
#include "store_words.h"

// A few bytes can ask for an object each; no model has so many.
enum { STEPS_MAX = 1 << 20 };

// --- bytes of the pickle

// The next `count` bytes; NULL with a sentence.
// The next `count` bytes.
static const unsigned char *take(PickleMachine *machine, size_t count)
{
    if (machine->length - machine->place < count) {
        error_set(machine->err, TELL(PICKLE_ENDS));
        return NULL;
    }
    const unsigned char *bytes = machine->bytes + machine->place;
    machine->place += count;
    return bytes;
}

// A number of `width` bytes, the lowest first.
// A number of `width` bytes, the lowest first.
static bool take_number(PickleMachine *machine, size_t width, uint64_t *number)
{
    const unsigned char *bytes = take(machine, width);
    *number = 0;
    for (size_t i = 0; bytes && i < width; i++)
        *number |= (uint64_t)bytes[i] << (8 * i);
    return bytes != NULL;
}

static bool push_text(PickleMachine *machine, size_t length_bytes)
{
    uint64_t length;
    const unsigned char *bytes;
    if (!take_number(machine, length_bytes, &length) || !(bytes = take(machine, (size_t)length)))
        return false;
    char *text = arena_take(machine->arena, (size_t)length + 1, 1, machine->err);
    if (!text)
        return false;
    if (memchr(bytes, '\0', (size_t)length))
        return error_set(machine->err, TELL(PICKLE_ZERO));
    memcpy(text, bytes, (size_t)length);
    return pickle_push(machine, (PickleValue){.kind = PICKLE_TEXT, .text = text});
}

// Whole numbers of `width` bytes; the highest bit is the sign where `is_signed`.
static bool push_number(PickleMachine *machine, size_t width, bool is_signed)
{
    uint64_t number;
    if (width > sizeof number)
        return take(machine, width) && pickle_push_kind(machine, PICKLE_PLAIN);
    if (!take_number(machine, width, &number))
        return false;
    if (is_signed && width > 0 && width < sizeof number && number >> (8 * width - 1))
        number |= UINT64_MAX << (8 * width);
    return pickle_push(machine, (PickleValue){.kind = PICKLE_NUMBER, .number = (int64_t)number});
}

static bool push_long(PickleMachine *machine)
{
    uint64_t width;
    return take_number(machine, 1, &width) && push_number(machine, (size_t)width, true);
}

// --- names of functions and classes

static bool push_global(PickleMachine *machine, const char *module, size_t module_length,
                        const char *name, size_t name_length)
{
    const char *text = arena_format(machine->arena, machine->err, "%.*s %.*s", (int)module_length,
                                    module, (int)name_length, name);
    return text && pickle_push(machine, (PickleValue){.kind = PICKLE_GLOBAL, .text = text});
}

// One line; NULL with a sentence.
static const char *take_line(PickleMachine *machine, size_t *length)
{
    const char *line = (const char *)machine->bytes + machine->place;
    const char *end = memchr(line, '\n', machine->length - machine->place);
    *length = end ? (size_t)(end - line) : machine->length;
    return take(machine, *length + 1) ? line : NULL;
}

static bool push_named(PickleMachine *machine)
{
    size_t module_length, name_length;
    const char *module = take_line(machine, &module_length);
    const char *name = module ? take_line(machine, &name_length) : NULL;
    return name && push_global(machine, module, module_length, name, name_length);
}

static bool push_stacked(PickleMachine *machine)
{
    const PickleValue *name = pickle_pop(machine), *module = name ? pickle_pop(machine) : NULL;
    if (!module)
        return false;
    if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
        return error_set(machine->err, TELL(PICKLE_NAME));
    return push_global(machine, module->text, strlen(module->text), name->text, strlen(name->text));
}

static bool memo_opcode(PickleMachine *machine, Opcode opcode)
{
    bool is_put = opcode == OP_BINPUT || opcode == OP_LONG_BINPUT;
    size_t width = opcode == OP_LONG_BINPUT || opcode == OP_LONG_BINGET ? 4 : 1;
    uint64_t number;
    return take_number(machine, width, &number) &&
           (is_put ? pickle_memo_put(machine, number) : pickle_memo_get(machine, number));
}

// --- calls

static bool call(PickleMachine *machine)
{
    const PickleValue *arguments = pickle_pop(machine),
                      *function = arguments ? pickle_pop(machine) : NULL;
    PickleValue made;
    return function && pickle_call(function, arguments, machine->arena, &made, machine->err) &&
           pickle_push(machine, made);
}

static bool find_storage(PickleMachine *machine)
{
    const PickleValue *id = pickle_pop(machine);
    PickleValue made;
    return id && pickle_storage(id, machine->arena, &made, machine->err) &&
           pickle_push(machine, made);
}

// The attributes of a state dict (its _metadata) say nothing about tensors.
static bool build(PickleMachine *machine)
{
    const PickleValue *state = pickle_pop(machine), *object = state ? pickle_top(machine) : NULL;
    return object &&
           (object->kind == PICKLE_DICT || error_set(machine->err, TELL(PICKLE_ATTRIBUTES)));
}

static bool unknown(PickleMachine *machine, Opcode opcode)
{
    return error_set(machine->err, TELL(PICKLE_OPCODE), (unsigned)opcode);
}

// --- one opcode

static bool step_value(PickleMachine *machine, Opcode opcode)
{
    switch (opcode) {
    case OP_BINFLOAT:
        return take(machine, 8) && pickle_push_kind(machine, PICKLE_PLAIN);
    case OP_NONE:
    case OP_NEWTRUE:
    case OP_NEWFALSE:
        return pickle_push_kind(machine, PICKLE_PLAIN);
    case OP_BININT:
        return push_number(machine, 4, true);
    case OP_BININT1:
        return push_number(machine, 1, false);
    case OP_BININT2:
        return push_number(machine, 2, false);
    case OP_LONG1:
        return push_long(machine);
    case OP_BINUNICODE:
        return push_text(machine, 4);
    case OP_SHORT_BINUNICODE:
        return push_text(machine, 1);
    case OP_GLOBAL:
        return push_named(machine);
    case OP_STACK_GLOBAL:
        return push_stacked(machine);
    case OP_BINPERSID:
        return find_storage(machine);
    case OP_REDUCE:
    case OP_NEWOBJ:
        return call(machine);
    case OP_BUILD:
        return build(machine);
    default:
        return unknown(machine, opcode);
    }
}

static bool step(PickleMachine *machine, Opcode opcode)
{
    switch (opcode) {
    case OP_PROTO:
        return take(machine, 1) != NULL;
    case OP_FRAME:
        return take(machine, 8) != NULL;
    case OP_MARK:
        return pickle_push_kind(machine, PICKLE_MARK);
    case OP_POP:
        return pickle_pop(machine) != NULL;
    case OP_EMPTY_TUPLE:
        return pickle_push_kind(machine, PICKLE_TUPLE);
    case OP_EMPTY_LIST:
        return pickle_push_kind(machine, PICKLE_LIST);
    case OP_EMPTY_DICT:
        return pickle_push_kind(machine, PICKLE_DICT);
    case OP_TUPLE1:
    case OP_TUPLE2:
    case OP_TUPLE3:
        return pickle_push_tuple(machine, (size_t)opcode - OP_TUPLE1 + 1);
    case OP_TUPLE:
        return pickle_push_marked_tuple(machine);
    case OP_APPEND:
        return pickle_put_items(machine, 1, PICKLE_LIST);
    case OP_APPENDS:
        return pickle_put_marked(machine, PICKLE_LIST);
    case OP_SETITEM:
        return pickle_put_items(machine, 2, PICKLE_DICT);
    case OP_SETITEMS:
        return pickle_put_marked(machine, PICKLE_DICT);
    case OP_BINPUT:
    case OP_LONG_BINPUT:
    case OP_BINGET:
    case OP_LONG_BINGET:
        return memo_opcode(machine, opcode);
    case OP_MEMOIZE:
        return pickle_memo_put(machine, machine->memo.count);
    default:
        return step_value(machine, opcode);
    }
}

PickleValue *pickle_run(PickleMachine *machine)
{
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        const unsigned char *opcode = take(machine, 1);
        if (!opcode)
            return NULL;
        if (*opcode == OP_STOP)
            return pickle_pop(machine);
        if (!step(machine, (Opcode)*opcode))
            return NULL;
    }
    error_set(machine->err, TELL(PICKLE_STEPS), STEPS_MAX);
    return NULL;
}
