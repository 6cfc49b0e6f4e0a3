// scenario_tensor: a TENSOR of a scenario file, from nested lists, a file or the generator; see
// scenario_internal.h.
#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "scenario_internal.h"
#include "scenarios_words.def"

const char *scenario_written_in(Reading *reading, const YamlNode *node, Error *err)
{
    const char *slash = strrchr(node->file, '/');
    if (strncmp(node->file, "--", 2) == 0)
        return arena_format(&reading->scenario->arena, err, TELL(FROM_OPTION), node->file);
    return arena_format(&reading->scenario->arena, err, TELL(FROM_LINE),
                        slash ? slash + 1 : node->file, node->line);
}

const char *scenario_file_path(Reading *reading, const YamlNode *node, Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (node->kind != YAML_SCALAR || *node->text == '\0') {
        yaml_error(node, err, TELL(TENSOR_FILE_NAME), field_text(node, text));
        return NULL;
    }
    bool is_given = yaml_is_given(node); // and not written in the scenario's own file
    if (reading->scenario->request.no_files && is_given) {
        error_set(err, "%s", reading->scenario->request.no_files);
        return NULL;
    }
    const char *slash = strrchr(node->file, '/');
    int folder = slash && node->text[0] != '/' ? (int)(slash + 1 - node->file) : 0;
    return arena_format(reading->scratch, err, "%.*s%s", folder, node->file, node->text);
}

TensorFile *scenario_tensor_file(Reading *reading, const YamlNode *node, Error *err)
{
    const char *path = scenario_file_path(reading, node, err);
    TensorFile *file = path ? tensor_file_open(path, reading->scratch, err) : NULL;
    if (path && !file)
        yaml_place(node, err);
    return file;
}

bool scenario_tensor_fits(const Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Error *err)
{
    char text[TENSOR_TEXT_MAX];
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t taken = reading->scenario->arena.bytes + reading->scratch->bytes, bytes;
    ptrdiff_t count;
    tensor_shape_text(plan->rank, plan->shape, text);
    if (!tensor_count_of(plan->rank, plan->shape, &count) ||
        __builtin_mul_overflow((size_t)count, dtype_size(plan->dtype), &bytes))
        return yaml_error(node, err, TELL(TENSOR_TOO_LARGE), plan->name, text);
    if (bytes > machine || taken > machine - bytes)
        return yaml_error(node, err, TELL(TENSOR_TAKES), plan->name, text, bytes, taken, machine);
    return true;
}

bool scenario_tensor_take(Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Tensor *out, Error *err)
{
    return scenario_tensor_fits(reading, node, plan, err) &&
           tensor_take(&reading->scenario->arena, plan->dtype, plan->rank, plan->shape, out, err);
}

// --- nested lists

// The lengths along the first item of every list.
static bool literal_shape(const YamlNode *node, const TensorWish *wish, int *rank,
                          ptrdiff_t shape[], Error *err)
{
    const YamlNode *inner = node;
    for (*rank = 0; inner->kind == YAML_LIST; inner = inner->first) {
        if (inner->count == 0)
            return yaml_error(inner, err, TELL(LIST_EMPTY), wish->name);
        if (*rank == TENSOR_RANK_MAX)
            return yaml_error(inner, err, TELL(LIST_AXES), wish->name, TENSOR_RANK_MAX);
        shape[(*rank)++] = (ptrdiff_t)inner->count;
    }
    return true;
}

static bool literal_number(const YamlNode *node, float *out, Error *err)
{
    double number;
    if (!yaml_number(node, &number, err))
        return false;
    if (isfinite(number) && fabs(number) > FLT_MAX)
        return yaml_error(node, err, TELL(LIST_BEYOND), node->text);
    *out = (float)number;
    return true;
}

static bool literal_fill(const YamlNode *node, int axis, const TensorWish *wish, Tensor *out,
                         ptrdiff_t *place, Error *err)
{
    if (axis == out->rank) {
        if (node->kind != YAML_SCALAR)
            return yaml_error(node, err, TELL(LIST_AMONG_VALUES), wish->name);
        bool flag = false;
        if (out->dtype == DTYPE_F32)
            return literal_number(node, &out->storage.f32[(*place)++], err);
        if (!yaml_boolean(node, &flag, err))
            return false;
        out->storage.boolean[(*place)++] = flag;
        return true;
    }
    if (node->kind != YAML_LIST)
        return yaml_error(node, err, TELL(VALUE_AMONG_LISTS), wish->name);
    if (node->count != (size_t)out->shape[axis])
        return yaml_error(node, err, TELL(LIST_RAGGED), wish->name, node->count, out->shape[axis]);
    for (const YamlNode *child = node->first; child; child = child->next)
        if (!literal_fill(child, axis + 1, wish, out, place, err))
            return false;
    return true;
}

static bool check_rank(const YamlNode *node, const TensorWish *wish, int rank,
                       const ptrdiff_t shape[], Error *err)
{
    char text[TENSOR_TEXT_MAX];
    if (wish->rank == 0 || rank == wish->rank)
        return true;
    return yaml_error(node, err, TELL(TENSOR_RANK), wish->name,
                      tensor_shape_text(rank, shape, text), wish->rank, wish->axes);
}

