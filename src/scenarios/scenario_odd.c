// scenario_odd: what a file and its config.json have of a layer that has no place in what is computed of it;
// see scenario_internal.h.
#include "scenario_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "utf8.h"
#include "scenarios_words.h"

enum { ONE_BYTES = 200, ALL_BYTES = 700, USED_MAX = 14 + 2 * BLOCK_PARTS };

bool scenario_facts_odd(Facts *facts, Arena *arena, Error *err, const char *format, ...)
{
    char one[ONE_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(one, sizeof one, format, values);
    va_end(values);
    if (strlen(facts->odd) > ALL_BYTES)
        return true; // what is told is enough
    facts->odd = arena_format(arena, err, "%s%s%s", facts->odd, *facts->odd ? "; " : "", one);
    return facts->odd != NULL;
}

// --- fields

static bool find_fields(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    const char *name;
    const JsonValue *value;
    for (int i = 0; (value = json_value_at(facts->config, i, &name)) != NULL; i++) {
        const char *shown = json_value_shown(value, arena, err);
        if (!shown)
            return false;
        if (weight_field_changes(facts->model, name, shown, wish->whole) &&
            !scenario_facts_odd(facts, arena, err, "%s: %s", name, shown))
            return false;
    }
    return true;
}

// --- tensors

typedef struct Used {
    const char *names[USED_MAX];
    int count;
} Used;

// The names of what is computed with, and of the parts of whole layers that are known.
static bool find_used(const FactsWish *wish, const Facts *facts, Used *used, Arena *arena,
                      Error *err)
{
    const WeightLayer *layer = wish->layer;
    const char *const extras[] = {facts->relative ? "relative_key.weight" : "",
                                  facts->qk_norm ? "q_norm.weight" : "",
                                  facts->qk_norm ? "k_norm.weight" : "",
                                  "bias_k", "bias_v", "in_proj.bias"};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        used->names[used->count] = weight_layout_extra(layer, extras[i], arena, err);
        if (!used->names[used->count++])
            return false;
    }
    for (int i = 0; i < 8; i++) {
        used->names[used->count] =
            weight_layout_tensor(wish->file, layer, i / 2, i % 2 == 1, arena, err);
        if (!used->names[used->count++])
            return false;
    }
    if (!weight_block_find(layer->layout))
        return true;
    for (int i = 0; i < 2 * BLOCK_PARTS; i++) {
        used->names[used->count] =
            weight_block_tensor(layer, (WeightBlockPart)(i / 2), i % 2 == 1, arena, err);
        if (!used->names[used->count++])
            return false;
    }
    return true;
}

// How much of the names of a layer's weights is the same up to a dot: what is attention's own.
static size_t own_length(const WeightLayout *layout)
{
    const char *first = layout->weights[0];
    size_t same = strlen(first), dot = 0;
    for (int i = 1; i < 4; i++) {
        size_t length = 0;
        while (length < same && first[length] == layout->weights[i][length])
            length++;
        same = *layout->weights[i] ? length : same;
    }
    for (size_t i = 0; i < same; i++)
        dot = first[i] == '.' ? i + 1 : dot;
    return dot;
}

// A file whose layer has no name of its own may have a whole model beside it: there only what is known to
// belong to attention is of it.
static bool is_of_root(const char *name)
{
    static const char *const words[] = {"bias_k",  "bias_v",      "q_norm",
                                        "k_norm",  "relative",    "rotary",
                                        "rel_pos", "logit_scale", "temperature"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

// Whether a tensor of the file is of the layer that is computed: of attention itself, of a norm around it
// where a residual follows, of the layer and of what stands before the first one.
static bool is_of_layer(const FactsWish *wish, const char *name)
{
    const WeightLayer *layer = wish->layer;
    size_t prefix = strlen(layer->prefix), own = own_length(layer->layout);
    bool begins = strncmp(name, layer->prefix, prefix) == 0;
    if (begins && strncmp(name + prefix, layer->layout->weights[0], own) == 0)
        return prefix + own > 0 || is_of_root(name);
    const WeightBlock *block = weight_block_find(layer->layout);
    size_t around = block ? weight_block_prefix(layer, block, false) : 0;
    size_t before = block ? weight_block_prefix(layer, block, true) : 0;
    bool is_around = around > 0 && strncmp(name, layer->prefix, around) == 0;
    if (wish->whole && block && !is_around)
        return strncmp(name, layer->prefix, before) == 0 && strncmp(name + before, "embed", 5) == 0;
    return is_around && (wish->whole || (block->rms_norm && strstr(name + around, "norm")));
}

static bool is_used(const Used *used, const char *name)
{
    for (int i = 0; i < used->count; i++)
        if (tensor_file_same_name(used->names[i], name))
            return true;
    return false;
}

static bool find_tensors(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    Used used = {.count = 0};
    Tensor tensor;
    if (!find_used(wish, facts, &used, arena, err))
        return false;
    for (int i = 0; i < tensor_file_count(wish->file); i++) {
        const char *name = tensor_file_name(wish->file, i);
        if (!is_of_layer(wish, name) || is_used(&used, name))
            continue;
        bool read = tensor_file_read(wish->file, name, arena, &tensor, err);
        if (!read && err->of_machine)
            return false;
        if ((!read || !weight_is_spare(facts->model, name, &tensor)) &&
            !scenario_facts_odd(facts, arena, err, TELL(FACTS_TENSOR), name))
            return false;
    }
    return true;
}

bool scenario_facts_check(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    if (!find_fields(wish, facts, arena, err) || !find_tensors(wish, facts, arena, err))
        return false;
    const char *as = facts->model->type;
    return wish->as || !*facts->odd ||
           error_set(err, TELL(FACTS_ODD), wish->path, facts->odd, as, as);
}
