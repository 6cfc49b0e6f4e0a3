// Turns a weights file and its config.json into scenario lines; see scenario_internal.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "error.h"
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
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank;
    char text[TENSOR_TEXT_MAX];
    if (!name || !tensor_file_shape(file, name, arena, &rank, shape, err))
        return -1;
    if (rank == 2)
        return shape[axis];
    error_set(err, TELL(FILE_WEIGHT_AXES), name, tensor_shape_text(rank, shape, text));
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
static const Form *find_form(const WeightBlock *block, const FactsQuery *query, const Facts *facts,
                             Error *err)
{
    const char *name = facts->act ? facts->act : block->form;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0 && forms[i].gated == block->gated)
            return &forms[i];
    error_set(err, TELL(WHOLE_FORM), query->path, name, block->form);
    return NULL;
}

// --- lines of the text

static void write_flag(FILE *out, const char *key, bool is_set)
{
    if (is_set)
        fprintf(out, "  %s: true\n", key);
}

static void write_size(FILE *out, const char *key, long size)
{
    if (size)
        fprintf(out, "  %s: %ld\n", key, size);
}

static void write_number(FILE *out, const char *key, double number)
{
    fprintf(out, "  %s: %.9g\n", key, number);
}

// A double-quoted YAML string.
static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (strchr("\"\\\n\t", *text))
            fputc('\\', out);
        fputc(*text == '\n' ? 'n' : *text == '\t' ? 't' : *text, out);
    }
    fputc('"', out);
}

