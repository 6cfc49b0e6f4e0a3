// The stack machine of pickles: stack, memo, objects, opcodes; see pickle.h.
#include "pickle.h"

#include <stdlib.h>
#include <string.h>
#include "store_words.def"

// --- stack and memo

static bool grow(PickleMachine *machine, PickleStack *values, size_t count)
{
    if (count <= values->room)
        return true;
    size_t room = count < 64 ? 64 : 2 * count;
    PickleValue **wider = arena_take(machine->arena, room, sizeof *wider, machine->err);
    if (!wider)
        return false;
    if (values->count > 0)
        memcpy(wider, values->at, values->count * sizeof *wider);
    values->at = wider;
    values->room = room;
    return true;
}

// Appends to a growing list.
static bool stack_add(PickleMachine *machine, PickleStack *to, PickleValue *value)
{
    if (!grow(machine, to, to->count + 1))
        return false;
    to->at[to->count++] = value;
    return true;
}

static bool pickle_push(PickleMachine *machine, PickleValue value)
{
    PickleValue *kept = arena_take(machine->arena, 1, sizeof *kept, machine->err);
    if (!kept)
        return false;
    *kept = value;
    return stack_add(machine, &machine->stack, kept);
}

static bool push_kind(PickleMachine *machine, int kind)
{
    return pickle_push(machine, (PickleValue){.kind = (PickleKind)kind});
}

static bool empty_stack(PickleMachine *machine)
{
    return error_set(machine->err, TELL(PICKLE_EMPTY));
}

// The top value; NULL and err if it is missing or a mark.
static PickleValue *top(PickleMachine *machine)
{
    PickleStack *stack = &machine->stack;
    if (stack->count > 0 && stack->at[stack->count - 1]->kind != PICKLE_MARK)
        return stack->at[stack->count - 1];
    empty_stack(machine);
    return NULL;
}

static PickleValue *pop(PickleMachine *machine)
{
    PickleValue *value = top(machine);
    machine->stack.count -= value != NULL;
    return value;
}

// --- tuples, lists and dicts

static bool pickle_append(PickleValue *to, const PickleValue *value, Arena *arena, Error *err);

// Moves the top `count` values into the value below them, or into a new tuple.
static bool gather(PickleMachine *machine, size_t count, PickleValue *into)
{
    PickleStack *stack = &machine->stack;
    size_t first = stack->count - count;
    for (size_t i = first; i < stack->count; i++)
        if (!pickle_append(into, stack->at[i], machine->arena, machine->err))
            return false;
    stack->count = first;
    return true;
}

// Removes the newest mark and returns how many values are above it.
static bool take_mark(PickleMachine *machine, size_t *count)
{
    PickleStack *stack = &machine->stack;
    size_t mark = stack->count;
    while (mark > 0 && stack->at[mark - 1]->kind != PICKLE_MARK)
        mark--;
    if (mark == 0)
        return empty_stack(machine);
    *count = stack->count - mark;
    memmove(&stack->at[mark - 1], &stack->at[mark], *count * sizeof *stack->at);
    stack->count--;
    return true;
}

static bool push_tuple(PickleMachine *machine, size_t count)
{
    PickleValue tuple = {.kind = PICKLE_TUPLE};
    for (size_t i = 1; i <= count; i++)
        if (machine->stack.count < i ||
            machine->stack.at[machine->stack.count - i]->kind == PICKLE_MARK)
            return empty_stack(machine);
    return gather(machine, count, &tuple) && pickle_push(machine, tuple);
}

static bool put_items(PickleMachine *machine, size_t count, PickleKind kind)
{
    PickleStack *stack = &machine->stack;
    if (stack->count < count + 1)
        return empty_stack(machine);
    PickleValue *into = stack->at[stack->count - count - 1];
    bool takes = into->kind == kind || into->kind == PICKLE_OBJECT;
    if (!takes || (kind == PICKLE_DICT && count % 2 != 0))
        return error_set(machine->err, TELL(PICKLE_FILLS), kind == PICKLE_DICT ? "dict" : "list");
    for (size_t i = 1; i <= count; i++)
        if (stack->at[stack->count - i]->kind == PICKLE_MARK)
            return empty_stack(machine);
    bool is_first = into->count == 0;
    into->filled_as = is_first ? kind : into->filled_as == kind ? kind : PICKLE_PLAIN;
    return gather(machine, count, into);
}

