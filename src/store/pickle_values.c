// pickle_values: tensors from what the machine has on its stack; see pickle_values.h.
#include "pickle_values.h"

#include <string.h>
#include "store_words.h"

bool pickle_append(PickleValue *to, const PickleValue *value, Arena *arena, Error *err)
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

// Item `number` of a tuple where it is of this kind; NULL where it is not.
static const PickleValue *item_of(const PickleValue *tuple, size_t number, PickleKind kind)
{
    const PickleItem *item = tuple->kind == PICKLE_TUPLE ? tuple->first : NULL;
    for (; item && number > 0; number--)
        item = item->next;
    return item && item->value->kind == kind ? item->value : NULL;
}

// A number's type, as the classes of storages are called after it ("FloatStorage") or as a dtype is
// called ("float32"; "": no storage of one type has it).
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

// That of a class of storages or a dtype, whose name is "torch FloatStorage" or "torch float32".
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

// The storage of a view of another one begins where the view does.
static bool view_offset(const PickleValue *id, size_t *offset)
{
    const PickleValue *view = item_of(id, 5, PICKLE_TUPLE);
    const PickleValue *number = view ? item_of(view, 1, PICKLE_NUMBER) : NULL;
    *offset = number && number->number > 0 ? (size_t)number->number : 0;
    return !view || (number && number->number >= 0);
}

bool pickle_storage(const PickleValue *id, Arena *arena, PickleValue *out, Error *err)
{
    const PickleValue *what = item_of(id, 0, PICKLE_TEXT), *type = item_of(id, 1, PICKLE_GLOBAL);
    const PickleValue *key = item_of(id, 2, PICKLE_TEXT), *count = item_of(id, 4, PICKLE_NUMBER);
    size_t offset;
    if (what && type && strcmp(what->text, "module") == 0) {
        *out = *type;
        return true;
    }
    if (!what || strcmp(what->text, "storage") != 0 || !type || !key || !count ||
        count->number < 0 || !view_offset(id, &offset))
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
                              .offset = offset};
    *out = (PickleValue){.kind = PICKLE_STORAGE, .tensor = tensor};
    return true;
}

// The numbers of a tuple, none negative, into `out`; how many there are. -1: not so. More than a
// tensor has axes are counted, not kept.
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

// A storage without a type has the one that is named beside it, and is counted in bytes.
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

// Whether PyTorch has marked the tensor as one whose numbers are meant with another sign.
static bool is_marked(const PickleValue *arguments)
{
    const PickleValue *marks = item_of(arguments, 6, PICKLE_DICT);
    for (const PickleItem *item = marks ? marks->first : NULL; item; item = item->next)
        if (item->value->kind == PICKLE_NUMBER && item->value->number != 0)
            return true;
    return false;
}

// _rebuild_tensor(storage, offset, size, stride, ...); in its third version the dtype is the seventh.
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
    if (is_marked(arguments))
        tensor->kind = RAW_OTHER;
    *out = (PickleValue){.kind = PICKLE_TENSOR, .tensor = tensor};
    return true;
}

// Tensors of other kinds (quantized, sparse, nested ...) are there, and not read.
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

// _rebuild_from_type_v2(function, class, arguments, state): what the function makes.
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

// Whether Python, which calls such a function while it reads, could be made to run a program by it. A
// module's name stands for those inside it, too.
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

bool pickle_call(const PickleValue *function, const PickleValue *arguments, Arena *arena,
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
