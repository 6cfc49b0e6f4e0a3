// Turns a weights file and its config.json into scenario lines; see scenario_internal.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "json.h"
#include "scenario_file.h"
#include "scenario_internal.h"
#include "scenarios_words.def"
#include "tokenizer.h"

// --- whole layers

// The rows (axis 0) or columns (axis 1) of a part's weight; -1 and err on failure.
static ptrdiff_t length_of(TensorFile *file, const WeightLayer *layer, WeightBlockPart part,
                           int axis, Arena *arena, Error *err)
{
    const char *name = weight_block_tensor(layer, part, false, arena, err);
    Tensor weight;
    char text[TENSOR_TEXT_MAX];
    if (!name || !tensor_file_read(file, name, arena, &weight, err))
        return -1;
    if (weight.rank == 2)
        return weight.shape[axis];
    error_set(err, TELL(FILE_WEIGHT_AXES), name,
              tensor_shape_text(weight.rank, weight.shape, text));
    return -1;
}

// Activations of feed-forward: config.json's names, and the scenario's.
typedef struct Form {
    const char *name;
    bool gated;
    const char *lines;
} Form;

static const Form forms[] = {
    {"gelu", false, "  gelu_tanh: false\n"},
    {"gelu_python", false, "  gelu_tanh: false\n"},
    {"gelu_new", false, "  gelu_tanh: true\n"},
    {"gelu_fast", false, "  gelu_tanh: true\n"},
    {"gelu_pytorch_tanh", false, "  gelu_tanh: true\n"},
    {"quick_gelu", false, "  gelu_quick: true\n"},
    {"relu", false, "  relu: true\n"},
    {"gelu_pytorch_tanh", true, "  gated: true\n  gate_gelu: true\n"},
    {"silu", true, "  gated: true\n"},
    {"swish", true, "  gated: true\n"},
};

// The one in config.json, or the default of the names.
static const Form *find_form(const WeightBlock *block, const FactsWish *wish, const Facts *facts,
                             Error *err)
{
    const char *name = facts->act ? facts->act : block->form;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0 && forms[i].gated == block->gated)
            return &forms[i];
    error_set(err, TELL(WHOLE_FORM), wish->path, name, block->form);
    return NULL;
}

static const char *yes_or_no(bool yes)
{
    return yes ? "true" : "false";
}

// Which learned positions and norms there are.
static const char *whole_norm_lines(const WeightBlock *block, const Facts *facts, Arena *arena,
                                    Error *err)
{
    double usual = block->rms_norm ? 1e-6 : block->post_norm ? 1e-12 : 1e-5;
    const char *places = *block->ends[BLOCK_POSITIONS] ? "learned" : "none";
    const char *first = facts->first_place
                            ? arena_format(arena, err, "  first_place: %ld\n", facts->first_place)
                            : "";
    return first ? arena_format(arena, err,
                                "  position: %s\n%s  %s: true\n  norm_epsilon: %.9g\n"
                                "  post_norm: %s\n  residual: true\n",
                                places, first, block->rms_norm ? "rms_norm" : "layer_norm",
                                facts->epsilon > 0.0 ? facts->epsilon : usual,
                                yes_or_no(block->post_norm))
                 : NULL;
}

// The lines of `model`, in the arena: sizes from the file, the rest from facts. NULL if the names are another model's.
static const char *scenario_whole_lines(const FactsWish *wish, const Facts *facts, Arena *arena,
                                        Error *err)
{
    const WeightLayer *layer = wish->layer;
    const WeightBlock *block = weight_block_find(layer->layout);
    ptrdiff_t inside, vocabulary;
    if (!block) {
        error_set(err, TELL(WHOLE_UNKNOWN), wish->path, words_tell(layer->layout->about));
        return NULL;
    }
    bool turned = layer->layout->kind == WEIGHT_LAYOUT_CONV1D;
    const Form *form = find_form(block, wish, facts, err);
    const char *norms = form ? whole_norm_lines(block, facts, arena, err) : NULL;
    if (!norms ||
        (inside = length_of(wish->file, layer, BLOCK_EXPAND, turned ? 1 : 0, arena, err)) < 0 ||
        (vocabulary = length_of(wish->file, layer, BLOCK_TOKENS, 0, arena, err)) < 0)
        return NULL;
    const char *scale = weight_model_has(facts->model, "root")
                            ? arena_format(arena, err, "  embedding_scale: %.9g\n",
                                           (double)(float)sqrt((double)wish->width))
                            : "";
    const char *parallel = *block->ends[BLOCK_NORM_2] ? "" : "  parallel: true\n";
    if (!scale)
        return NULL;
    return arena_format(arena, err, "  vocabulary: %td\n%s%s%s  feed_forward: %td\n%s", vocabulary,
                        scale, norms, parallel, inside, form->lines);
}

