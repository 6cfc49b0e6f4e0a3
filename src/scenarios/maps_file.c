// maps_file: tensors put together as one stack of maps; see maps_file.h.
#include "maps_file.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "scenarios_words.h"

enum { MAPS_RANK = 4, AXES_TEXT_MAX = 64 };

typedef enum Axis { AXIS_LAYERS, AXIS_BATCH, AXIS_HEADS, AXIS_QUERIES, AXIS_KEYS, AXES } Axis;

static const char *const axis_names[AXES] = {"layers", "B", "H", "Q", "K"};

// Which axis of a tensor is which; -1: it has none.
typedef struct Axes {
    int rank;
    int place[AXES];
} Axes;

typedef struct MapsFile {
    const MapsRequest *request;
    const char *path;
    TensorFile *file;
    MapsSet set;
    Axes axes;
    MapsRead *out;
    Arena *arena;
} MapsFile;

// --- axes

static const char *axes_text(const Axes *axes, char text[AXES_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (int place = 0; place < axes->rank; place++)
        for (int axis = 0; axis < AXES; axis++)
            if (axes->place[axis] == place)
                used += (size_t)snprintf(text + used, AXES_TEXT_MAX - used, "%s%s",
                                         place ? "," : "", axis_names[axis]);
    return text;
}

// The last `rank` axes of layers,B,H,Q,K without `but`.
static Axes usual_axes(int rank, Axis but)
{
    Axes axes = {.rank = rank};
    int place = rank - 1;
    for (int axis = AXES - 1; axis >= 0; axis--)
        axes.place[axis] = (Axis)axis == but || place < 0 ? -1 : place--;
    return axes;
}

// What a tensor of this rank is taken for when nobody says.
static Axes assumed_axes(const MapsFile *maps, int rank)
{
    bool has_batch = maps->request->has_batch;
    if (rank == 3)
        return usual_axes(rank, has_batch ? AXIS_HEADS : AXIS_BATCH);
    if (rank == 4)
        return usual_axes(rank, has_batch || maps->set.is_list ? AXIS_LAYERS : AXIS_BATCH);
    return usual_axes(rank, AXES);
}

static int find_axis(const char *name, size_t length)
{
    static const char *const names[AXES][4] = {{"layers", "layer", "N"},
                                               {"B", "batch"},
                                               {"H", "heads", "head"},
                                               {"Q", "queries", "query", "Lq"},
                                               {"K", "keys", "key", "Lk"}};
    for (int axis = 0; axis < AXES; axis++)
        for (int i = 0; i < 4 && names[axis][i]; i++)
            if (strlen(names[axis][i]) == length && strncasecmp(names[axis][i], name, length) == 0)
                return axis;
    return -1;
}

// "layers,B,H,Q,K"
static bool parse_axes(const char *text, Axes *axes, Error *err)
{
    static const char between[] = ", ";
    *axes = (Axes){.place = {-1, -1, -1, -1, -1}};
    for (const char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
        size_t length = strcspn(at, between);
        int axis = find_axis(at, length);
        if (axis < 0 || axes->place[axis] >= 0)
            return error_set(err, TELL(MAPS_AXES_FORM), text);
        axes->place[axis] = axes->rank++;
        at += length;
    }
    return (axes->place[AXIS_QUERIES] >= 0 && axes->place[AXIS_KEYS] >= 0) ||
           error_set(err, TELL(MAPS_AXES_FORM), text);
}

static const char *name_of(const MapsFile *maps, int number)
{
    return maps->set.names[number][0] ? maps->set.names[number] : maps->path;
}

static bool settle_axes(MapsFile *maps, const Tensor *tensor, Error *err)
{
    char shape[TENSOR_TEXT_MAX];
    const char *asked = maps->request->axes;
    tensor_shape_text(tensor->rank, tensor->shape, shape);
    int most = maps->set.count > 1 ? MAPS_RANK : MAPS_RANK + 1;
    if (!asked && (tensor->rank < 2 || tensor->rank > most))
        return error_set(err, TELL(MAPS_SHAPE), maps->path, name_of(maps, 0), shape, maps->path);
    if (!asked) {
        maps->axes = assumed_axes(maps, tensor->rank);
        return true;
    }
    if (!parse_axes(asked, &maps->axes, err))
        return false;
    if (maps->axes.rank != tensor->rank)
        return error_set(err, TELL(MAPS_AXES_RANK), asked, maps->axes.rank, maps->path,
                         name_of(maps, 0), shape, tensor->rank);
    return maps->set.count == 1 || maps->axes.place[AXIS_LAYERS] < 0 ||
           error_set(err, TELL(MAPS_AXES_LAYERS), asked, maps->path, maps->set.count);
}

static bool settle_batch(const MapsFile *maps, const Tensor *tensor, Error *err)
{
    char text[AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX];
    int axis = maps->axes.place[AXIS_BATCH];
    ptrdiff_t count = axis < 0 ? 1 : tensor->shape[axis], batch = maps->request->batch;
    if (maps->request->has_batch && (batch < 0 || batch >= count))
        return error_set(err, TELL(MAPS_NO_BATCH), batch, maps->path, name_of(maps, 0),
                         tensor_shape_text(tensor->rank, tensor->shape, shape),
                         axes_text(&maps->axes, text), count);
    maps->out->batch = maps->request->has_batch ? batch : 0;
    return true;
}

// As (layers, H, Lq, Lk), a view.
static Tensor spread(const MapsFile *maps, const Tensor *tensor)
{
    static const Axis order[MAPS_RANK] = {AXIS_LAYERS, AXIS_HEADS, AXIS_QUERIES, AXIS_KEYS};
    Tensor view = *tensor;
    int batch = maps->axes.place[AXIS_BATCH];
    view.rank = MAPS_RANK;
    if (batch >= 0)
        view.offset += maps->out->batch * tensor->stride[batch];
    for (int axis = 0; axis < MAPS_RANK; axis++) {
        int place = maps->axes.place[order[axis]];
        view.shape[axis] = place < 0 ? 1 : tensor->shape[place];
        view.stride[axis] = place < 0 ? 0 : tensor->stride[place];
    }
    return view;
}

// Says what was assumed of the axes, where another meaning would show other maps.
static bool note_axes(const MapsFile *maps, const Tensor *tensor, Error *err)
{
    char text[AXES_TEXT_MAX], other[AXES_TEXT_MAX], shape[TENSOR_TEXT_MAX];
    int batch = maps->axes.place[AXIS_BATCH];
    bool is_sure = maps->request->axes || maps->request->has_batch || tensor->shape[0] == 1 ||
                   tensor->rank < 3 || batch >= 0;
    if (!is_sure) {
        Axes batched = usual_axes(tensor->rank, tensor->rank == 3 ? AXIS_HEADS : AXIS_LAYERS);
        maps->out->note =
            arena_format(maps->arena, err, TELL(MAPS_ASSUMED), maps->path, name_of(maps, 0),
                         tensor_shape_text(tensor->rank, tensor->shape, shape),
                         axes_text(&maps->axes, text), axes_text(&batched, other));
        return maps->out->note != NULL;
    }
    if (batch < 0 || maps->request->has_batch || tensor->shape[batch] == 1)
        return true;
    maps->out->note =
        arena_format(maps->arena, err, TELL(MAPS_SEQUENCE), maps->path, tensor->shape[batch]);
    return maps->out->note != NULL;
}

// --- tensors

static bool read_one(MapsFile *maps, int number, Tensor *out, Error *err)
{
    char text[TENSOR_TEXT_MAX];
    Tensor tensor;
    if (!tensor_file_read(maps->file, maps->set.names[number], maps->arena, &tensor, err))
        return false;
    tensor_shape_text(tensor.rank, tensor.shape, text);
    if (number == 0 && !settle_axes(maps, &tensor, err))
        return false;
    if (tensor.rank != maps->axes.rank)
        return error_set(err, TELL(MAPS_SHAPE), maps->path, name_of(maps, number), text,
                         maps->path);
    if (tensor.dtype != DTYPE_F32)
        return error_set(err, tensor.dtype == DTYPE_BOOL ? TELL(MAPS_FLAGS) : TELL(MAPS_WHOLE),
                         maps->path, name_of(maps, number));
    if (tensor_count(&tensor) == 0)
        return error_set(err, TELL(MAPS_EMPTY), maps->path, name_of(maps, number), text);
    if (!settle_batch(maps, &tensor, err))
        return false;
    *out = spread(maps, &tensor);
    return number > 0 || note_axes(maps, &tensor, err);
}

static bool put_layer(const MapsFile *maps, int number, const Tensor *one, Error *err)
{
    char first[TENSOR_TEXT_MAX], other[TENSOR_TEXT_MAX];
    Tensor *all = &maps->out->maps;
    ptrdiff_t shape[MAPS_RANK] = {maps->set.count, one->shape[1], one->shape[2], one->shape[3]};
    if (number == 0 && !tensor_take(maps->arena, DTYPE_F32, MAPS_RANK, shape, all, err))
        return false;
    if (memcmp(all->shape + 1, shape + 1, sizeof shape - sizeof *shape) != 0)
        return error_set(err, TELL(MAPS_UNLIKE), maps->path, maps->set.names[0],
                         tensor_shape_text(MAPS_RANK - 1, all->shape + 1, first),
                         maps->set.names[number],
                         tensor_shape_text(MAPS_RANK - 1, one->shape + 1, other));
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(one, at)) {
        ptrdiff_t to[TENSOR_RANK_MAX] = {number, at[1], at[2], at[3]};
        all->storage.f32[tensor_place(all, to)] = one->storage.f32[tensor_place(one, at)];
    }
    return true;
}

