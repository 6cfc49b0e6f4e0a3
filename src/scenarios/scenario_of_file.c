// scenario_of_file: a file of weights, and nothing else, becomes a scenario: one layer of it, with
// drawn vectors as its input; see scenario_internal.h.
#include "scenario_file.h"
#include "scenario_internal.h"

#include <stdlib.h>
#include <string.h>
#include "json_number.h"
#include "tokenizer.h"
#include "scenarios_words.h"

enum { HEADS_MAX = 100000, TOKENS = 6 };

// --- "model.safetensors#3"

// How much of "FILE#3" is the file.
static size_t file_length(const char *what)
{
    const char *mark = strrchr(what, '#');
    return mark ? (size_t)(mark - what) : strlen(what);
}

bool scenario_is_file(const char *what)
{
    char path[4096];
    size_t length = file_length(what);
    if (!strpbrk(what, "./#") || length >= sizeof path) // a scenario's name, not a folder's
        return false;
    memcpy(path, what, length);
    path[length] = '\0';
    return tensor_file_is(path);
}

const char *scenario_file_of_folder(const char *what, Arena *arena, Error *err)
{
    size_t length = file_length(what);
    const char *path = arena_format(arena, err, "%.*s", (int)length, what);
    const char *file = path ? tensor_file_in(path, arena, err) : NULL;
    return file ? arena_format(arena, err, "%s%s", file, what + length) : NULL;
}

static bool split_what(const char *what, Arena *arena, const char **path, long *number, Error *err)
{
    const char *mark = strrchr(what, '#');
    char *end = NULL;
    *number = mark ? strtol(mark + 1, &end, 10) : 0;
    if (mark && (end == mark + 1 || *end != '\0'))
        return error_set(err, TELL(FILE_LAYER), what, mark + 1);
    *path = arena_format(arena, err, "%.*s", (int)file_length(what), what);
    return *path != NULL;
}

// --- heads

// How many heads config.json in the folder of the file says; 0: it does not. False with a sentence when
// this machine cannot tell.
static bool heads_of(const char *path, const WeightLayer *layer, Arena *scratch, long *heads,
                     Error *err)
{
    const char *names[] = {layer->layout->heads, weight_layout_stack_heads(layer),
                           "num_attention_heads", "n_head", NULL};
    const char *slash = strrchr(path, '/');
    const char *config =
        arena_format(scratch, err, "%.*sconfig.json", slash ? (int)(slash + 1 - path) : 0, path);
    int64_t number = 0;
    if (!config || !json_number(config, names, &number, err))
        return false;
    *heads = number > 0 && number <= HEADS_MAX ? (long)number : 0;
    return true;
}

// What the request sets; 0: nothing, -1: the whole model, or what no number of heads can be, which is
// refused where it is read.
static long heads_set(const ScenarioRequest *request)
{
    long heads = 0;
    for (int i = 0; i < request->set_count; i++) {
        if (strncmp(request->sets[i], "model=", 6) == 0)
            heads = -1;
        if (strncmp(request->sets[i], "model.heads=", 12) == 0) {
            heads = strtol(request->sets[i] + 12, NULL, 10);
            heads = heads > 0 ? heads : -1;
        }
    }
    return heads;
}

// --- widths

typedef struct Widths {
    ptrdiff_t in, out;             // of the layer that makes q
    ptrdiff_t keys;                // how wide that is which makes k, where it is apart
    long heads;                    // 0: not known
    const char *model, *attention; // further lines of these sections; "": none
    const char *layers,
        *input; // of whole layers: how many, and what goes in; NULL: attention alone
} Widths;

static bool measure(TensorFile *file, const WeightLayer *layer, Arena *scratch, Widths *widths,
                    Error *err)
{
    const char *name = weight_layout_tensor(file, layer, 0, false, scratch, err);
    Tensor weight;
    char text[TENSOR_TEXT_MAX];
    if (!name || !tensor_file_read(file, name, scratch, &weight, err))
        return false;
    if (weight.rank != 2)
        return error_set(err, TELL(FILE_WEIGHT_AXES), name,
                         tensor_shape_text(weight.rank, weight.shape, text));
    bool turned = layer->layout->kind == WEIGHT_LAYOUT_CONV1D;
    widths->out = weight.shape[turned ? 1 : 0];
    widths->in = weight.shape[turned ? 0 : 1];
    widths->keys = widths->out;
    if (layer->layout->kind == WEIGHT_LAYOUT_APART) {
        name = weight_layout_tensor(file, layer, 1, false, scratch, err);
        if (!name || !tensor_file_read(file, name, scratch, &weight, err))
            return false;
        widths->keys = weight.rank > 0 ? weight.shape[0] : 0;
        return true;
    }
    if (widths->out != 3 * widths->in)
        return error_set(err, TELL(FILE_FUSED), name, tensor_shape_text(2, weight.shape, text),
                         words_tell(layer->layout->about));
    widths->out = widths->in;
    return true;
}

