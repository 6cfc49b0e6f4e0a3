// Recognises layouts and models of weights files; see weight_layout.h.
#include "weight_layout.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scenarios_words.def"

// --- attention

static const WeightLayout layouts[] = {
#define WEIGHT_LAYOUT(name, about, korean, kind, q, k, v, out, causal, heads, norm) \
    {#name, WORDS(about, korean), WEIGHT_LAYOUT_##kind, {q, k, v, out}, causal, heads, norm},
#define WEIGHT_EXTRA(layout, ours, theirs)
#include "weight_layouts.def"
#undef WEIGHT_LAYOUT
#undef WEIGHT_EXTRA
};

static const struct {
    const char *layout, *ours, *theirs;
} extras[] = {
#define WEIGHT_LAYOUT(...)
#define WEIGHT_EXTRA(layout, ours, theirs) {#layout, ours, theirs},
#include "weight_layouts.def"
#undef WEIGHT_LAYOUT
#undef WEIGHT_EXTRA
};

const WeightLayout *weight_layout_get(int number)
{
    return number < (int)(sizeof layouts / sizeof *layouts) ? &layouts[number] : NULL;
}

const WeightLayout *weight_layout_find(const char *name)
{
    const WeightLayout *layout;
    for (int i = 0; (layout = weight_layout_get(i)) != NULL; i++)
        if (strcmp(layout->name, name) == 0)
            return layout;
    return NULL;
}

bool weight_layout_namesakes(const WeightLayout *a, const WeightLayout *b)
{
    bool alike = true;
    for (int i = 0; i < 4; i++)
        alike = alike && strcmp(a->weights[i], b->weights[i]) == 0;
    return alike;
}

bool weight_layout_alike(const WeightLayout *a, const WeightLayout *b)
{
    return a->kind == b->kind && weight_layout_namesakes(a, b);
}

static bool has(const TensorFile *file, const char *prefix, const char *end)
{
    size_t length = strlen(prefix);
    for (int i = 0; i < tensor_file_count(file); i++) {
        const char *name = tensor_file_name(file, i);
        if (strncmp(name, prefix, length) == 0 && strcmp(name + length, end) == 0)
            return true;
    }
    return false;
}

// The length of a tensor's name before an ending that starts at a dot; -1: other ending.
static ptrdiff_t weight_layout_before(const char *name, const char *end)
{
    ptrdiff_t before = (ptrdiff_t)strlen(name) - (ptrdiff_t)strlen(end);
    bool ends = before >= 0 && strcmp(name + before, end) == 0;
    return ends && (before == 0 || name[before - 1] == '.') ? before : -1;
}

// True if a fused weight has its kind's shape, which distinguishes layouts with equal names. In a missing shard, any.
static bool fits_kind(TensorFile *file, const WeightLayout *layout, const char *name)
{
    Arena scratch = {0};
    Error quiet;
    int rank = 0;
    ptrdiff_t shape[TENSOR_RANK_MAX] = {0};
    const WeightLayout *other;
    bool is_shared = false; // another has the same names for weights stored differently
    for (int i = 0; (other = weight_layout_get(i)) != NULL; i++)
        is_shared |=
            other->kind != layout->kind && strcmp(other->weights[0], layout->weights[0]) == 0;
    bool is_known =
        is_shared && tensor_file_shape(file, name, &scratch, &rank, shape, &quiet) && rank == 2;
    arena_finish(&scratch);
    ptrdiff_t rows = shape[0], columns = shape[1];
    if (!is_known)
        return true;
    switch (layout->kind) {
    case WEIGHT_LAYOUT_CONV1D:
        return columns > rows;
    case WEIGHT_LAYOUT_GROUPED:
        return rows < 3 * columns && rows > columns;
    default:
        return rows >= 3 * columns;
    }
}

// True if the tensor is a weight of one of the layers.
static bool has_weight(const WeightLayers *layers, const char *name)
{
    for (int i = 0; i < layers->count; i++) {
        size_t length = strlen(layers->layers[i].prefix);
        if (strncmp(name, layers->layers[i].prefix, length) != 0)
            continue;
        for (int j = 0; j < 4; j++)
            if (strcmp(name + length, layers->layers[i].layout->weights[j]) == 0)
                return true;
    }
    return false;
}

// Adds the layer whose first weight this is, if the others exist and are not part of another layout's layer.
static bool add_layer(TensorFile *file, const WeightLayout *layout, const char *name, Arena *arena,
                      WeightLayers *to, Error *err)
{
    ptrdiff_t before = weight_layout_before(name, layout->weights[0]);
    if (before < 0 || !fits_kind(file, layout, name) || has_weight(to, name))
        return true;
    const char *prefix = arena_format(arena, err, "%.*s", (int)before, name);
    if (!prefix)
        return false;
    for (int i = 1; i < 4; i++)
        if (*layout->weights[i] && !has(file, prefix, layout->weights[i]))
            return true;
    to->layers[to->count++] = (WeightLayer){layout, prefix};
    return true;
}

static int compare_layers(const void *left, const void *right)
{
    return tensor_file_compare_names(((const WeightLayer *)left)->prefix,
                                     ((const WeightLayer *)right)->prefix);
}

bool weight_layout_layers(TensorFile *file, const WeightLayout *only, Arena *arena,
                          WeightLayers *out, Error *err)
{
    const WeightLayout *layout;
    *out = (WeightLayers){.count = 0};
    out->layers = arena_take(arena, (size_t)tensor_file_count(file) + 1, sizeof *out->layers, err);
    if (!out->layers)
        return false;
    for (int number = 0; (layout = weight_layout_get(number)) != NULL; number++)
        for (int i = 0; i < tensor_file_count(file) && (!only || only == layout); i++)
            if (!add_layer(file, layout, tensor_file_name(file, i), arena, out, err))
                return false;
    qsort(out->layers, (size_t)out->count, sizeof *out->layers, compare_layers);
    return true;
}

int weight_layout_number(const WeightLayers *all, const WeightLayer *layer)
{
    int number = 0;
    for (const WeightLayer *before = all->layers; before < layer; before++)
        number += before->layout == layer->layout;
    return number;
}

const char *weight_layout_tensor(const TensorFile *file, const WeightLayer *layer, int number,
                                 bool bias, Arena *arena, Error *err)
{
    const char *end = layer->layout->weights[number];
    size_t stem = strlen(end) - (*end ? strlen("weight") : 0);
    const char *word = *end == '\0' ? "" : bias ? "bias" : "weight";
    const char *full = arena_format(arena, err, "%.*s%s", (int)stem, end, word);
    if (!full || !*full || !has(file, layer->prefix, full))
        return full ? "" : NULL;
    return arena_format(arena, err, "%s%s", layer->prefix, full);
}

const char *weight_layout_extra(const WeightLayer *layer, const char *ours, Arena *arena,
                                Error *err)
{
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++)
        if (strcmp(extras[i].layout, layer->layout->name) == 0 && strcmp(extras[i].ours, ours) == 0)
            return arena_format(arena, err, "%s%s", layer->prefix, extras[i].theirs);
    return arena_text(arena, "", err);
}

