// maps_file: see maps_file.h.
#include "maps_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "tensor_file.h"
#include "scenarios_words.h"

enum { MAPS_RANK = 4 };

typedef struct MapsFile {
    const char *path;
    TensorFile *file;
    const char **names; // of the layers, or the one tensor that has all
    int count;
    Arena *arena;
} MapsFile;

// --- names in their order

// "layer.2" before "layer.10": digits count as the number they make.
static int compare_names(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    while (*left && *right) {
        if (isdigit((unsigned char)*left) && isdigit((unsigned char)*right)) {
            left += strspn(left, "0");
            right += strspn(right, "0");
            size_t one = strspn(left, "0123456789"), other = strspn(right, "0123456789");
            int order = one != other ? (one < other ? -1 : 1) : strncmp(left, right, one);
            if (order != 0)
                return order;
            left += one;
            right += other;
        } else if (*left != *right) {
            break;
        } else {
            left++;
            right++;
        }
    }
    return (unsigned char)*left - (unsigned char)*right;
}

static bool list_names(MapsFile *maps, const char *only, Error *err)
{
    int count = only ? 1 : tensor_file_count(maps->file);
    if (count == 0)
        return error_set(err, TELL(MAPS_NONE), maps->path);
    maps->names = arena_take(maps->arena, (size_t)count, sizeof *maps->names, err);
    if (!maps->names)
        return false;
    for (int i = 0; i < count; i++)
        maps->names[i] = only ? only : tensor_file_name(maps->file, i);
    maps->count = count;
    qsort(maps->names, (size_t)count, sizeof *maps->names, compare_names);
    return true;
}

// --- tensors

static const char *name_of(const MapsFile *maps, int number)
{
    return maps->names[number][0] ? maps->names[number] : maps->path;
}

static bool no_maps(const MapsFile *maps, int number, const Tensor *tensor, Error *err)
{
    char text[TENSOR_TEXT_MAX];
    return error_set(err, TELL(MAPS_SHAPE), maps->path, name_of(maps, number),
                     tensor_shape_text(tensor->rank, tensor->shape, text), maps->path);
}

// One tensor of the file with the axes (layers, H, Lq, Lk).
static bool read_one(const MapsFile *maps, int number, Tensor *out, Error *err)
{
    char text[TENSOR_TEXT_MAX];
    Tensor tensor;
    if (!tensor_file_read(maps->file, maps->names[number], maps->arena, &tensor, err))
        return false;
    bool is_batch = tensor.rank == MAPS_RANK + 1 && tensor.shape[1] == 1;
    *out = is_batch ? tensor_squeeze(&tensor, 1) : tensor;
    *out = out->rank == MAPS_RANK - 1 ? tensor_unsqueeze(out, 0) : *out;
    if (out->rank != MAPS_RANK || (maps->count > 1 && out->shape[0] != 1))
        return no_maps(maps, number, &tensor, err);
    if (tensor.dtype != DTYPE_F32)
        return error_set(err, tensor.dtype == DTYPE_BOOL ? TELL(MAPS_FLAGS) : TELL(MAPS_WHOLE),
                         maps->path, name_of(maps, number));
    if (tensor_count(&tensor) == 0)
        return error_set(err, TELL(MAPS_EMPTY), maps->path, name_of(maps, number),
                         tensor_shape_text(tensor.rank, tensor.shape, text));
    return true;
}

static bool put_layer(const MapsFile *maps, int number, const Tensor *one, Tensor *all, Error *err)
{
    char first[TENSOR_TEXT_MAX], other[TENSOR_TEXT_MAX];
    ptrdiff_t shape[MAPS_RANK] = {maps->count, one->shape[1], one->shape[2], one->shape[3]};
    if (number == 0 && !tensor_take(maps->arena, DTYPE_F32, MAPS_RANK, shape, all, err))
        return false;
    if (memcmp(all->shape + 1, shape + 1, sizeof shape - sizeof *shape) != 0)
        return error_set(err, TELL(MAPS_UNLIKE), maps->path, maps->names[0],
                         tensor_shape_text(MAPS_RANK - 1, all->shape + 1, first),
                         maps->names[number],
                         tensor_shape_text(MAPS_RANK - 1, one->shape + 1, other));
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(one, at)) {
        ptrdiff_t to[TENSOR_RANK_MAX] = {number, at[1], at[2], at[3]};
        all->storage.f32[tensor_place(all, to)] = one->storage.f32[tensor_place(one, at)];
    }
    return true;
}

static bool read_all(const MapsFile *maps, Tensor *out, Error *err)
{
    Tensor one;
    if (maps->count == 1)
        return read_one(maps, 0, out, err);
    for (int number = 0; number < maps->count; number++)
        if (!read_one(maps, number, &one, err) || !put_layer(maps, number, &one, out, err))
            return false;
    return true;
}

// "maps.npz, arr_0 ... arr_11 (float16, widened to float32)"
static const char *tell_from(const MapsFile *maps, Error *err)
{
    const char *slash = strrchr(maps->path, '/');
    const char *conversion = tensor_file_conversion(maps->file);
    const char *first = maps->names[0], *last = maps->count > 1 ? maps->names[maps->count - 1] : "";
    return arena_format(maps->arena, err, "%s%s%s%s%s%s%s%s", slash ? slash + 1 : maps->path,
                        *first ? ", " : "", first, *last ? " ... " : "", last,
                        conversion ? " (" : "", conversion ? conversion : "",
                        conversion ? ")" : "");
}

bool maps_file_read(const char *what, Arena *arena, Tensor *out, const char **from, Error *err)
{
    const char *mark = strrchr(what, '#');
    const char *path =
        arena_format(arena, err, "%.*s", (int)(mark ? mark - what : (ptrdiff_t)strlen(what)), what);
    MapsFile maps = {.path = path, .arena = arena};
    if (!path || !(maps.file = tensor_file_open(path, arena, err)))
        return false;
    bool good = list_names(&maps, mark ? mark + 1 : NULL, err) && read_all(&maps, out, err);
    *from = good ? tell_from(&maps, err) : NULL;
    tensor_file_close(maps.file);
    return *from != NULL;
}