// --- the memo

static bool memo_put(PickleMachine *machine, uint64_t number)
{
    PickleStack *memo = &machine->memo;
    PickleValue *value = top(machine);
    if (!value)
        return false;
    if (number > machine->length)
        return error_set(machine->err, TELL(PICKLE_KEEPS), (unsigned long long)number,
                         machine->length);
    if (!grow(machine, memo, (size_t)number + 1))
        return false;
    if (memo->count <= number)
        memo->count = (size_t)number + 1;
    memo->at[number] = value;
    return true;
}

// --- tensors from values

// Appends an item. Returns false without memory.
static bool pickle_append(PickleValue *to, const PickleValue *value, Arena *arena, Error *err)
{
    PickleItem *item = arena_take(arena, 1, sizeof *item, err);
    if (!item)
        return false;
    item->value = value;
    if (to->last)
        to->last->next = item;
    else
        to->first = item;
    to->last = item;
    to->count++;
    return true;
}

// Item `number` of a tuple if it has this kind, or NULL.
static const PickleValue *item_of(const PickleValue *tuple, size_t number, PickleKind kind)
{
    const PickleItem *item = tuple->kind == PICKLE_TUPLE ? tuple->first : NULL;
    for (; item && number > 0; number--)
        item = item->next;
    return item && item->value->kind == kind ? item->value : NULL;
}

// A number's type: of storage classes ("FloatStorage") and dtypes ("float32"; "": no typed storage).
typedef struct NumberType {
    const char *storage, *dtype;
    RawKind kind;
    size_t bytes;
} NumberType;

static const NumberType number_types[] = {
    {"FloatStorage", "float32", RAW_F32, 4},
    {"HalfStorage", "float16", RAW_F16, 2},
    {"DoubleStorage", "float64", RAW_F64, 8},
    {"BFloat16Storage", "bfloat16", RAW_BF16, 2},
    {"LongStorage", "int64", RAW_I64, 8},
    {"IntStorage", "int32", RAW_I32, 4},
    {"ByteStorage", "uint8", RAW_U8, 1},
    {"BoolStorage", "bool", RAW_BOOL, 1},
    {"ShortStorage", "int16", RAW_OTHER, 2},
    {"CharStorage", "int8", RAW_OTHER, 1},
    {"ComplexFloatStorage", "complex64", RAW_OTHER, 8},
    {"ComplexDoubleStorage", "complex128", RAW_OTHER, 16},
    {"QInt8Storage", "qint8", RAW_OTHER, 1},
    {"QUInt8Storage", "quint8", RAW_OTHER, 1},
    {"QInt32Storage", "qint32", RAW_OTHER, 4},
    {"UntypedStorage", "", RAW_OTHER, 1},
    {"", "float8_e4m3fn", RAW_OTHER, 1},
    {"", "float8_e5m2", RAW_OTHER, 1},
    {"", "uint16", RAW_OTHER, 2},
    {"", "uint32", RAW_OTHER, 4},
    {"", "uint64", RAW_OTHER, 8},
};

// The type of a storage class or dtype, "torch FloatStorage" or "torch float32".
static NumberType number_type(const char *name, bool is_dtype)
{
    const char *own = strrchr(name, ' ') + 1;
    bool of_torch = strncmp(name, "torch", 5) == 0 && (name[5] == ' ' || name[5] == '.');
    for (size_t i = 0; of_torch && i < sizeof number_types / sizeof *number_types; i++) {
        const NumberType *type = &number_types[i];
        if (strcmp(is_dtype ? type->dtype : type->storage, own) == 0)
            return *type;
    }
    return (NumberType){"", "", RAW_OTHER, 0};
}

