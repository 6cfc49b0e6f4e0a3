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

// The classes of storages by their names.
static RawKind kind_of(const char *type)
{
    static const struct {
        const char *type;
        RawKind kind;
    } known[] = {
        {"torch FloatStorage", RAW_F32},  {"torch HalfStorage", RAW_F16},
        {"torch DoubleStorage", RAW_F64}, {"torch BFloat16Storage", RAW_BF16},
        {"torch LongStorage", RAW_I64},   {"torch IntStorage", RAW_I32},
        {"torch ByteStorage", RAW_U8},    {"torch BoolStorage", RAW_BOOL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].type, type) == 0)
            return known[i].kind;
    return RAW_OTHER;
}

bool pickle_storage(const PickleValue *id, Arena *arena, PickleValue *out, Error *err)
{
    const PickleValue *what = item_of(id, 0, PICKLE_TEXT), *type = item_of(id, 1, PICKLE_GLOBAL);
    const PickleValue *key = item_of(id, 2, PICKLE_TEXT), *count = item_of(id, 4, PICKLE_NUMBER);
    if (!what || strcmp(what->text, "storage") != 0 || !type || !key || !count || count->number < 0)
        return error_set(err, TELL(PICKLE_OUTSIDE));
    PickledTensor *tensor = arena_take(arena, 1, sizeof *tensor, err);
    if (!tensor)
        return false;
    *tensor = (PickledTensor){.key = key->text,
                              .type = strrchr(type->text, ' ') + 1,
                              .kind = kind_of(type->text),
                              .storage_count = (size_t)count->number};
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

// _rebuild_tensor_v2(storage, offset, size, stride, ...)
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
    tensor->offset = (size_t)offset->number;
    tensor->rank = rank > TENSOR_RANK_MAX ? -1 : rank;
    memcpy(tensor->shape, shape, sizeof shape);
    memcpy(tensor->stride, stride, sizeof stride);
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

static bool empty_dict(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err)
{
    (void)arena;
    *out = (PickleValue){.kind = PICKLE_DICT};
    return arguments->count == 0 || error_set(err, TELL(PICKLE_DICT));
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

static bool plain(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err)
{
    (void)arena;
    (void)arguments;
    (void)err;
    *out = (PickleValue){.kind = PICKLE_PLAIN};
    return true;
}

bool pickle_call(const PickleValue *function, const PickleValue *arguments, Arena *arena,
                 PickleValue *out, Error *err)
{
    static const struct {
        const char *name;
        bool (*make)(const PickleValue *arguments, Arena *arena, PickleValue *out, Error *err);
    } known[] = {
        {"torch._utils _rebuild_tensor_v2", rebuild_tensor},
        {"torch._utils _rebuild_parameter", rebuild_parameter},
        {"torch._utils _rebuild_parameter_with_state", rebuild_parameter},
        {"collections OrderedDict", empty_dict},
        {"torch Size", size_of},
        {"torch device", plain},
    };
    if (function->kind != PICKLE_GLOBAL || arguments->kind != PICKLE_TUPLE)
        return error_set(err, TELL(PICKLE_NO_FUNCTION));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, function->text) == 0)
            return known[i].make(arguments, arena, out, err);
    const char *space = strrchr(function->text, ' ');
    return error_set(err, TELL(PICKLE_CALLS), (int)(space - function->text), function->text,
                     space + 1);
}