// --- one layer

enum { TOKENS = 6, QUERIES = 4 }; // of random vectors; queries, for cross-attention

// --- "model.safetensors#3"

// The length of FILE in "FILE#3".
static size_t file_length(const char *what)
{
    const char *mark = strrchr(what, '#');
    return mark ? (size_t)(mark - what) : strlen(what);
}

bool scenario_is_file(const char *what)
{
    char path[4096];
    size_t length = file_length(what);
    if (!strpbrk(what, "./#") || length >= sizeof path) // a scenario's name
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

// The request's number of heads; 0: not set; -1: whole layers, or an invalid number, which is rejected later.
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
    ptrdiff_t in, out; // of the layer that makes q
    ptrdiff_t keys;    // output width of the layer that makes k, if separate
    ptrdiff_t key_in;  // its input width; 0: same as `in`
    long heads;
    const char *model, *attention; // more lines for these sections; "": none
    const char *layers,
        *input;       // for whole layers: how many, and their input; NULL: attention only
    bool is_cross;    // cross-attention
    const char *note; // a remark for the user; ""
    const char *as;   // a model that rotates, if this layer does not; or NULL
    WeightLayers all; // of the file
} Widths;

static bool measure(TensorFile *file, const WeightLayer *layer, Arena *scratch, Widths *widths,
                    Error *err)
{
    const char *name = weight_layout_tensor(file, layer, 0, false, scratch, err);
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank = 0;
    char text[TENSOR_TEXT_MAX];
    if (!name || !tensor_file_shape(file, name, scratch, &rank, shape, err))
        return false;
    if (rank != 2)
        return error_set(err, TELL(FILE_WEIGHT_AXES), name, tensor_shape_text(rank, shape, text));
    bool turned = layer->layout->kind == WEIGHT_LAYOUT_CONV1D;
    widths->out = shape[turned ? 1 : 0];
    widths->in = shape[turned ? 0 : 1];
    widths->keys = widths->out;
    if (layer->layout->kind == WEIGHT_LAYOUT_APART) {
        ptrdiff_t made_from[2];
        for (int i = 1; i >= 0; i--) { // v, then k
            name = weight_layout_tensor(file, layer, i + 1, false, scratch, err);
            if (!name || !tensor_file_shape(file, name, scratch, &rank, shape, err))
                return false;
            made_from[i] = rank == 2 ? shape[1] : widths->in;
        }
        widths->keys = rank > 0 ? shape[0] : 0;
        widths->key_in = made_from[0] != widths->in ? made_from[0] : 0;
        return made_from[0] == made_from[1] ||
               error_set(err, TELL(FILE_KDIM), name, made_from[0], made_from[1]);
    }
    bool whole = layer->layout->kind == WEIGHT_LAYOUT_FUSED || turned;
    ptrdiff_t beside =
        widths->out - widths->in; // the width of k and v, if q is as wide as the input
    if (whole ? beside != 2 * widths->in
              : beside <= 0 || beside % 2 != 0 || beside > 2 * widths->in)
        return error_set(err, TELL(FILE_FUSED), name, tensor_shape_text(2, shape, text),
                         words_tell(layer->layout->about));
    widths->out = widths->in;
    widths->keys = beside / 2;
    return true;
}

// --- from the facts

// The norm and residual around LLaMA's attention.
static const char *of_file_norm_lines(const FactsWish *wish, const Facts *facts, Arena *arena,
                                      Error *err)
{
    const WeightBlock *block = weight_block_find(wish->layer->layout);
    double epsilon = facts->epsilon > 0.0 ? facts->epsilon : 1e-6;
    return block && block->rms_norm
               ? arena_format(arena, err,
                              "  rms_norm: true\n  norm_epsilon: %.9g\n  residual: true\n", epsilon)
               : "";
}