// A persistent id: ("storage", class, key, place, count), in older files with a view (key, offset, count) at the end; or
// ("module", class, ...), which means the class.
static bool pickle_storage(const PickleValue *id, Arena *arena, PickleValue *out, Error *err)
{
    const PickleValue *what = item_of(id, 0, PICKLE_TEXT), *type = item_of(id, 1, PICKLE_GLOBAL);
    const PickleValue *key = item_of(id, 2, PICKLE_TEXT), *count = item_of(id, 4, PICKLE_NUMBER);
    const PickleValue *view = item_of(id, 5, PICKLE_TUPLE); // its storage starts at its offset
    const PickleValue *offset = view ? item_of(view, 1, PICKLE_NUMBER) : NULL;
    if (what && type && strcmp(what->text, "module") == 0) {
        *out = *type;
        return true;
    }
    if (!what || strcmp(what->text, "storage") != 0 || !type || !key || !count ||
        count->number < 0 || (view && (!offset || offset->number < 0)))
        return error_set(err, TELL(PICKLE_OUTSIDE));
    PickledTensor *tensor = arena_take(arena, 1, sizeof *tensor, err);
    if (!tensor)
        return false;
    NumberType number = number_type(type->text, false);
    *tensor = (PickledTensor){.key = key->text,
                              .type = strrchr(type->text, ' ') + 1,
                              .kind = number.kind,
                              .element_bytes = number.bytes,
                              .storage_count = (size_t)count->number,
                              .offset = offset ? (size_t)offset->number : 0};
    *out = (PickleValue){.kind = PICKLE_STORAGE, .tensor = tensor};
    return true;
}

// Reads a tuple of non-negative numbers into `out`; returns the count, or -1. Counts, but does not store, more than a
// tensor's maximum.
static int take_sizes(const PickleValue *tuple, ptrdiff_t out[TENSOR_RANK_MAX])
{
    int count = 0;
    if (!tuple)
        return -1;
    for (const PickleItem *item = tuple->first; item; item = item->next) {
        if (item->value->kind != PICKLE_NUMBER || item->value->number < 0)
            return -1;
        if (count < TENSOR_RANK_MAX)
            out[count] = (ptrdiff_t)item->value->number;
        count += count <= TENSOR_RANK_MAX;
    }
    return count;
}

// An untyped storage takes its type from elsewhere, and counts bytes.
static void take_dtype(const PickleValue *dtype, PickledTensor *tensor)
{
    NumberType type = dtype ? number_type(dtype->text, true) : (NumberType){.storage = ""};
    if (!dtype || type.bytes == 0 || tensor->storage_count % type.bytes != 0) {
        tensor->kind = RAW_OTHER;
        return;
    }
    tensor->kind = type.kind;
    tensor->type = strrchr(dtype->text, ' ') + 1;
    tensor->element_bytes = type.bytes;
    tensor->storage_count /= type.bytes;
}

// _rebuild_tensor(storage, offset, size, stride, ...); version 3 has the dtype as seventh argument.
static bool rebuild_tensor(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err)
{
    const PickleValue *storage = item_of(arguments, 0, PICKLE_STORAGE);
    const PickleValue *offset = item_of(arguments, 1, PICKLE_NUMBER);
    ptrdiff_t shape[TENSOR_RANK_MAX] = {0}, stride[TENSOR_RANK_MAX] = {0};
    int rank = take_sizes(item_of(arguments, 2, PICKLE_TUPLE), shape);
    int strides = take_sizes(item_of(arguments, 3, PICKLE_TUPLE), stride);
    if (!storage || !offset || offset->number < 0 || rank < 0 || rank != strides)
        return error_set(err, TELL(PICKLE_MALFORMED));
    PickledTensor *tensor = arena_take(arena, 1, sizeof *tensor, err);
    if (!tensor)
        return false;
    *tensor = *storage->tensor;
    tensor->offset += (size_t)offset->number;
    tensor->rank = rank > TENSOR_RANK_MAX ? -1 : rank;
    memcpy(tensor->shape, shape, sizeof shape);
    memcpy(tensor->stride, stride, sizeof stride);
    if (strcmp(tensor->type, "UntypedStorage") == 0)
        take_dtype(item_of(arguments, 6, PICKLE_GLOBAL), tensor);
    const PickleValue *marks = item_of(arguments, 6, PICKLE_DICT);
    for (const PickleItem *item = marks ? marks->first : NULL; item; item = item->next)
        if (item->value->kind == PICKLE_NUMBER && item->value->number != 0)
            tensor->kind = RAW_OTHER; // PyTorch marked it as negated
    *out = (PickleValue){.kind = PICKLE_TENSOR, .tensor = tensor};
    return true;
}