const char *weight_layout_norm(const WeightLayer *layer, const char *word, Arena *arena, Error *err)
{
    const char *end = layer->layout->norm;
    if (!*end) {
        error_set(err, TELL(NORM_LAYOUT), words_tell(layer->layout->about));
        return NULL;
    }
    return arena_format(arena, err, "%s%.*s%s", layer->prefix,
                        (int)(strlen(end) - strlen("weight")), end, word);
}

long weight_layer_place(const WeightLayer *layer)
{
    const char *at = layer->prefix + strlen(layer->prefix);
    while (at > layer->prefix && !isdigit((unsigned char)at[-1]))
        at--;
    while (at > layer->prefix && isdigit((unsigned char)at[-1]))
        at--;
    long number = strtol(at, NULL, 10);
    return number < 100000 ? number : 100000;
}

// nn.TransformerDecoderLayer has multihead_attn next to self_attn; alone, it is just a name.
static bool stands_beside(const WeightLayers *all, const WeightLayer *layer, const char *word)
{
    const char *at = strstr(layer->prefix, word);
    size_t before = at ? (size_t)(at - layer->prefix) : 0;
    for (int i = 0; at && i < all->count; i++)
        if (strncmp(all->layers[i].prefix, layer->prefix, before) == 0 &&
            strncmp(all->layers[i].prefix + before, "self_attn", strlen("self_attn")) == 0)
            return true;
    return false;
}