// What surrounds attention in whole layers: sizes from the file, the rest from facts. Returns false and sets err if the
// names are another model's.
static bool write_whole(FILE *out, const FactsQuery *query, const Facts *facts, Arena *arena,
                        Error *err)
{
    const WeightLayer *layer = query->layer;
    const WeightBlock *block = weight_block_find(layer->layout);
    bool turned = layer->layout->kind == WEIGHT_LAYOUT_CONV1D;
    ptrdiff_t inside, vocabulary;
    if (!block)
        return error_set(err, TELL(WHOLE_UNKNOWN), query->path, words_tell(layer->layout->about));
    const Form *form = find_form(block, query, facts, err);
    if (!form ||
        (inside = length_of(query->file, layer, BLOCK_EXPAND, turned ? 1 : 0, arena, err)) < 0 ||
        (vocabulary = length_of(query->file, layer, BLOCK_TOKENS, 0, arena, err)) < 0)
        return false;
    double usual = block->rms_norm ? 1e-6 : block->post_norm ? 1e-12 : 1e-5;
    fprintf(out, "  vocabulary: %td\n", vocabulary);
    if (weight_model_has(facts->model, "root"))
        write_number(out, "embedding_scale", (double)(float)sqrt((double)query->width));
    fprintf(out, "  position: %s\n", *block->ends[BLOCK_POSITIONS] ? "learned" : "none");
    write_size(out, "first_place", facts->first_place);
    write_flag(out, block->rms_norm ? "rms_norm" : "layer_norm", true);
    write_number(out, "norm_epsilon", facts->epsilon > 0.0 ? facts->epsilon : usual);
    fprintf(out, "  post_norm: %s\n", block->post_norm ? "true" : "false");
    write_flag(out, "residual", true);
    write_flag(out, "parallel", !*block->ends[BLOCK_NORM_2]);
    fprintf(out, "  feed_forward: %td\n%s", inside, form->lines);
    return true;
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

// What is found out about the layer.
typedef struct Found {
    ptrdiff_t in, out; // of the layer that makes q
    ptrdiff_t keys;    // output width of the layer that makes k, if separate
    ptrdiff_t key_in;  // its input width; 0: same as `in`
    long heads;
    const char *layers; // how many whole layers; NULL: attention only
    bool is_cross;      // cross-attention
    WeightLayers all;   // of the file
    Facts facts;
} Found;

static bool measure(TensorFile *file, const WeightLayer *layer, Arena *scratch, Found *found,
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
    found->out = shape[turned ? 1 : 0];
    found->in = shape[turned ? 0 : 1];
    found->keys = found->out;
    if (layer->layout->kind == WEIGHT_LAYOUT_APART) {
        ptrdiff_t made_from[2];
        for (int i = 1; i >= 0; i--) { // v, then k
            name = weight_layout_tensor(file, layer, i + 1, false, scratch, err);
            if (!name || !tensor_file_shape(file, name, scratch, &rank, shape, err))
                return false;
            made_from[i] = rank == 2 ? shape[1] : found->in;
        }
        found->keys = rank > 0 ? shape[0] : 0;
        found->key_in = made_from[0] != found->in ? made_from[0] : 0;
        return made_from[0] == made_from[1] ||
               error_set(err, TELL(FILE_KDIM), name, made_from[0], made_from[1]);
    }
    bool whole = layer->layout->kind == WEIGHT_LAYOUT_FUSED || turned;
    ptrdiff_t beside = found->out - found->in; // the width of k and v, if q is as wide as the input
    if (whole ? beside != 2 * found->in : beside <= 0 || beside % 2 != 0 || beside > 2 * found->in)
        return error_set(err, TELL(FILE_FUSED), name, tensor_shape_text(2, shape, text),
                         words_tell(layer->layout->about));
    found->out = found->in;
    found->keys = beside / 2;
    return true;
}

static const char *config_beside(const char *path, Arena *arena, Error *err)
{
    int folder = (int)(path_name(path) - path);
    const char *config = arena_format(arena, err, "%.*sconfig.json", folder, path);
    const char *params = arena_format(arena, err, "%.*sparams.json", folder, path); // Meta's
    return config && params && access(config, F_OK) != 0 && access(params, F_OK) == 0 ? params
                                                                                      : config;
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

// --- the requested layer

// How many layers the request runs, of those that are left.
static long layers_asked(const Asked *asked, long left)
{
    const char *text = value_set(asked->request, "weights.layers");
    long layers = text ? strtol(text, NULL, 10) : 1;
    return layers < 1 ? 1 : layers < left ? layers : left;
}

// Names that config.json's model uses for such layers.
static void settle_names(const FactsQuery *query, long number, WeightLayers *all)
{
    const char *type =
        query->as ? query->as : scenario_model_type(query->config, all->layers[number].prefix);
    const WeightModel *model =
        type ? weight_model_find(type) : weight_model_by_names(&all->layers[number]);
    const WeightLayout *layout = model ? weight_layout_find(model->layout) : NULL;
    const WeightLayout *now = all->layers[number].layout;
    for (int i = 0; layout && weight_layout_alike(layout, now) && i < all->count; i++)
        if (all->layers[i].layout == now)
            all->layers[i].layout = layout;
}

static bool refuse_without_layer(const FactsQuery *query, Error *err)
{
    const char *type = scenario_model_type(query->config, "");
    int count = tensor_file_count(query->file);
    const char *first = count > 0 ? tensor_file_name(query->file, 0) : "";
    return type ? error_set(err, TELL(FILE_NO_LAYER_OF), query->path, type, count, first)
                : error_set(err, TELL(FILE_NO_LAYER), query->path, count, first);
}

static bool find_layer(FactsQuery *query, const Asked *asked, WeightLayers *all, Arena *arena,
                       Error *err)
{
    long number = asked->number;
    if (!weight_layout_layers(query->file, NULL, arena, all, err))
        return false;
    if (all->count == 0)
        return refuse_without_layer(query, err);
    if (number < 0 || number >= all->count)
        return error_set(err, TELL(FILE_LAYERS), query->path, all->count - 1, all->count, number);
    settle_names(query, number, all);
    query->layer = &all->layers[number];
    query->last = query->layer + layers_asked(asked, all->count - number) - 1;
    query->end = &all->layers[weight_block_end(all, (int)number) - 1];
    return !query->whole || !weight_layout_is_cross(all, query->layer) ||
           error_set(err, TELL(FILE_CROSS), query->path, query->layer->prefix);
}

// Without config.json the base and width of rotary positions are unknown.
static bool check_known(const Asked *asked, const FactsQuery *query, const Facts *facts, Error *err)
{
    bool is_set = value_set(asked->request, "attention.rope") &&
                  (!facts->rope_width || value_set(asked->request, "attention.rope_width"));
    const char *as = facts->model->type;
    return facts->is_said || !(facts->turns || facts->biased) || is_set ||
           error_set(err, TELL(FACTS_NONE), asked->path, words_tell(query->layer->layout->about),
                     as, as);
}

// Lists assumptions, unless the user's options make them irrelevant.
static const char *note_of(const FactsQuery *query, const Facts *facts, Arena *arena, Error *err)
{
    const WeightModel *other;
    int alike = 0;
    for (int i = 0; (other = weight_model_get(i)) != NULL; i++)
        alike += weight_layout_alike(weight_layout_find(other->layout), query->layer->layout);
    if (*facts->odd)
        return arena_format(arena, err, TELL(FACTS_IGNORED), facts->model->type, facts->odd);
    bool is_plain = strcmp(facts->model->type, facts->model->layout) == 0;
    return facts->is_said || alike < 2
               ? ""
               : arena_format(arena, err, TELL(FACTS_TAKEN),
                              is_plain ? words_tell(query->layer->layout->about)
                                       : facts->model->type);
}

// Applies what config.json, or the user, says about the model.
static bool take_facts(const Asked *asked, FactsQuery *query, Found *found, Arena *arena,
                       Error *err)
{
    Facts *facts = &found->facts;
    long set = heads_set(asked->request);
    if (!scenario_facts_begin(query, facts, arena, err))
        return false;
    found->heads = set ? set : facts->heads;
    if (found->heads <= 0 && set >= 0)
        return error_set(err, TELL(FILE_HEADS), asked->path, found->out);
    if (found->heads < 0)
        found->heads = facts->heads;
    query->width = (long)found->in;
    query->keys = (long)found->keys;
    query->d_k = found->heads > 0 ? (long)found->out / found->heads : 0;
    return scenario_facts_read(query, facts, arena, err) &&
           scenario_facts_check(query, facts, arena, err) && check_known(asked, query, facts, err);
}

// --- the scenario's text

// Ids from 0 on, or the request's. RoBERTa's code does not count padding for the positions behind it, and gives it one of
// its own.
static bool write_ids(FILE *out, const Asked *asked, const Facts *facts, Error *err)
{
    const char *ids = value_set(asked->request, "input.ids");
    long pad = weight_model_has(facts->model, "places_pad") ? facts->first_place - 1 : -1;
    char *end = NULL;
    for (const char *at = ids; at && *at; at = end > at ? end : at + 1) {
        long id = strtol(at, &end, 10);
        if (end > at && pad >= 0 && id == pad)
            return error_set(err, TELL(FILE_PADDING), asked->path, pad);
    }
    fputs("  ids: ", out);
    for (long id = 0, count = 0; !ids && id < TOKENS; id++)
        if (id != pad)
            fprintf(out, "%s%ld", count++ ? ", " : "[[", id);
    fprintf(out, "%s\n", ids ? ids : "]]");
    return true;
}

// The input of whole layers: a text for the tokenizer next to the file, or ids.
static bool write_tokens(FILE *out, const Asked *asked, const Facts *facts, Arena *arena,
                         Error *err)
{
    const char *text = asked->request->text;
    const char *pair = value_set(asked->request, "input.pair");
    const char *slash = strrchr(asked->path, '/'), *named = strrchr(asked->name, '/');
    if (!text)
        return write_ids(out, asked, facts, err);
    const char *beside =
        tokenizer_beside(asked->path, slash ? (size_t)(slash + 1 - asked->path) : 0, arena, err);
    const char *file =
        beside ? arena_format(arena, err, "%.*s%s", named ? (int)(named + 1 - asked->name) : 0,
                              asked->name, beside)
               : NULL;
    if (!file)
        return false;
    fputs("  text: ", out);
    write_quoted(out, text);
    if (pair)
        fprintf(out, "\n  pair: %s", pair);
    fputs("\n  tokenizer: ", out);
    write_quoted(out, file);
    fputs("\n", out);
    return true;
}

// Vectors for attention alone, tokens for whole layers.
static bool write_input(FILE *out, const Asked *asked, const Found *found, Arena *arena, Error *err)
{
    fputs("input:\n", out);
    if (found->layers)
        return write_tokens(out, asked, &found->facts, arena, err);
    fprintf(out, "  vectors: {randn: [1, %d, %td]}\n", TOKENS,
            found->key_in ? found->key_in : found->in);
    if (found->is_cross)
        fprintf(out, "  query_vectors: {randn: [1, %d, %td]}\n", QUERIES, found->in);
    return true;
}

// In whole layers the heads together may be wider than a token.
static void write_widths(FILE *out, const Found *found)
{
    bool is_split = found->in != found->out && (!found->layers || found->heads <= 0);
    fprintf(out, "  %s: %td\n", is_split ? "d_in" : "d_model", found->in);
    if (is_split)
        fprintf(out, "  d_out: %td\n", found->out);
    else if (found->in != found->out)
        fprintf(out, "  d_k: %td\n", found->out / (ptrdiff_t)found->heads);
}

static bool write_model(FILE *out, const FactsQuery *query, const Found *found, Arena *arena,
                        Error *err)
{
    const Facts *facts = &found->facts;
    const WeightBlock *block = weight_block_find(query->layer->layout);
    bool has_norms = query->whole || (block && block->rms_norm);
    double epsilon = facts->epsilon > 0.0 ? facts->epsilon : 1e-6;
    fputs("\nmodel:\n", out);
    write_widths(out, found);
    write_size(out, "heads", found->heads);
    write_size(out, "kdim", (long)found->key_in);
    write_flag(out, "add_bias_kv", facts->bias_kv);
    write_flag(out, "add_zero_attn", facts->zero_key);
    if (found->keys < found->out)
        fprintf(out, "  kv_heads: %td\n", found->keys * (ptrdiff_t)found->heads / found->out);
    if (query->whole && !write_whole(out, query, facts, arena, err))
        return false;
    if (has_norms && !query->whole) { // LLaMA's
        write_flag(out, "rms_norm", true);
        write_number(out, "norm_epsilon", epsilon);
        write_flag(out, "residual", true);
    }
    write_flag(out, "qk_norm", facts->qk_norm);
    write_flag(out, "qk_norm_across", facts->qk_norm == 2);
    if (facts->qk_norm && !has_norms)
        write_number(out, "norm_epsilon", epsilon);
    write_flag(out, "norm_plus_one",
               weight_model_has(facts->model, "plus_one") && (has_norms || facts->qk_norm));
    write_flag(out, "relative_key", facts->relative);
    write_flag(out, "relative_query", facts->relative == 2);
    if (facts->buckets)
        fprintf(out, "  relative_buckets: %ld\n  relative_distance: %ld\n", facts->buckets,
                facts->distance);
    if (!*query->layer->layout->weights[3])
        fputs("  out_proj: false\n", out);
    return true;
}

static void write_weights(FILE *out, const FactsQuery *query, const Asked *asked,
                          const Found *found)
{
    const Facts *facts = &found->facts;
    const WeightLayer *layer = query->layer;
    bool may_turn = weight_model_has(facts->model, "rotary");
    fputs("\nweights:\n  file: ", out);
    write_quoted(out, asked->name);
    fprintf(out, "\n  layout: %s\n  layer: %d\n", layer->layout->name,
            weight_layout_number(&found->all, layer));
    if (may_turn && (!facts->turns || found->is_cross)) // the model rotates, this layer does not
        fprintf(out, "  as: %s\n", facts->model->type);
    if (found->layers)
        fprintf(out, "  layers: %s\n", found->layers);
    else
        fprintf(out, "  manual_seed: 0\n  draw: [x%s]\n", found->is_cross ? ", x_query" : "");
}

// What differs between layers, as a list if several run.
static void write_layers(FILE *out, const FactsQuery *query, const Found *found)
{
    const Facts *facts = &found->facts;
    FactsOfLayer first = scenario_facts_layer(facts, query->layer);
    long layers = query->last + 1 - query->layer;
    bool differ = false;
    for (long i = 0; i < layers; i++) {
        FactsOfLayer own = scenario_facts_layer(facts, query->layer + i);
        differ = differ || own.window != first.window || own.scale != first.scale;
    }
    if (facts->unscaled && first.scale <= 0.0)
        fputs("  scale: none\n", out);
    if (!differ && first.scale > 0.0)
        write_number(out, "scale", first.scale);
    if (!differ)
        write_size(out, "window", first.window);
    else
        fputs("  by_layer:\n", out);
    for (long i = 0; differ && i < layers; i++) {
        FactsOfLayer own = scenario_facts_layer(facts, query->layer + i);
        fprintf(out, "    - {window: %ld", own.window);
        if (own.scale > 0.0)
            fprintf(out, ", scale: %.9g", own.scale);
        fputs("}\n", out);
    }
}

static void write_attention(FILE *out, const FactsQuery *query, const Found *found)
{
    const Facts *facts = &found->facts;
    if (facts->causal && !found->is_cross)
        fputs("  mask: causal\n", out);
    if (facts->turns && !found->is_cross) {
        write_number(out, "rope", facts->rope);
        write_flag(out, "rope_neighbours", facts->neighbours);
        write_size(out, "rope_width", facts->rope_width);
        fputs(facts->rope_scaling, out);
    }
    write_layers(out, query, found);
    if (facts->softcap > 0.0)
        write_number(out, "softcap", facts->softcap);
    write_flag(out, "alibi", facts->biased);
}

static bool write_text(FILE *out, const FactsQuery *query, const Asked *asked, const Found *found,
                       Arena *arena, Error *err)
{
    const WeightLayer *layer = query->layer;
    const char *about =
        arena_format(arena, err, found->layers ? TELL(FILE_WHOLE_ABOUT) : TELL(LAYER_OF),
                     asked->number, words_tell(layer->layout->about));
    const char *note = note_of(query, &found->facts, arena, err);
    if (!about || !note)
        return false;
    fputs("about: ", out);
    write_quoted(out, about);
    fputs("\n# ", out);
    write_quoted(out, *layer->prefix ? layer->prefix : TELL(ONLY_LAYER));
    fputs("\n\n", out);
    if (!write_input(out, asked, found, arena, err) || !write_model(out, query, found, arena, err))
        return false;
    write_weights(out, query, asked, found);
    if (*note) {
        fputs("  note: ", out);
        write_quoted(out, note);
        fputs("\n", out);
    }
    return true;
}

// The text in the arena, with a section `attention` if that has any lines.
static const char *text_of(const FactsQuery *query, const Asked *asked, const Found *found,
                           Arena *arena, Error *err)
{
    Written most = {.out = NULL}, attention = {.out = NULL};
    const char *text = NULL;
    if (written_begin(&most, err) && written_begin(&attention, err) &&
        write_text(most.out, query, asked, found, arena, err)) {
        write_attention(attention.out, query, found);
        if (written_end(&most, err) && written_end(&attention, err))
            text = arena_format(arena, err, "%s%s%s", most.text,
                                attention.length ? "\nattention:\n" : "", attention.text);
    }
    written_drop(&most);
    written_drop(&attention);
    return text;
}

static const char *text_of_layer(FactsQuery *query, const Asked *asked, Arena *arena, Error *err)
{
    Found found = {.layers = value_set(asked->request, "weights.layers")};
    if (!find_layer(query, asked, &found.all, arena, err) ||
        !measure(query->file, query->layer, arena, &found, err) ||
        !take_facts(asked, query, &found, arena, err))
        return NULL;
    found.is_cross = weight_layout_is_cross(&found.all, query->layer) || found.key_in > 0;
    return text_of(query, asked, &found, arena, err);
}

// --- listing a file's layers

// True if k's input is not as wide as q's.
static bool has_other_keys(const FactsQuery *query, Arena *arena)
{
    ptrdiff_t made_from[2] = {0}, shape[TENSOR_RANK_MAX];
    Error quiet;
    for (int i = 0; i < 2 && query->layer->layout->kind == WEIGHT_LAYOUT_APART; i++) {
        const char *name = weight_layout_tensor(query->file, query->layer, i, false, arena, &quiet);
        int rank;
        if (!name || !tensor_file_shape(query->file, name, arena, &rank, shape, &quiet) ||
            rank != 2)
            return false;
        made_from[i] = shape[1];
    }
    return made_from[0] != made_from[1];
}

// Describes a layer; a refusal's reason is the first layer's.
static bool list_layer(FactsQuery *query, int number, FileLayers *listed, Arena *arena, Error *err)
{
    const Asked asked = {.request = &(ScenarioRequest){.what = NULL}, .path = query->path};
    Found found = {.out = 0};
    Facts *facts = &found.facts;
    FileLayer *layer = &listed->layers[number];
    query->layer = &listed->all.layers[number];
    *layer = (FileLayer){.is_cross = weight_layout_is_cross(&listed->all, query->layer) ||
                                     has_other_keys(query, arena),
                         .is_causal = weight_layout_is_causal(query->layer)};
    bool good = scenario_facts_begin(query, facts, arena, err);
    bool is_known = good && measure(query->file, query->layer, arena, &found, err);
    query->width = is_known ? (long)found.in : 0;
    query->keys = is_known ? (long)found.keys : 0;
    query->d_k = is_known && facts->heads > 0 ? (long)found.out / facts->heads : 0;
    good = good && scenario_facts_read(query, facts, arena, err);
    if (good)
        layer->is_causal = facts->causal && !layer->is_cross;
    if (good && !layer->is_cross)
        good = scenario_facts_check(query, facts, arena, err) &&
               check_known(&asked, query, facts, err);
    if (!good && !err->of_machine && !listed->why)
        listed->why = arena_text(arena, err->text, err);
    return good || (!err->of_machine && listed->why);
}

bool scenario_file_layers(TensorFile *file, const char *path, const char *as, Arena *arena,
                          FileLayers *listed, Error *err)
{
    FactsQuery query = {.file = file, .path = path, .as = as};
    JsonValue *config = NULL;
    const char *beside = config_beside(path, arena, err);
    *listed = (FileLayers){.why = NULL};
    bool good = beside && weight_layout_layers(file, NULL, arena, &listed->all, err);
    if (!good || listed->all.count == 0)
        return good;
    listed->layers = arena_take(arena, (size_t)listed->all.count, sizeof *listed->layers, err);
    good = listed->layers && json_file_open(beside, &config, err);
    query.config = config;
    for (int i = 0; good && i < listed->all.count; i++)
        settle_names(&query, i, &listed->all);
    for (int i = 0; good && i < listed->all.count; i++)
        good = list_layer(&query, i, listed, arena, err);
    json_decref(config);
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
    asked.name = name ? name : path_name(asked.path);
    FactsQuery query = {.path = asked.path,
                        .as = value_set(request, "weights.as"),
                        .whole = value_set(request, "weights.layers") != NULL,
                        .reads_out = value_set(request, "model.questions") != NULL};
    JsonValue *config = NULL;
    const char *beside = config_beside(asked.path, arena, err);
    query.file = beside ? tensor_file_open(asked.path, arena, err) : NULL;
    if (query.file && json_file_open(beside, &config, err)) {
        query.config = config;
        text = text_of_layer(&query, &asked, arena, err);
    }
    json_decref(config);
    tensor_file_close(query.file);
    return text;
}