// Other kinds of tensors (quantized, sparse, nested ...) are listed but not read.
static bool other_tensor(const PickleValue *function, Arena *arena, PickleValue *out, Error *err)
{
    PickledTensor *tensor = arena_take(arena, 1, sizeof *tensor, err);
    if (!tensor)
        return false;
    const char *type = strrchr(function->text, ' ') + 1;
    *tensor = (PickledTensor){.key = "",
                              .type = type,
                              .kind = RAW_OTHER,
                              .is_quantized = strcmp(type, "_rebuild_qtensor") == 0};
    *out = (PickleValue){.kind = PICKLE_TENSOR, .tensor = tensor};
    return true;
}

// _rebuild_parameter(tensor, ...): the tensor.
static bool rebuild_parameter(const PickleValue *arguments, Arena *arena, PickleValue *out,
                              Error *err)
{
    (void)arena;
    const PickleValue *tensor = item_of(arguments, 0, PICKLE_TENSOR);
    if (!tensor)
        return error_set(err, TELL(PICKLE_PARAMETER));
    *out = *tensor;
    return true;
}

// OrderedDict(), OrderedDict([(key, value), ...]) and defaultdict(maker)
static bool make_dict(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err)
{
    (void)arena;
    (void)err;
    *out = (PickleValue){.kind = PICKLE_DICT, .pairs = item_of(arguments, 0, PICKLE_LIST)};
    return true;
}

// torch.Size(sizes): the sizes.
static bool size_of(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err)
{
    (void)arena;
    const PickleValue *sizes = item_of(arguments, 0, PICKLE_TUPLE);
    if (!sizes)
        return error_set(err, TELL(PICKLE_SIZE));
    *out = *sizes;
    return true;
}

// _codecs.encode(text, coding): bytes.
static bool bytes_of(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err)
{
    (void)arena;
    (void)arguments;
    (void)err;
    *out = (PickleValue){.kind = PICKLE_PLAIN};
    return true;
}

// copy_reg._reconstructor(class, base, state): an object of the class.
static bool reconstruct(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err)
{
    (void)arena;
    const PickleValue *class = item_of(arguments, 0, PICKLE_GLOBAL);
    *out = (PickleValue){.kind = PICKLE_OBJECT, .text = class ? class->text : ""};
    return class || error_set(err, TELL(PICKLE_NO_FUNCTION));
}

typedef bool Make(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err);

static Make *known_function(const char *name);

// _rebuild_from_type_v2(function, class, arguments, state): the function's result.
static bool rebuild_from_type(const PickleValue *arguments, Arena *arena, PickleValue *out,
                              Error *err)
{
    const PickleValue *function = item_of(arguments, 0, PICKLE_GLOBAL);
    const PickleValue *inner = item_of(arguments, 2, PICKLE_TUPLE);
    if (!function || !inner)
        return error_set(err, TELL(PICKLE_MALFORMED));
    return known_function(function->text) == rebuild_tensor
               ? rebuild_tensor(inner, arena, out, err)
               : other_tensor(function, arena, out, err);
}

static Make *known_function(const char *name)
{
    static const struct {
        const char *name;
        Make *make;
    } known[] = {
        {"torch._utils _rebuild_tensor", rebuild_tensor},
        {"torch._utils _rebuild_tensor_v2", rebuild_tensor},
        {"torch._utils _rebuild_tensor_v3", rebuild_tensor},
        {"torch._utils _rebuild_parameter", rebuild_parameter},
        {"torch._utils _rebuild_parameter_with_state", rebuild_parameter},
        {"torch._tensor _rebuild_from_type_v2", rebuild_from_type},
        {"collections OrderedDict", make_dict},
        {"collections defaultdict", make_dict},
        {"torch Size", size_of},
        {"_codecs encode", bytes_of},
        {"copy_reg _reconstructor", reconstruct},
        {"copyreg _reconstructor", reconstruct},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].make;
    return NULL;
}