bool weight_layout_is_cross(const WeightLayers *all, const WeightLayer *layer)
{
    static const char *const words[] = {"encoder_attn",    "crossattention",  "cross_attn",
                                        "cross_attention", "EncDecAttention", "src_attn"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(layer->prefix, words[i]))
            return true;
    return stands_beside(all, layer, "multihead_attn");
}

const char *weight_layout_relative(const WeightLayer *layer, Arena *arena, Error *err)
{
    static const char block[] = "block.";
    const char *at = strstr(layer->prefix, block);
    size_t before = at ? (size_t)(at - layer->prefix) + sizeof block - 1 : 0;
    const char *behind = layer->prefix + before + strspn(layer->prefix + before, "0123456789");
    return arena_format(arena, err, "%.*s%s%sSelfAttention.relative_attention_bias.weight",
                        (int)before, layer->prefix, at ? "0" : "", behind);
}

bool weight_layout_is_causal(const WeightLayer *layer)
{
    const char *word = layer->layout->causal;
    return word && strstr(layer->prefix, word) && !strstr(layer->prefix, "encoder_attn");
}

// --- around attention

enum { BEFORE, BEHIND, RMS };
enum { ERF, TANH, GATE };

static const WeightBlock blocks[] = {
#define WEIGHT_BLOCK(layout, norms, gelu, own, stack, epsilon, act, form, head, ...) \
    {#layout, norms == BEHIND, norms == RMS, gelu == TANH, gelu == GATE, own, \
     stack,   epsilon,         act,          form,         head,         {__VA_ARGS__}},
#include "weight_blocks.def"
#undef WEIGHT_BLOCK
};

static const char *const part_names[BLOCK_PARTS] = {
    [BLOCK_NORM] = "norm",
    [BLOCK_NORM_2] = "norm_2",
    [BLOCK_EXPAND] = "expand",
    [BLOCK_CONTRACT] = "contract",
    [BLOCK_GATE] = "gate",
    [BLOCK_TOKENS] = "embedding",
    [BLOCK_POSITIONS] = "position",
    [BLOCK_TYPES] = "token_type",
    [BLOCK_EMBEDDING_NORM] = "embedding_norm",
    [BLOCK_FINAL_NORM] = "final_norm",
};

const WeightBlock *weight_block_find(const WeightLayout *layout)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (strcmp(blocks[i].layout, layout->name) == 0)
            return &blocks[i];
    return NULL;
}

WeightBlockPart weight_block_part(const char *name, bool *bias)
{
    size_t stem = strcspn(name, ".");
    *bias = strcmp(name + stem, ".bias") == 0;
    WeightBlockPart part = 0;
    while (part < BLOCK_PARTS &&
           (strncmp(part_names[part], name, stem) != 0 || part_names[part][stem] != '\0'))
        part++;
    return part;
}

// The length of `text` without an optional ending.
static size_t without(const char *text, size_t length, const char *end)
{
    size_t ending = strlen(end);
    bool ends = length >= ending && strncmp(text + length - ending, end, ending) == 0;
    return ends ? length - ending : length;
}

size_t weight_block_prefix(const WeightLayer *layer, const WeightBlock *block, bool of_model)
{
    size_t length = without(layer->prefix, strlen(layer->prefix), block->own);
    if (!of_model)
        return length;
    length = without(layer->prefix, length, ".");
    while (length > 0 && isdigit((unsigned char)layer->prefix[length - 1]))
        length--;
    return without(layer->prefix, length, block->stack);
}

int weight_block_end(const WeightLayers *all, int number)
{
    if (number >= all->count) // our own names have no layers
        return all->count;
    const WeightLayer *first = &all->layers[number], *layer = first + 1;
    const WeightBlock *block = weight_block_find(first->layout);
    size_t length = block ? weight_block_prefix(first, block, true) : 0;
    while (layer < all->layers + all->count &&
           (!block || (weight_block_prefix(layer, block, true) == length &&
                       strncmp(layer->prefix, first->prefix, length) == 0)))
        layer++;
    return (int)(layer - all->layers);
}

const char *weight_block_tensor(const WeightLayer *layer, WeightBlockPart part, bool bias,
                                Arena *arena, Error *err)
{
    const WeightBlock *block = weight_block_find(layer->layout);
    const char *end = block->ends[part];
    size_t length = weight_block_prefix(layer, block, part >= BLOCK_TOKENS);
    return arena_format(arena, err, "%.*s%.*s%s", (int)length, layer->prefix,
                        *end ? (int)(strlen(end) - strlen("weight")) : 0, end,
                        bias ? "bias" : "weight");
}