static bool read_all(MapsFile *maps, Error *err)
{
    Tensor one;
    if (maps->set.count == 1)
        return read_one(maps, 0, &maps->out->maps, err);
    for (int number = 0; number < maps->set.count; number++)
        if (!read_one(maps, number, &one, err) || !put_layer(maps, number, &one, err))
            return false;
    return true;
}

// "maps.npz, arr_0 ... arr_11 (float16, widened to float32)"
static const char *tell_from(const MapsFile *maps, Error *err)
{
    const char *slash = strrchr(maps->path, '/');
    const char *conversion = tensor_file_conversion(maps->file);
    int count = maps->set.count;
    const char *first = maps->set.names[0], *last = count > 1 ? maps->set.names[count - 1] : "";
    return arena_format(maps->arena, err, "%s%s%s%s%s%s%s%s", slash ? slash + 1 : maps->path,
                        *first ? ", " : "", first, *last ? " ... " : "", last,
                        conversion ? " (" : "", conversion ? conversion : "",
                        conversion ? ")" : "");
}

static bool read_set(MapsFile *maps, const char *only, Error *err)
{
    MapsRead *out = maps->out;
    if (!maps_sets_choose(maps->file, maps->path, only, maps->arena, &maps->set, err) ||
        !read_all(maps, err) || !(out->from = tell_from(maps, err)))
        return false;
    const char *others = maps->set.note;
    // The names of a set may be the file's own, which go when it is closed.
    if (!(out->label = arena_text(maps->arena, maps->set.label, err)))
        return false;
    if (others)
        out->note =
            out->note ? arena_format(maps->arena, err, "%s. %s", others, out->note) : others;
    return (!others || out->note) &&
           tensor_file_words(maps->file, maps->arena, &out->words, &out->words_count, err);
}

// Where a path ends and "#NAME" begins: at the first mark behind which a file's name ends, as names
// may have marks, too.
static const char *find_mark(const char *what, Arena *arena, Error *err)
{
    const char *last = strrchr(what, '#');
    if (!last || access(what, F_OK) == 0)
        return NULL;
    for (const char *mark = strchr(what, '#'); mark; mark = strchr(mark + 1, '#')) {
        const char *path = arena_format(arena, err, "%.*s", (int)(mark - what), what);
        if (path && access(path, F_OK) == 0)
            return mark;
    }
    return last;
}

bool maps_file_read(const MapsRequest *request, Arena *arena, MapsRead *out, Error *err)
{
    const char *what = request->file, *mark = find_mark(what, arena, err);
    const char *path =
        arena_format(arena, err, "%.*s", (int)(mark ? mark - what : (ptrdiff_t)strlen(what)), what);
    MapsFile maps = {.request = request, .path = path, .out = out, .arena = arena};
    *out = (MapsRead){.note = NULL};
    if (!path || !(maps.file = tensor_file_open(path, arena, err)))
        return false;
    bool good = read_set(&maps, mark ? mark + 1 : NULL, err);
    tensor_file_close(maps.file);
    return good;
}