// Norms of queries and keys, and lines about all norms.
static const char *qk_lines(const Facts *facts, const char *rest, Arena *arena, Error *err)
{
    bool plus_one = weight_model_has(facts->model, "plus_one") && (*rest || facts->qk_norm);
    const char *epsilon = facts->qk_norm && !*rest
                              ? arena_format(arena, err, "  norm_epsilon: %.9g\n",
                                             facts->epsilon > 0.0 ? facts->epsilon : 1e-6)
                              : "";
    return epsilon ? arena_format(arena, err, "%s%s%s%s", facts->qk_norm ? "  qk_norm: true\n" : "",
                                  facts->qk_norm == 2 ? "  qk_norm_across: true\n" : "", epsilon,
                                  plus_one ? "  norm_plus_one: true\n" : "")
                   : NULL;
}

// Appended keys, and where keys and values come from.
static const char *appended_lines(const Facts *facts, const Widths *widths, Arena *arena,
                                  Error *err)
{
    const char *key_in =
        widths->key_in ? arena_format(arena, err, "  kdim: %td\n", widths->key_in) : "";
    return key_in ? arena_format(arena, err, "%s%s%s", key_in,
                                 facts->bias_kv ? "  add_bias_kv: true\n" : "",
                                 facts->zero_key ? "  add_zero_attn: true\n" : "")
                  : NULL;
}

// Grouped heads, and what surrounds attention.
static const char *model_lines(const FactsWish *wish, const Facts *facts, const Widths *widths,
                               Arena *arena, Error *err)
{
    const char *groups = widths->keys < widths->out
                             ? arena_format(arena, err, "  kv_heads: %td\n",
                                            widths->keys * (ptrdiff_t)widths->heads / widths->out)
                             : "";
    const char *relative = facts->relative == 2 ? "  relative_key: true\n  relative_query: true\n"
                           : facts->relative    ? "  relative_key: true\n"
                                                : "";
    const char *rest = wish->whole ? scenario_whole_lines(wish, facts, arena, err)
                                   : of_file_norm_lines(wish, facts, arena, err);
    const char *buckets =
        facts->buckets
            ? arena_format(arena, err, "  relative_buckets: %ld\n  relative_distance: %ld\n",
                           facts->buckets, facts->distance)
            : "";
    const char *norms = groups && rest && buckets ? qk_lines(facts, rest, arena, err) : NULL;
    const char *appended = norms ? appended_lines(facts, widths, arena, err) : NULL;
    return appended ? arena_format(arena, err, "%s%s%s%s%s%s", appended, groups, rest, norms,
                                   relative, buckets)
                    : NULL;
}

static const char *turn_lines(const Facts *facts, Arena *arena, Error *err)
{
    const char *width =
        facts->rope_width ? arena_format(arena, err, "  rope_width: %ld\n", facts->rope_width) : "";
    if (!facts->turns || !width)
        return width;
    return arena_format(arena, err, "  rope: %.9g\n%s%s%s", facts->rope,
                        facts->neighbours ? "  rope_neighbours: true\n" : "", width,
                        facts->rope_scaling);
}

// What differs between layers, as lists if several run.
static const char *layer_lines(const FactsWish *wish, const Facts *facts, const WeightLayers *all,
                               long layers, Arena *arena, Error *err)
{
    FactsOfLayer first = scenario_facts_layer(facts, wish->layer);
    const char *list = "", *scale = facts->unscaled ? "  scale: none\n" : "";
    bool differ = false;
    for (long i = 0; list && i < layers && wish->layer + i < all->layers + all->count; i++) {
        FactsOfLayer own = scenario_facts_layer(facts, wish->layer + i);
        differ = differ || own.window != first.window || own.scale != first.scale;
        list = arena_format(arena, err,
                            own.scale > 0.0 ? "%s    - {window: %ld, scale: %.9g}\n"
                                            : "%s    - {window: %ld}\n",
                            list, own.window, own.scale);
    }
    if (!list || differ)
        return list ? arena_format(arena, err, "%s  by_layer:\n%s", scale, list) : NULL;
    if (first.scale > 0.0)
        scale = arena_format(arena, err, "  scale: %.9g\n", first.scale);
    const char *window =
        first.window ? arena_format(arena, err, "  window: %ld\n", first.window) : "";
    return scale && window ? arena_format(arena, err, "%s%s", scale, window) : NULL;
}