// --- models with LLaMA's names

static const char *config_beside(const char *path, Arena *arena, Error *err)
{
    const char *slash = strrchr(path, '/');
    return arena_format(arena, err, "%.*sconfig.json", slash ? (int)(slash + 1 - path) : 0, path);
}

static bool is_rotary(const WeightLayer *layer)
{
    return strcmp(layer->layout->name, "llama") == 0;
}

static bool add_family(const char *path, Widths *widths, Arena *arena, Error *err)
{
    Family family;
    const char *config = config_beside(path, arena, err);
    if (!config || !scenario_family_read(config, path, &family, arena, err))
        return false;
    bool grouped = widths->heads > 0 && widths->keys < widths->out;
    const char *groups = grouped
                             ? arena_format(arena, err, "  kv_heads: %td\n",
                                            widths->keys * (ptrdiff_t)widths->heads / widths->out)
                             : "";
    const char *window =
        family.window ? arena_format(arena, err, "  window: %ld\n", family.window) : "";
    if (!groups || !window)
        return false;
    widths->model =
        widths->layers // what whole layers have said of norms holds
            ? arena_format(arena, err, "%s%s", groups, widths->model)
            : arena_format(arena, err,
                           "%s  rms_norm: true\n  norm_epsilon: %.9g\n  residual: true\n", groups,
                           family.epsilon);
    widths->attention = arena_format(arena, err, "  rope: %.9g\n%s", family.rope, window);
    return widths->model && widths->attention;
}

// --- the text

// A text of YAML in double quotes.
static const char *quoted(const char *text, Arena *arena, Error *err)
{
    char *out = arena_take(arena, 2 * strlen(text) + 3, 1, err), *at = out;
    if (!out)
        return NULL;
    *at++ = '"';
    for (; *text; text++) {
        bool is_line = *text == '\n', is_tab = *text == '\t';
        if (*text == '"' || *text == '\\' || is_line || is_tab)
            *at++ = '\\';
        *at++ = is_line ? 'n' : is_tab ? 't' : *text;
    }
    *at = '"';
    return out;
}

// What goes in, and what is drawn: vectors for attention alone, ids for whole layers.
static const char *input_lines(const Widths *widths, Arena *arena, Error *err)
{
    return widths->layers ? arena_format(arena, err, "input:\n%s\n", widths->input)
                          : arena_format(arena, err, "input:\n  vectors: {randn: [1, %d, %td]}\n\n",
                                         TOKENS, widths->in);
}

static const char *weight_lines(const Widths *widths, Arena *arena, Error *err)
{
    return widths->layers ? arena_format(arena, err, "  layers: %s\n", widths->layers)
                          : "  manual_seed: 0\n  draw: [x]\n";
}

// In whole layers heads may be wider together than a token is; what they make is as wide again.
static const char *width_lines(const Widths *widths, Arena *arena, Error *err)
{
    if (widths->in == widths->out)
        return arena_format(arena, err, "  d_model: %td\n", widths->in);
    return widths->layers && widths->heads > 0
               ? arena_format(arena, err, "  d_model: %td\n  d_k: %td\n", widths->in,
                              widths->out / (ptrdiff_t)widths->heads)
               : arena_format(arena, err, "  d_in: %td\n  d_out: %td\n", widths->in, widths->out);
}

static const char *write_text(const char *file, const WeightLayer *layer, long number,
                              const Widths *widths, Arena *arena, Error *err)
{
    const char *heads =
        widths->heads ? arena_format(arena, err, "  heads: %ld\n", widths->heads) : "";
    const char *width = width_lines(widths, arena, err);
    const char *place = quoted(*layer->prefix ? layer->prefix : TELL(ONLY_LAYER), arena, err);
    const char *file_text = quoted(file, arena, err);
    const char *what =
        arena_format(arena, err, widths->layers ? TELL(FILE_WHOLE_ABOUT) : TELL(LAYER_OF), number,
                     words_tell(layer->layout->about));
    const char *about = what ? quoted(what, arena, err) : NULL;
    const char *input = input_lines(widths, arena, err);
    const char *weights = weight_lines(widths, arena, err);
    if (!heads || !width || !place || !file_text || !about || !input || !weights)
        return NULL;
    return arena_format(arena, err,
                        "about: %s\n# %s\n\n"
                        "%smodel:\n%s%s%s%s\n"
                        "weights:\n  file: %s\n  layout: %s\n  layer: %ld\n"
                        "%s%s%s",
                        about, place, input, width, heads, widths->model,
                        *layer->layout->weights[3] ? "" : "  out_proj: false\n", file_text,
                        layer->layout->name, number, weights,
                        weight_layout_is_causal(layer) ? "\nattention:\n  mask: causal\n" : "",
                        widths->attention);
}