// True if Python could be made to run a program through this function. A module's name covers its submodules.
static bool runs_programs(const char *name)
{
    static const char *const modules[] = {"os",        "posix",  "nt",     "subprocess",
                                          "sys",       "socket", "shutil", "runpy",
                                          "importlib", "pty",    "ctypes", "webbrowser"};
    static const char *const functions[] = {"eval",       "exec", "execfile", "compile",
                                            "__import__", "open", "input",    "breakpoint"};
    size_t module = strcspn(name, " ."), builtin = strcspn(name, " ");
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strlen(modules[i]) == module && strncmp(modules[i], name, module) == 0)
            return true;
    bool is_builtin = strncmp(name, "builtins ", 9) == 0 || strncmp(name, "__builtin__ ", 12) == 0;
    for (size_t i = 0; is_builtin && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name + builtin + 1, functions[i]) == 0)
            return true;
    return false;
}

// A function's result for a tuple of arguments; an unknown function makes an object. Sets err if it could run a program.
static bool pickle_call(const PickleValue *function, const PickleValue *arguments, Arena *arena,
                        PickleValue *out, Error *err)
{
    bool named = function->kind == PICKLE_GLOBAL || function->kind == PICKLE_OBJECT;
    if (!named || arguments->kind != PICKLE_TUPLE)
        return error_set(err, TELL(PICKLE_NO_FUNCTION));
    const char *space = strrchr(function->text, ' ');
    Make *make = function->kind == PICKLE_GLOBAL ? known_function(function->text) : NULL;
    if (make)
        return make(arguments, arena, out, err);
    if (function->kind == PICKLE_GLOBAL && runs_programs(function->text))
        return error_set(err, TELL(PICKLE_CALLS), (int)(space - function->text), function->text,
                         space + 1);
    if (strncmp(function->text, "torch._utils _rebuild_", 22) == 0)
        return other_tensor(function, arena, out, err);
    *out = (PickleValue){.kind = PICKLE_OBJECT, .text = function->text};
    return true;
}

// --- reading the pickle

// A few bytes can request an object each; no model has this many.
enum { STEPS_MAX = 1 << 20, NAME_BYTES_MAX = 500 };

// The next `count` bytes; NULL and err at the end.
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

// A little-endian number of `width` bytes.
static bool take_number(PickleMachine *machine, size_t width, uint64_t *number)
{
    const unsigned char *bytes = take(machine, width);
    *number = bytes ? little_endian(bytes, width) : 0;
    return bytes != NULL;
}

// A string; with a NUL it counts as bytes, which mean nothing here.
static bool push_bytes(PickleMachine *machine, const void *bytes, size_t length)
{
    if (memchr(bytes, '\0', length))
        return push_kind(machine, PICKLE_PLAIN);
    char *text = arena_take(machine->arena, length + 1, 1, machine->err);
    if (!text)
        return false;
    memcpy(text, bytes, length);
    return pickle_push(machine, (PickleValue){.kind = PICKLE_TEXT, .text = text});
}

// A little-endian integer of `width` bytes, two's complement if `is_signed`.
static bool push_number(PickleMachine *machine, size_t width, bool is_signed)
{
    uint64_t number;
    if (width > sizeof number)
        return take(machine, width) && push_kind(machine, PICKLE_PLAIN);
    if (!take_number(machine, width, &number))
        return false;
    if (is_signed && width > 0 && width < sizeof number && number >> (8 * width - 1))
        number |= UINT64_MAX << (8 * width);
    return pickle_push(machine, (PickleValue){.kind = PICKLE_NUMBER, .number = (int64_t)number});
}

// One line; NULL and err at the end.
static const char *take_line(PickleMachine *machine, size_t *length)
{
    const char *line = (const char *)machine->bytes + machine->place;
    const char *end = memchr(line, '\n', machine->length - machine->place);
    *length = end ? (size_t)(end - line) : machine->length;
    return take(machine, *length + 1) ? line : NULL;
}

// A decimal integer; saturates.
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

// --- functions and classes by name