const char *weight_block_head(const TensorFile *file, const WeightLayer *layer, bool bias,
                              Arena *arena, Error *err)
{
    const WeightBlock *block = weight_block_find(layer->layout);
    if (!block || !*block->head)
        return arena_text(arena, "", err);
    int stem = (int)(strlen(block->head) - strlen("weight"));
    size_t length = weight_block_prefix(layer, block, true);
    for (;;) {
        const char *name = arena_format(arena, err, "%.*s%.*s%s", (int)length, layer->prefix, stem,
                                        block->head, bias ? "bias" : "weight");
        if (!name || has(file, name, ""))
            return name;
        if (length == 0)
            return arena_text(arena, "", err);
        do // leaves out the last word of the prefix
            length--;
        while (length > 0 && layer->prefix[length - 1] != '.');
    }
}

// --- models

static const WeightModel models[] = {
#define WEIGHT_MODEL(type, layout, mask, traits, alone) \
    {type, #layout, WEIGHT_MASK_##mask, traits, alone},
#define OTHER_MODEL(type, layout, alone)
#include "weight_models.def"
#undef WEIGHT_MODEL
#undef OTHER_MODEL
};

static const struct {
    const char *type, *layout, *alone;
} others[] = {
#define WEIGHT_MODEL(type, layout, mask, traits, alone)
#define OTHER_MODEL(type, layout, alone) {type, #layout, alone},
#include "weight_models.def"
#undef WEIGHT_MODEL
#undef OTHER_MODEL
};

const WeightModel *weight_model_get(int number)
{
    return number < (int)(sizeof models / sizeof *models) ? &models[number] : NULL;
}

const WeightModel *weight_model_find(const char *type)
{
    const WeightModel *model;
    for (int i = 0; (model = weight_model_get(i)) != NULL; i++)
        if (strcmp(model->type, type) == 0)
            return model;
    for (int i = 0; (model = weight_model_get(i)) != NULL; i++)
        if (strcmp(model->layout, type) == 0)
            return model;
    return NULL;
}

static bool weight_pattern_fits(const char *pattern, const char *text);

const WeightModel *weight_model_by_names(const WeightLayer *layer)
{
    const WeightModel *model;
    for (int i = 0; (model = weight_model_get(i)) != NULL; i++) {
        const WeightLayout *layout = weight_layout_find(model->layout);
        if (*model->alone && weight_layout_alike(layout, layer->layout) &&
            weight_pattern_fits(model->alone, layer->prefix))
            return model;
    }
    return weight_model_find(layer->layout->name);
}

const char *weight_model_other(const WeightLayer *layer)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (weight_layout_alike(weight_layout_find(others[i].layout), layer->layout) &&
            weight_pattern_fits(others[i].alone, layer->prefix))
            return others[i].type;
    return NULL;
}

// True if `list`, separated by blanks, has the word.
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool weight_model_has(const WeightModel *model, const char *trait)
{
    return has_word(model->traits, trait);
}

// Matches a pattern: * is any text, # a number.
static bool weight_pattern_fits(const char *pattern, const char *text)
{
    for (; *pattern; pattern++) {
        if (*pattern == '*') {
            while (*text && !weight_pattern_fits(pattern + 1, text))
                text++;
            return weight_pattern_fits(pattern + 1, text);
        }
        if (*pattern == '#' ? !isdigit((unsigned char)*text) : *pattern != *text)
            return false;
        text++;
        while (*pattern == '#' && isdigit((unsigned char)*text))
            text++;
    }
    return *text == '\0';
}

// --- fields of config.json

enum { ALONE, WHOLE };

enum { ANYTHING, SIZE, COUNT, POSITIVE, REAL, SWITCH, WORD, LIST, OBJECT };

#define ANY "*"
#define NONE ""

static const struct {
    const char *names, *trait, *neutral;
    int scope, takes;
} fields[] = {
#define WEIGHT_FIELD(FIELD, names, trait, neutral, scope, takes) \
    {names, trait, neutral, scope, takes},
#include "weight_fields.def"
};

static const char *const free_patterns[] = {
#define FREE_FIELD(pattern) pattern,
#include "weight_fields.def"
};

static const char *const odd_words[] = {
#define ODD_WORD(text) text,
#include "weight_fields.def"
};