static bool no_layer(const TensorFile *file, const char *path, Error *err)
{
    return error_set(err, TELL(FILE_NO_LAYER), path, tensor_file_count(file),
                     tensor_file_count(file) > 0 ? tensor_file_name(file, 0) : "");
}

// A file that was asked for, and how the scenario calls it.
typedef struct Asked {
    const ScenarioRequest *request;
    const char *path, *name;
    long number;
} Asked;

// The value of the last of the request's settings of that key; NULL: it sets none.
static const char *value_set(const ScenarioRequest *request, const char *key)
{
    const char *value = NULL;
    for (int i = 0; i < request->set_count; i++)
        if (strncmp(request->sets[i], key, strlen(key)) == 0 &&
            request->sets[i][strlen(key)] == '=')
            value = request->sets[i] + strlen(key) + 1;
    return value;
}

// What goes into whole layers: a text for the tokenizer beside the file, or ids.
static const char *tokens_of(const Asked *asked, Arena *arena, Error *err)
{
    const char *ids = value_set(asked->request, "input.ids"), *text = asked->request->text;
    const char *slash = strrchr(asked->path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - asked->path) : 0;
    if (!text)
        return arena_format(arena, err, "  ids: %s\n", ids ? ids : "[[0, 1, 2, 3, 4, 5]]");
    const char *beside = tokenizer_beside(asked->path, folder, arena, err);
    const char *named = strrchr(asked->name, '/'), *quoted_text = quoted(text, arena, err);
    const char *file =
        beside ? arena_format(arena, err, "%.*s%s", named ? (int)(named + 1 - asked->name) : 0,
                              asked->name, beside)
               : NULL;
    const char *quoted_file = file ? quoted(file, arena, err) : NULL;
    return quoted_file && quoted_text
               ? arena_format(arena, err, "  text: %s\n  tokenizer: %s\n", quoted_text, quoted_file)
               : NULL;
}

// Whole layers, where the request says how many.
static bool whole_of(TensorFile *file, const WeightLayer *layer, const Asked *asked, Widths *widths,
                     Arena *arena, Error *err)
{
    widths->layers = value_set(asked->request, "weights.layers");
    if (!widths->layers)
        return true;
    widths->input = tokens_of(asked, arena, err);
    if (!widths->input)
        return false;
    const char *config = config_beside(asked->path, arena, err);
    widths->model =
        config ? scenario_whole_lines(file, layer, config, asked->path, arena, err) : NULL;
    return widths->model != NULL;
}

static const char *text_of_layer(TensorFile *file, const Asked *asked, Arena *arena, Error *err)
{
    const char *path = asked->path;
    long number = asked->number;
    WeightLayers all;
    Widths widths = {.model = "", .attention = ""};
    if (!weight_layout_layers(file, NULL, arena, &all, err))
        return NULL;
    if (all.count == 0) {
        no_layer(file, path, err);
        return NULL;
    }
    if (number < 0 || number >= all.count) {
        error_set(err, TELL(FILE_LAYERS), path, all.count, all.count - 1, number);
        return NULL;
    }
    const WeightLayer *layer = &all.layers[number];
    if (!measure(file, layer, arena, &widths, err))
        return NULL;
    long set = heads_set(asked->request);
    widths.heads = set;
    if (set <= 0 && !heads_of(path, layer, arena, &widths.heads, err))
        return NULL;
    if (widths.heads == 0 && set == 0) {
        error_set(err, TELL(FILE_HEADS), path, widths.out);
        return NULL;
    }
    if (!whole_of(file, layer, asked, &widths, arena, err))
        return NULL;
    if (is_rotary(layer) && !add_family(path, &widths, arena, err))
        return NULL;
    return write_text(asked->name, layer, number, &widths, arena, err);
}

const char *scenario_of_file(const ScenarioRequest *request, const char *name, Arena *arena,
                             Error *err)
{
    Asked asked = {.request = request};
    const char *text = NULL;
    if (request->no_files) {
        error_set(err, "%s", request->no_files);
        return NULL;
    }
    if (!split_what(request->what, arena, &asked.path, &asked.number, err))
        return NULL;
    const char *slash = strrchr(asked.path, '/');
    asked.name = name ? name : slash ? slash + 1 : asked.path;
    TensorFile *file = tensor_file_open(asked.path, arena, err);
    if (file)
        text = text_of_layer(file, &asked, arena, err);
    tensor_file_close(file);
    return text;
}