static bool push_global(PickleMachine *machine, const char *module, size_t module_length,
                        const char *name, size_t name_length)
{
    if (module_length + name_length > NAME_BYTES_MAX)
        return error_set(machine->err, TELL(PICKLE_NAME_LONG), NAME_BYTES_MAX);
    const char *text = arena_format(machine->arena, machine->err, "%.*s %.*s", (int)module_length,
                                    module, (int)name_length, name);
    return text && pickle_push(machine, (PickleValue){.kind = PICKLE_GLOBAL, .text = text});
}

static bool push_named(PickleMachine *machine, int unused)
{
    (void)unused;
    size_t module_length, name_length;
    const char *module = take_line(machine, &module_length);
    const char *name = module ? take_line(machine, &name_length) : NULL;
    return name && push_global(machine, module, module_length, name, name_length);
}

static bool push_stacked(PickleMachine *machine, int unused)
{
    (void)unused;
    const PickleValue *name = pop(machine), *module = name ? pop(machine) : NULL;
    if (!module)
        return false;
    if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
        return error_set(machine->err, TELL(PICKLE_NAME));
    return push_global(machine, module->text, strlen(module->text), name->text, strlen(name->text));
}

// --- opcodes: functions of the machine and the argument of their row

static bool skip(PickleMachine *machine, int bytes)
{
    return take(machine, (size_t)bytes) != NULL;
}

// --- numbers and strings

static bool push_truth(PickleMachine *machine, int truth)
{
    return pickle_push(machine, (PickleValue){.kind = PICKLE_NUMBER, .number = truth});
}

static bool push_signed(PickleMachine *machine, int width)
{
    return push_number(machine, (size_t)width, true);
}

static bool push_unsigned(PickleMachine *machine, int width)
{
    return push_number(machine, (size_t)width, false);
}

// An integer preceded by its width, which takes this many bytes.
static bool push_long(PickleMachine *machine, int length_bytes)
{
    uint64_t width;
    return take_number(machine, (size_t)length_bytes, &width) &&
           push_number(machine, (size_t)width, true);
}

static bool push_decimal(PickleMachine *machine, int unused)
{
    int64_t number;
    (void)unused;
    return take_decimal(machine, &number) &&
           pickle_push(machine, (PickleValue){.kind = PICKLE_NUMBER, .number = number});
}

// A float of eight bytes, or as a line.
static bool push_float(PickleMachine *machine, int is_line)
{
    size_t length;
    return (is_line ? take_line(machine, &length) != NULL : take(machine, 8) != NULL) &&
           push_kind(machine, PICKLE_PLAIN);
}

// A string preceded by its length, which takes this many bytes.
static bool push_text(PickleMachine *machine, int length_bytes)
{
    uint64_t length;
    const unsigned char *bytes;
    return take_number(machine, (size_t)length_bytes, &length) &&
           (bytes = take(machine, (size_t)length)) != NULL &&
           push_bytes(machine, bytes, (size_t)length);
}

// Bytes, which mean nothing here.
static bool push_blob(PickleMachine *machine, int length_bytes)
{
    uint64_t length;
    return take_number(machine, (size_t)length_bytes, &length) && take(machine, (size_t)length) &&
           push_kind(machine, PICKLE_PLAIN);
}

static bool push_line(PickleMachine *machine, int may_be_quoted)
{
    size_t length;
    const char *line = take_line(machine, &length);
    size_t quote = line && may_be_quoted && length >= 2;
    return line && push_bytes(machine, line + quote, length - 2 * quote);
}

// --- collections

static bool push_few(PickleMachine *machine, int count)
{
    return push_tuple(machine, (size_t)count);
}

// Makes a tuple, list, dict or set of the values above the newest mark.
static bool push_marked(PickleMachine *machine, int kind)
{
    size_t count = 0;
    if (!take_mark(machine, &count) || !push_tuple(machine, count))
        return false;
    PickleValue *made = top(machine);
    made->kind = (PickleKind)kind;
    return kind != PICKLE_DICT || made->count % 2 == 0 ||
           error_set(machine->err, TELL(PICKLE_FILLS), "dict");
}

// Adds one item, or a key and a value.
static bool put_one(PickleMachine *machine, int kind)
{
    return put_items(machine, kind == PICKLE_DICT ? 2 : 1, (PickleKind)kind);
}