// Whether nested lists hold a number besides 0 and 1, which could be meant as flags.
static bool holds_numbers(const YamlNode *node)
{
    bool flag;
    Error unused;
    for (const YamlNode *child = node->kind == YAML_LIST ? node->first : NULL; child;
         child = child->next)
        if (holds_numbers(child))
            return true;
    return node->kind == YAML_SCALAR && !yaml_boolean(node, &flag, &unused) &&
           strcmp(node->text, "0") != 0 && strcmp(node->text, "1") != 0;
}

static bool read_literal(Reading *reading, const YamlNode *node, const TensorWish *wish,
                         Tensor *out, const char **from, Error *err)
{
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX], place = 0;
    Dtype dtype = wish->or_numbers && holds_numbers(node) ? DTYPE_F32 : wish->dtype;
    *from = scenario_written_in(reading, node, err);
    return *from && literal_shape(node, wish, &rank, shape, err) &&
           check_rank(node, wish, rank, shape, err) &&
           scenario_tensor_take(reading, node, &(TensorPlan){wish->name, dtype, rank, shape}, out,
                                err) &&
           literal_fill(node, 0, wish, out, &place, err);
}

// --- files

const char *scenario_file_from(Reading *reading, const TensorFile *file, const char *path,
                               const char *name, Error *err)
{
    const char *became = tensor_file_conversion(file);
    return arena_format(&reading->scenario->arena, err, "%s%s%s%s%s%s", path, *name ? ", " : "",
                        name, became ? " (" : "", became ? became : "", became ? ")" : "");
}

// The name of the wanted tensor; "" for a .npy file, whose one tensor has none.
static bool read_name(const YamlNode *node, const TensorFile *file, const char **name, Error *err)
{
    const YamlNode *name_node = yaml_get(node, "name");
    bool is_nameless = tensor_file_count(file) == 1 && *tensor_file_name(file, 0) == '\0';
    char text[FIELD_TEXT_MAX];
    *name = "";
    if (!name_node)
        return is_nameless || yaml_error(node, err, TELL(TENSOR_NAMELESS));
    if (name_node->kind != YAML_SCALAR)
        return yaml_error(name_node, err, TELL(TENSOR_NAME), field_text(name_node, text));
    *name = name_node->text;
    return true;
}

static bool read_from_file(Reading *reading, const YamlNode *node, const TensorWish *wish,
                           Tensor *out, const char **from, Error *err)
{
    const YamlNode *file_node = yaml_get(node, "file");
    const char *name;
    Arena *arena = &reading->scenario->arena;
    TensorFile *file = scenario_tensor_file(reading, file_node, err);
    if (!file)
        return false;
    bool is_read = read_name(node, file, &name, err);
    if (is_read && !tensor_file_read(file, name, arena, out, err))
        is_read = yaml_place(node, err);
    *from = is_read ? scenario_file_from(reading, file, file_node->text, name, err) : NULL;
    tensor_file_close(file);
    if (!*from)
        return false;
    if (out->dtype != wish->dtype && !(wish->or_numbers && out->dtype == DTYPE_F32))
        return yaml_error(node, err, TELL(TENSOR_DTYPE), wish->name, dtype_name(out->dtype),
                          file_node->text, dtype_name(wish->dtype));
    if (tensor_count(out) == 0)
        return yaml_error(node, err, TELL(TENSOR_NO_NUMBERS), wish->name, file_node->text);
    return check_rank(node, wish, out->rank, out->shape, err);
}

// --- draws

static bool read_drawn(Reading *reading, const YamlNode *node, const TensorWish *wish, Tensor *out,
                       Error *err)
{
    int rank = 0;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    const YamlNode *list = yaml_get(node, "randn");
    if (!wish->may_be_drawn)
        return yaml_key_error(list, err, TELL(TENSOR_NOT_DRAWN), wish->name);
    if (!field_shape(list, &rank, shape, err) || !check_rank(list, wish, rank, shape, err) ||
        !scenario_tensor_fits(reading, list, &(TensorPlan){wish->name, DTYPE_F32, rank, shape},
                              err))
        return false;
    *out = tensor_over(NULL, DTYPE_F32, rank, shape);
    return true;
}

bool scenario_tensor_read(Reading *reading, const YamlNode *node, const TensorWish *wish,
                          Tensor *out, const char **from, Error *err)
{
    static const char *const file_keys[] = {"file", "name", NULL};
    static const char *const drawn_keys[] = {"randn", NULL};
    static const char *const all_keys[] = {"file", "name", "randn", NULL};
    char text[FIELD_TEXT_MAX];
    if (node->kind == YAML_LIST)
        return read_literal(reading, node, wish, out, from, err);
    if (node->kind == YAML_SCALAR)
        return yaml_error(node, err, TELL(TENSOR_FORM), wish->name, wish->axes,
                          field_text(node, text));
    if (yaml_get(node, "file"))
        return yaml_only(node, file_keys, err) &&
               read_from_file(reading, node, wish, out, from, err);
    if (yaml_get(node, "randn"))
        return yaml_only(node, drawn_keys, err) && read_drawn(reading, node, wish, out, err);
    return yaml_only(node, all_keys, err) &&
           yaml_error(node, err, TELL(TENSOR_NO_FILE), wish->name);
}