static const char *config_beside(const char *path, Arena *arena, Error *err)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    const char *config = arena_format(arena, err, "%.*sconfig.json", folder, path);
    const char *params = arena_format(arena, err, "%.*sparams.json", folder, path); // Meta's
    return config && params && access(config, F_OK) != 0 && access(params, F_OK) == 0 ? params
                                                                                      : config;
}

// --- the scenario's text

// A double-quoted YAML string.
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

// The input and draws: vectors for attention alone, ids for whole layers.
static const char *input_lines(const Widths *widths, Arena *arena, Error *err)
{
    if (widths->layers)
        return arena_format(arena, err, "input:\n%s\n", widths->input);
    const char *queries = widths->is_cross
                              ? arena_format(arena, err, "  query_vectors: {randn: [1, %d, %td]}\n",
                                             QUERIES, widths->in)
                              : "";
    return queries ? arena_format(arena, err, "input:\n  vectors: {randn: [1, %d, %td]}\n%s\n",
                                  TOKENS, widths->key_in ? widths->key_in : widths->in, queries)
                   : NULL;
}

static const char *weight_lines(const Widths *widths, Arena *arena, Error *err)
{
    const char *as = widths->as ? arena_format(arena, err, "  as: %s\n", widths->as) : "";
    return !as              ? NULL
           : widths->layers ? arena_format(arena, err, "%s  layers: %s\n", as, widths->layers)
           : widths->is_cross
               ? arena_format(arena, err, "%s  manual_seed: 0\n  draw: [x, x_query]\n", as)
               : arena_format(arena, err, "%s  manual_seed: 0\n  draw: [x]\n", as);
}

// In whole layers the heads together may be wider than a token.
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
    const char *note_text = quoted(widths->note, arena, err);
    const char *note = note_text && *widths->note
                           ? arena_format(arena, err, "  note: %s\n", note_text)
                       : note_text ? ""
                                   : NULL;
    if (!heads || !width || !place || !file_text || !about || !input || !weights || !note)
        return NULL;
    return arena_format(arena, err,
                        "about: %s\n# %s\n\n"
                        "%smodel:\n%s%s%s%s\n"
                        "weights:\n  file: %s\n  layout: %s\n  layer: %d\n"
                        "%s%s%s%s",
                        about, place, input, width, heads, widths->model,
                        *layer->layout->weights[3] ? "" : "  out_proj: false\n", file_text,
                        layer->layout->name, weight_layout_number(&widths->all, layer), weights,
                        note, *widths->attention ? "\nattention:\n" : "", widths->attention);
}

static bool no_layer(const TensorFile *file, const char *path, Error *err)
{
    return error_set(err, TELL(FILE_NO_LAYER), path, tensor_file_count(file),
                     tensor_file_count(file) > 0 ? tensor_file_name(file, 0) : "");
}

// A requested file, and its name in the scenario.
typedef struct Asked {
    const ScenarioRequest *request;
    const char *path, *name;
    long number;
} Asked;

// The request's last setting of a key, or NULL.
static const char *value_set(const ScenarioRequest *request, const char *key)
{
    const char *value = NULL;
    for (int i = 0; i < request->set_count; i++)
        if (strncmp(request->sets[i], key, strlen(key)) == 0 &&
            request->sets[i][strlen(key)] == '=')
            value = request->sets[i] + strlen(key) + 1;
    return value;
}

// The input of whole layers: a text for the tokenizer next to the file, or ids.
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
    const char *pair = value_set(asked->request, "input.pair");
    return quoted_file && quoted_text
               ? arena_format(arena, err, "  text: %s\n%s%s%s  tokenizer: %s\n", quoted_text,
                              pair ? "  pair: " : "", pair ? pair : "", pair ? "\n" : "",
                              quoted_file)
               : NULL;
}

// --- the requested layer

// Names that config.json's model uses for such layers.
static void settle_names(const FactsWish *wish, long number, WeightLayers *all)
{
    const char *type =
        wish->as ? wish->as : scenario_model_type(wish->config, all->layers[number].prefix);
    const WeightModel *model =
        type ? weight_model_find(type) : weight_model_by_names(&all->layers[number]);
    const WeightLayout *layout = model ? weight_layout_find(model->layout) : NULL;
    const WeightLayout *now = all->layers[number].layout;
    for (int i = 0; layout && weight_layout_alike(layout, now) && i < all->count; i++)
        if (all->layers[i].layout == now)
            all->layers[i].layout = layout;
}