static bool put_marked(PickleMachine *machine, int kind)
{
    size_t count = 0;
    return take_mark(machine, &count) && put_items(machine, count, (PickleKind)kind);
}

// --- stack and memo

static bool drop(PickleMachine *machine, int unused)
{
    (void)unused;
    return pop(machine) != NULL;
}

// Removes the newest mark and everything above it.
static bool drop_marked(PickleMachine *machine, int unused)
{
    size_t count = 0;
    (void)unused;
    bool good = take_mark(machine, &count);
    machine->stack.count -= count;
    return good;
}

static bool duplicate(PickleMachine *machine, int unused)
{
    PickleValue *value = top(machine);
    (void)unused;
    return value && stack_add(machine, &machine->stack, value);
}

// A number of this many bytes, or a decimal line.
static bool take_memo(PickleMachine *machine, int width, uint64_t *number)
{
    int64_t decimal = 0;
    if (width > 0)
        return take_number(machine, (size_t)width, number);
    bool good = take_decimal(machine, &decimal);
    *number = (uint64_t)decimal;
    return good;
}

enum { DECIMAL = 0 };

static bool put(PickleMachine *machine, int width)
{
    uint64_t number;
    return take_memo(machine, width, &number) && memo_put(machine, number);
}

static bool get(PickleMachine *machine, int width)
{
    uint64_t number;
    const PickleStack *memo = &machine->memo;
    if (!take_memo(machine, width, &number))
        return false;
    if (number >= memo->count || !memo->at[number])
        return error_set(machine->err, TELL(PICKLE_USES), (unsigned long long)number);
    return stack_add(machine, &machine->stack, memo->at[number]);
}

static bool put_next(PickleMachine *machine, int unused)
{
    (void)unused;
    return memo_put(machine, machine->memo.count);
}

// --- calls

static bool push_result(PickleMachine *machine, const PickleValue *function,
                        const PickleValue *arguments)
{
    PickleValue made;
    return pickle_call(function, arguments, machine->arena, &made, machine->err) &&
           pickle_push(machine, made);
}

// Keyword arguments are dropped.
static bool call(PickleMachine *machine, int has_keywords)
{
    if (has_keywords && !pop(machine))
        return false;
    const PickleValue *arguments = pop(machine), *function = arguments ? pop(machine) : NULL;
    return function && push_result(machine, function, arguments);
}

// A class and its arguments above a mark: OBJ has the class among them, INST names it.
static bool call_marked(PickleMachine *machine, int is_named)
{
    if (is_named && !push_named(machine, 0))
        return false;
    const PickleValue *class = is_named ? pop(machine) : NULL;
    if (!push_marked(machine, PICKLE_TUPLE))
        return false;
    const PickleValue *all = pop(machine);
    if (!class && all->first)
        class = all->first->value;
    return class ? push_result(machine, class, all)
                 : error_set(machine->err, TELL(PICKLE_NO_FUNCTION));
}

static bool find_storage(PickleMachine *machine, int unused)
{
    const PickleValue *id = pop(machine);
    PickleValue made;
    (void)unused;
    if (!id || !pickle_storage(id, machine->arena, &made, machine->err) ||
        !pickle_push(machine, made))
        return false;
    return made.kind != PICKLE_STORAGE || stack_add(machine, &machine->storages, top(machine));
}

// Ignores the attributes of a state dict (its _metadata).
static bool build(PickleMachine *machine, int unused)
{
    const PickleValue *state = pop(machine);
    PickleValue *object = state ? top(machine) : NULL;
    (void)unused;
    if (!object)
        return false;
    if (object->kind == PICKLE_OBJECT)
        object->state = state;
    return object->kind == PICKLE_OBJECT || object->kind == PICKLE_DICT ||
           error_set(machine->err, TELL(PICKLE_ATTRIBUTES));
}

// --- the table

