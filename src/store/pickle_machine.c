// pickle_machine: the opcodes; see pickle_machine.h. One function for each group that is alike.
#include "pickle_machine.h"

#include <stdlib.h>
#include <string.h>
#include "store_words.h"

// A few bytes can ask for an object each; no model has so many.
enum { STEPS_MAX = 1 << 20, NAME_BYTES_MAX = 500 };

// --- bytes of the pickle

// The next `count` bytes; NULL with a sentence.
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
static bool take_number(PickleMachine *machine, size_t width, uint64_t *number)
{
    const unsigned char *bytes = take(machine, width);
    *number = 0;
    for (size_t i = 0; bytes && i < width; i++)
        *number |= (uint64_t)bytes[i] << (8 * i);
    return bytes != NULL;
}

// A text; one with a zero byte inside is bytes, which say nothing here.
static bool push_bytes(PickleMachine *machine, const void *bytes, size_t length)
{
    if (memchr(bytes, '\0', length))
        return pickle_push_kind(machine, PICKLE_PLAIN);
    char *text = arena_take(machine->arena, length + 1, 1, machine->err);
    if (!text)
        return false;
    memcpy(text, bytes, length);
    return pickle_push(machine, (PickleValue){.kind = PICKLE_TEXT, .text = text});
}

// What has its length in front, as a number of so many bytes.
static bool push_counted(PickleMachine *machine, size_t length_bytes, bool is_text)
{
    uint64_t length;
    const unsigned char *bytes;
    if (!take_number(machine, length_bytes, &length) || !(bytes = take(machine, (size_t)length)))
        return false;
    return is_text ? push_bytes(machine, bytes, (size_t)length)
                   : pickle_push_kind(machine, PICKLE_PLAIN);
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

static bool push_long(PickleMachine *machine, size_t length_bytes)
{
    uint64_t width;
    return take_number(machine, length_bytes, &width) && push_number(machine, (size_t)width, true);
}

// One line; NULL with a sentence.
static const char *take_line(PickleMachine *machine, size_t *length)
{
    const char *line = (const char *)machine->bytes + machine->place;
    const char *end = memchr(line, '\n', machine->length - machine->place);
    *length = end ? (size_t)(end - line) : machine->length;
    return take(machine, *length + 1) ? line : NULL;
}

// A whole number in decimal digits; what is larger than any here stays the largest.
static bool take_decimal(PickleMachine *machine, int64_t *number)
{
    char digits[32] = "";
    size_t length;
    const char *line = take_line(machine, &length);
    if (line)
        memcpy(digits, line, length < sizeof digits - 1 ? length : sizeof digits - 1);
    *number = strtoll(digits, NULL, 10);
    return line != NULL;
}

// Those that early protocols write as lines.
static bool push_line(PickleMachine *machine, Opcode opcode)
{
    int64_t number;
    if (opcode == OP_INT || opcode == OP_LONG)
        return take_decimal(machine, &number) &&
               pickle_push(machine, (PickleValue){.kind = PICKLE_NUMBER, .number = number});
    size_t length;
    const char *line = take_line(machine, &length);
    if (!line || opcode == OP_FLOAT)
        return line && pickle_push_kind(machine, PICKLE_PLAIN);
    bool quoted = opcode == OP_STRING && length >= 2;
    return push_bytes(machine, line + quoted, length - 2 * (size_t)quoted);
}

// --- names of functions and classes

static bool push_global(PickleMachine *machine, const char *module, size_t module_length,
                        const char *name, size_t name_length)
{
    if (module_length + name_length > NAME_BYTES_MAX)
        return error_set(machine->err, TELL(PICKLE_NAME_LONG), NAME_BYTES_MAX);
    const char *text = arena_format(machine->arena, machine->err, "%.*s %.*s", (int)module_length,
                                    module, (int)name_length, name);
    return text && pickle_push(machine, (PickleValue){.kind = PICKLE_GLOBAL, .text = text});
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
    bool is_put = opcode == OP_BINPUT || opcode == OP_LONG_BINPUT || opcode == OP_PUT;
    size_t width = opcode == OP_LONG_BINPUT || opcode == OP_LONG_BINGET ? 4 : 1;
    int64_t decimal = 0;
    uint64_t number;
    if (opcode == OP_PUT || opcode == OP_GET) {
        if (!take_decimal(machine, &decimal))
            return false;
        number = (uint64_t)decimal;
    } else if (!take_number(machine, width, &number)) {
        return false;
    }
    return is_put ? pickle_memo_put(machine, number) : pickle_memo_get(machine, number);
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

// A class, its arguments, and those with names, which are dropped.
static bool call_named(PickleMachine *machine)
{
    return pickle_pop(machine) && call(machine);
}

// A class and its arguments above a mark: OBJ has the class among them, INST names it.
static bool call_marked(PickleMachine *machine, Opcode opcode)
{
    if (opcode == OP_INST && !push_named(machine))
        return false;
    const PickleValue *class = opcode == OP_INST ? pickle_pop(machine) : NULL;
    if (!pickle_push_marked_tuple(machine))
        return false;
    const PickleValue *all = pickle_pop(machine);
    if (!class && all->first)
        class = all->first->value;
    PickleValue made;
    return (class || error_set(machine->err, TELL(PICKLE_NO_FUNCTION))) &&
           pickle_call(class, all, machine->arena, &made, machine->err) &&
           pickle_push(machine, made);
}

static bool find_storage(PickleMachine *machine)
{
    const PickleValue *id = pickle_pop(machine);
    PickleValue made;
    if (!id || !pickle_storage(id, machine->arena, &made, machine->err) ||
        !pickle_push(machine, made))
        return false;
    return made.kind != PICKLE_STORAGE ||
           pickle_stack_add(machine, &machine->storages, pickle_top(machine));
}

// The attributes of a state dict (its _metadata) say nothing about tensors.
static bool build(PickleMachine *machine)
{
    const PickleValue *state = pickle_pop(machine);
    PickleValue *object = state ? pickle_top(machine) : NULL;
    if (!object)
        return false;
    if (object->kind == PICKLE_OBJECT)
        object->state = state;
    return object->kind == PICKLE_OBJECT || object->kind == PICKLE_DICT ||
           error_set(machine->err, TELL(PICKLE_ATTRIBUTES));
}

static bool unknown(PickleMachine *machine, Opcode opcode)
{
    return error_set(machine->err, TELL(PICKLE_OPCODE), (unsigned)opcode);
}

// --- one opcode

static bool step_number(PickleMachine *machine, Opcode opcode)
{
    switch (opcode) {
    case OP_BINFLOAT:
        return take(machine, 8) && pickle_push_kind(machine, PICKLE_PLAIN);
    case OP_NONE:
        return pickle_push_kind(machine, PICKLE_PLAIN);
    case OP_NEWTRUE:
    case OP_NEWFALSE:
        return pickle_push(machine,
                           (PickleValue){.kind = PICKLE_NUMBER, .number = opcode == OP_NEWTRUE});
    case OP_BININT:
        return push_number(machine, 4, true);
    case OP_BININT1:
        return push_number(machine, 1, false);
    case OP_BININT2:
        return push_number(machine, 2, false);
    case OP_LONG1:
        return push_long(machine, 1);
    case OP_LONG4:
        return push_long(machine, 4);
    default:
        return unknown(machine, opcode);
    }
}

static bool step_text(PickleMachine *machine, Opcode opcode)
{
    switch (opcode) {
    case OP_BINUNICODE:
    case OP_BINSTRING:
        return push_counted(machine, 4, true);
    case OP_SHORT_BINUNICODE:
    case OP_SHORT_BINSTRING:
        return push_counted(machine, 1, true);
    case OP_BINUNICODE8:
        return push_counted(machine, 8, true);
    case OP_SHORT_BINBYTES:
        return push_counted(machine, 1, false);
    case OP_BINBYTES:
        return push_counted(machine, 4, false);
    case OP_BINBYTES8:
    case OP_BYTEARRAY8:
        return push_counted(machine, 8, false);
    case OP_INT:
    case OP_LONG:
    case OP_FLOAT:
    case OP_STRING:
    case OP_UNICODE:
        return push_line(machine, opcode);
    default:
        return step_number(machine, opcode);
    }
}

static bool step_call(PickleMachine *machine, Opcode opcode)
{
    switch (opcode) {
    case OP_GLOBAL:
        return push_named(machine);
    case OP_STACK_GLOBAL:
        return push_stacked(machine);
    case OP_BINPERSID:
        return find_storage(machine);
    case OP_REDUCE:
    case OP_NEWOBJ:
        return call(machine);
    case OP_NEWOBJ_EX:
        return call_named(machine);
    case OP_OBJ:
    case OP_INST:
        return call_marked(machine, opcode);
    case OP_BUILD:
        return build(machine);
    default:
        return step_text(machine, opcode);
    }
}

// A list, dict or set of what lies above the newest mark.
static bool push_marked(PickleMachine *machine, PickleKind kind)
{
    if (!pickle_push_marked_tuple(machine))
        return false;
    PickleValue *made = pickle_top(machine);
    made->kind = kind;
    return kind != PICKLE_DICT || made->count % 2 == 0 ||
           error_set(machine->err, TELL(PICKLE_FILLS), "dict");
}

static bool step_collection(PickleMachine *machine, Opcode opcode)
{
    switch (opcode) {
    case OP_EMPTY_TUPLE:
        return pickle_push_kind(machine, PICKLE_TUPLE);
    case OP_EMPTY_LIST:
    case OP_EMPTY_SET:
        return pickle_push_kind(machine, PICKLE_LIST);
    case OP_EMPTY_DICT:
        return pickle_push_kind(machine, PICKLE_DICT);
    case OP_TUPLE1:
    case OP_TUPLE2:
    case OP_TUPLE3:
        return pickle_push_tuple(machine, (size_t)opcode - OP_TUPLE1 + 1);
    case OP_TUPLE:
        return pickle_push_marked_tuple(machine);
    case OP_LIST:
    case OP_FROZENSET:
        return push_marked(machine, PICKLE_LIST);
    case OP_DICT:
        return push_marked(machine, PICKLE_DICT);
    case OP_APPEND:
        return pickle_put_items(machine, 1, PICKLE_LIST);
    case OP_APPENDS:
    case OP_ADDITEMS:
        return pickle_put_marked(machine, PICKLE_LIST);
    case OP_SETITEM:
        return pickle_put_items(machine, 2, PICKLE_DICT);
    case OP_SETITEMS:
        return pickle_put_marked(machine, PICKLE_DICT);
    default:
        return step_call(machine, opcode);
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
    case OP_POP_MARK:
        return pickle_pop_marked(machine);
    case OP_DUP: {
        PickleValue *top = pickle_top(machine);
        return top && pickle_stack_add(machine, &machine->stack, top);
    }
    case OP_PUT:
    case OP_GET:
    case OP_BINPUT:
    case OP_LONG_BINPUT:
    case OP_BINGET:
    case OP_LONG_BINGET:
        return memo_opcode(machine, opcode);
    case OP_MEMOIZE:
        return pickle_memo_put(machine, machine->memo.count);
    default:
        return step_collection(machine, opcode);
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