static const struct {
    const char *word;
    WeightTensorPlace where;
} odd_tensors[] = {
#define ODD_TENSOR(text, where) {text, WEIGHT_TENSOR_##where},
#include "weight_fields.def"
};

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

bool weight_tensor_is_odd(const char *name, WeightTensorPlace where)
{
    for (int i = 0; i < LENGTH(odd_tensors); i++)
        if (odd_tensors[i].where == where && strstr(name, odd_tensors[i].word))
            return true;
    return false;
}

const JsonValue *weight_field_value(WeightField field, const JsonValue *config)
{
    const char *at = fields[field].names;
    const JsonValue *value = NULL;
    for (char name[64]; !value && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        value = json_value(config, name);
        at += length;
    }
    return value;
}

bool weight_field_is(WeightField field, const char *name)
{
    return has_word(fields[field].names, name);
}

static bool is_heeded(const WeightModel *model, int field)
{
    const char *trait = fields[field].trait;
    return strcmp(trait, ANY) == 0 || (*trait && weight_model_has(model, trait));
}

bool weight_field_changes(const WeightModel *model, const char *name, const char *shown, bool whole)
{
    static const char empty[] = "null false 0 0.0 [] {} \"\"";
    for (int i = 0; i < FIELD_COUNT; i++)
        if (has_word(fields[i].names, name))
            return !is_heeded(model, i) && (whole || fields[i].scope == ALONE) &&
                   strcmp(shown, "null") != 0 && !has_word(fields[i].neutral, shown);
    for (int i = 0; i < LENGTH(free_patterns); i++)
        if (weight_pattern_fits(free_patterns[i], name))
            return false;
    for (int i = 0; i < LENGTH(odd_words); i++)
        if (strstr(name, odd_words[i]))
            return !has_word(empty, shown);
    return false;
}

static bool fits(int takes, const JsonValue *value)
{
    double number = 0.0;
    if (takes == ANYTHING || json_is_null(value))
        return true;
    if (takes >= WORD)
        return takes == WORD   ? json_is_string(value)
               : takes == LIST ? json_is_array(value)
                               : json_is_object(value);
    if (!json_value_number(value, &number) || json_is_boolean(value) != (takes == SWITCH))
        return takes == SWITCH && json_is_number(value) && (number == 0.0 || number == 1.0);
    bool is_whole = number == floor(number) && number >= (takes == SIZE ? 1.0 : 0.0);
    return takes == SIZE || takes == COUNT ? is_whole : takes != POSITIVE || number > 0.0;
}

bool weight_field_misfits(const WeightModel *model, const char *name, const JsonValue *value,
                          bool whole)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (has_word(fields[i].names, name))
            return is_heeded(model, i) && (whole || fields[i].scope == ALONE) &&
                   !fits(fields[i].takes, value);
    return false;
}

// --- tensors that change no numbers

typedef enum SpareKind {
    ANY_SHAPE,
    SQUARE, // only if the last two axes are equal, as in a mask
    TURNS,  // only with rotary positions, whose angles it has
} SpareKind;

static const struct {
    const char *end; // name ending, from a dot, or the whole name
    SpareKind kind;
} spares[] = {
    {"attn.bias", SQUARE},      // the causal mask of GPT-2, GPT-J
    {"attention.bias", SQUARE}, // and of GPT-Neo, GPT-NeoX
    {"masked_bias", ANY_SHAPE}, // the value of masked scores
    {"mask", SQUARE},
    {"tril", SQUARE},
    {"causal_mask", SQUARE},
    {"rotary_emb.inv_freq", TURNS},
    {"rope.freqs", TURNS},
    {"rotary_embeddings.inv_freq", TURNS},
    {"position_ids", ANY_SHAPE},
    {"num_batches_tracked", ANY_SHAPE},
};

bool weight_is_spare(const WeightModel *model, const char *name, const Tensor *tensor)
{
    bool turns = weight_model_has(model, "rotary") || weight_model_has(model, "neighbours");
    const ptrdiff_t *shape = tensor->shape + tensor->rank;
    for (int i = 0; i < LENGTH(spares); i++)
        if (weight_layout_before(name, spares[i].end) >= 0)
            return spares[i].kind == SQUARE ? tensor->rank >= 2 && shape[-2] == shape[-1]
                                            : spares[i].kind == ANY_SHAPE || turns;
    return false;
}