// All but STOP, with their names in pickletools.py.
static const struct {
    unsigned char code;
    bool (*run)(PickleMachine *machine, int argument);
    int argument;
} opcodes[] = {
    {'(', push_kind, PICKLE_MARK},    // MARK
    {'0', drop, 0},                   // POP
    {'1', drop_marked, 0},            // POP_MARK
    {'2', duplicate, 0},              // DUP
    {0x80, skip, 1},                  // PROTO
    {0x95, skip, 8},                  // FRAME
    {'p', put, DECIMAL},              // PUT
    {'q', put, 1},                    // BINPUT
    {'r', put, 4},                    // LONG_BINPUT
    {0x94, put_next, 0},              // MEMOIZE
    {'g', get, DECIMAL},              // GET
    {'h', get, 1},                    // BINGET
    {'j', get, 4},                    // LONG_BINGET
    {'N', push_kind, PICKLE_PLAIN},   // NONE
    {0x88, push_truth, 1},            // NEWTRUE
    {0x89, push_truth, 0},            // NEWFALSE
    {'G', push_float, false},         // BINFLOAT
    {'F', push_float, true},          // FLOAT
    {'J', push_signed, 4},            // BININT
    {'K', push_unsigned, 1},          // BININT1
    {'M', push_unsigned, 2},          // BININT2
    {0x8a, push_long, 1},             // LONG1
    {0x8b, push_long, 4},             // LONG4
    {'I', push_decimal, 0},           // INT
    {'L', push_decimal, 0},           // LONG
    {'T', push_text, 4},              // BINSTRING
    {'U', push_text, 1},              // SHORT_BINSTRING
    {'X', push_text, 4},              // BINUNICODE
    {0x8c, push_text, 1},             // SHORT_BINUNICODE
    {0x8d, push_text, 8},             // BINUNICODE8
    {'B', push_blob, 4},              // BINBYTES
    {'C', push_blob, 1},              // SHORT_BINBYTES
    {0x8e, push_blob, 8},             // BINBYTES8
    {0x96, push_blob, 8},             // BYTEARRAY8
    {'S', push_line, true},           // STRING
    {'V', push_line, false},          // UNICODE
    {')', push_kind, PICKLE_TUPLE},   // EMPTY_TUPLE
    {']', push_kind, PICKLE_LIST},    // EMPTY_LIST
    {0x8f, push_kind, PICKLE_LIST},   // EMPTY_SET
    {'}', push_kind, PICKLE_DICT},    // EMPTY_DICT
    {0x85, push_few, 1},              // TUPLE1
    {0x86, push_few, 2},              // TUPLE2
    {0x87, push_few, 3},              // TUPLE3
    {'t', push_marked, PICKLE_TUPLE}, // TUPLE
    {'l', push_marked, PICKLE_LIST},  // LIST
    {0x91, push_marked, PICKLE_LIST}, // FROZENSET
    {'d', push_marked, PICKLE_DICT},  // DICT
    {'a', put_one, PICKLE_LIST},      // APPEND
    {'s', put_one, PICKLE_DICT},      // SETITEM
    {'e', put_marked, PICKLE_LIST},   // APPENDS
    {0x90, put_marked, PICKLE_LIST},  // ADDITEMS
    {'u', put_marked, PICKLE_DICT},   // SETITEMS
    {'c', push_named, 0},             // GLOBAL
    {0x93, push_stacked, 0},          // STACK_GLOBAL
    {'Q', find_storage, 0},           // BINPERSID
    {'R', call, false},               // REDUCE
    {0x81, call, false},              // NEWOBJ
    {0x92, call, true},               // NEWOBJ_EX
    {'o', call_marked, false},        // OBJ
    {'i', call_marked, true},         // INST
    {'b', build, 0},                  // BUILD
};

static bool step(PickleMachine *machine, unsigned char code)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcodes[i].code == code)
            return opcodes[i].run(machine, opcodes[i].argument);
    return error_set(machine->err, TELL(PICKLE_OPCODE), (unsigned)code);
}

PickleValue *pickle_run(PickleMachine *machine)
{
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        const unsigned char *opcode = take(machine, 1);
        if (!opcode)
            return NULL;
        if (*opcode == '.') // STOP
            return pop(machine);
        if (!step(machine, *opcode))
            return NULL;
    }
    error_set(machine->err, TELL(PICKLE_STEPS), STEPS_MAX);
    return NULL;
}