static bool find_layer(FactsWish *wish, long number, WeightLayers *all, Arena *arena, Error *err)
{
    if (!weight_layout_layers(wish->file, NULL, arena, all, err))
        return false;
    if (all->count == 0)
        return no_layer(wish->file, wish->path, err);
    if (number < 0 || number >= all->count)
        return error_set(err, TELL(FILE_LAYERS), wish->path, all->count, all->count - 1, number);
    settle_names(wish, number, all);
    wish->layer = &all->layers[number];
    return !wish->whole || !weight_layout_is_cross(all, wish->layer) ||
           error_set(err, TELL(FILE_CROSS), wish->path, wish->layer->prefix);
}

// Without config.json the base and width of rotary positions are unknown.
static bool check_known(const Asked *asked, const FactsWish *wish, const Facts *facts, Error *err)
{
    bool is_set = value_set(asked->request, "attention.rope") &&
                  (!facts->rope_width || value_set(asked->request, "attention.rope_width"));
    const char *as = facts->model->type;
    return facts->is_said || !(facts->turns || facts->biased) || is_set ||
           error_set(err, TELL(FACTS_NONE), asked->path, words_tell(wish->layer->layout->about), as,
                     as);
}

// Lists assumptions, unless the user's options make them irrelevant.
static const char *note_of(const FactsWish *wish, const Facts *facts, Arena *arena, Error *err)
{
    const WeightModel *other;
    int alike = 0;
    for (int i = 0; (other = weight_model_get(i)) != NULL; i++)
        alike += weight_layout_alike(weight_layout_find(other->layout), wish->layer->layout);
    if (*facts->odd)
        return arena_format(arena, err, TELL(FACTS_IGNORED), facts->model->type, facts->odd);
    bool is_plain = strcmp(facts->model->type, facts->model->layout) == 0;
    return facts->is_said || alike < 2
               ? ""
               : arena_format(arena, err, TELL(FACTS_TAKEN),
                              is_plain ? words_tell(wish->layer->layout->about)
                                       : facts->model->type);
}

// Applies what config.json, or the user, says about the model.
static bool take_facts(const Asked *asked, FactsWish *wish, Facts *facts, Widths *widths,
                       Arena *arena, Error *err)
{
    long set = heads_set(asked->request);
    if (!scenario_facts_begin(wish, facts, arena, err))
        return false;
    widths->heads = set ? set : facts->heads;
    if (widths->heads <= 0 && set >= 0)
        return error_set(err, TELL(FILE_HEADS), asked->path, widths->out);
    if (widths->heads < 0)
        widths->heads = facts->heads;
    wish->width = (long)widths->in;
    wish->d_k = widths->heads > 0 ? (long)widths->out / widths->heads : 0;
    return scenario_facts_read(wish, facts, arena, err) &&
           scenario_facts_check(wish, facts, arena, err) && check_known(asked, wish, facts, err);
}

static bool take_lines(const Asked *asked, const FactsWish *wish, const Facts *facts,
                       Widths *widths, Arena *arena, Error *err)
{
    const char *layers = value_set(asked->request, "weights.layers");
    widths->layers = layers;
    widths->input = layers ? tokens_of(asked, arena, err) : "";
    widths->model = widths->input ? model_lines(wish, facts, widths, arena, err) : NULL;
    widths->is_cross = weight_layout_is_cross(&widths->all, wish->layer) || widths->key_in > 0;
    const char *turn = widths->is_cross ? "" : turn_lines(facts, arena, err);
    const char *own =
        layer_lines(wish, facts, &widths->all, layers ? strtol(layers, NULL, 10) : 1, arena, err);
    const char *cap =
        facts->softcap > 0.0 ? arena_format(arena, err, "  softcap: %.9g\n", facts->softcap) : "";
    widths->attention =
        turn && own && cap
            ? arena_format(arena, err, "%s%s%s%s%s",
                           facts->causal && !widths->is_cross ? "  mask: causal\n" : "", turn, own,
                           cap, facts->biased ? "  alibi: true\n" : "")
            : NULL;
    bool may_turn = weight_model_has(facts->model, "rotary");
    widths->as = may_turn && (!facts->turns || widths->is_cross) ? facts->model->type : NULL;
    widths->note = note_of(wish, facts, arena, err);
    return widths->model && widths->attention && widths->note;
}

static const char *text_of_layer(FactsWish *wish, const Asked *asked, Arena *arena, Error *err)
{
    Facts facts;
    Widths widths = {.model = ""};
    if (!find_layer(wish, asked->number, &widths.all, arena, err) ||
        !measure(wish->file, wish->layer, arena, &widths, err) ||
        !take_facts(asked, wish, &facts, &widths, arena, err) ||
        !take_lines(asked, wish, &facts, &widths, arena, err))
        return NULL;
    return write_text(asked->name, wish->layer, asked->number, &widths, arena, err);
}

// --- listing a file's layers

// True if k's input is not as wide as q's.
static bool has_other_keys(const FactsWish *wish, Arena *arena)
{
    ptrdiff_t made_from[2] = {0}, shape[TENSOR_RANK_MAX];
    Error quiet;
    for (int i = 0; i < 2 && wish->layer->layout->kind == WEIGHT_LAYOUT_APART; i++) {
        const char *name = weight_layout_tensor(wish->file, wish->layer, i, false, arena, &quiet);
        int rank;
        if (!name || !tensor_file_shape(wish->file, name, arena, &rank, shape, &quiet) || rank != 2)
            return false;
        made_from[i] = shape[1];
    }
    return made_from[0] != made_from[1];
}

// Describes a layer; a refusal's reason is the first layer's.
static bool tell_layer(FactsWish *wish, int number, FileLayers *told, Arena *arena, Error *err)
{
    const Asked asked = {.request = &(ScenarioRequest){.what = NULL}, .path = wish->path};
    Facts facts;
    Widths widths = {.out = 0};
    FileLayer *layer = &told->layers[number];
    wish->layer = &told->all.layers[number];
    wish->d_k = 0;
    *layer = (FileLayer){.is_cross = weight_layout_is_cross(&told->all, wish->layer) ||
                                     has_other_keys(wish, arena),
                         .is_causal = weight_layout_is_causal(wish->layer)};
    bool good = scenario_facts_begin(wish, &facts, arena, err);
    if (good && facts.heads > 0 && measure(wish->file, wish->layer, arena, &widths, err))
        wish->d_k = (long)widths.out / facts.heads;
    good = good && scenario_facts_read(wish, &facts, arena, err);
    if (good)
        layer->is_causal = facts.causal && !layer->is_cross;
    if (good && !layer->is_cross)
        good = scenario_facts_check(wish, &facts, arena, err) &&
               check_known(&asked, wish, &facts, err);
    if (!good && !err->of_machine && !told->why)
        told->why = arena_text(arena, err->text, err);
    return good || (!err->of_machine && told->why);
}

bool scenario_file_layers(TensorFile *file, const char *path, const char *as, Arena *arena,
                          FileLayers *told, Error *err)
{
    FactsWish wish = {.file = file, .path = path, .as = as};
    JsonValue *config = NULL;
    const char *beside = config_beside(path, arena, err);
    *told = (FileLayers){.why = NULL};
    bool good = beside && weight_layout_layers(file, NULL, arena, &told->all, err);
    if (!good || told->all.count == 0)
        return good;
    told->layers = arena_take(arena, (size_t)told->all.count, sizeof *told->layers, err);
    good = told->layers && json_file_open(beside, &config, err);
    wish.config = config;
    for (int i = 0; good && i < told->all.count; i++)
        settle_names(&wish, i, &told->all);
    for (int i = 0; good && i < told->all.count; i++)
        good = tell_layer(&wish, i, told, arena, err);
    json_file_close(config);
    return good;
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
    FactsWish wish = {.path = asked.path,
                      .as = value_set(request, "weights.as"),
                      .whole = value_set(request, "weights.layers") != NULL};
    JsonValue *config = NULL;
    const char *beside = config_beside(asked.path, arena, err);
    wish.file = beside ? tensor_file_open(asked.path, arena, err) : NULL;
    if (wish.file && json_file_open(beside, &config, err)) {
        wish.config = config;
        text = text_of_layer(&wish, &asked, arena, err);
    }
    json_file_close(config);
    tensor_file_close(wish.file);
    return text;
}
