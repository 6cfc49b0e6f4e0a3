// tiny: see tiny.h.
#include "tiny.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "stage.h"

TinyShape tiny_self(ptrdiff_t batch, ptrdiff_t heads, ptrdiff_t tokens)
{
    return (TinyShape){.batch = batch,
                       .queries = tokens,
                       .keys = tokens,
                       .heads = heads,
                       .d_k = 2,
                       .d_v = 2,
                       .d_in = 3,
                       .d_out = 3};
}

TinyShape tiny_causal(ptrdiff_t batch, ptrdiff_t heads, ptrdiff_t tokens)
{
    TinyShape shape = tiny_self(batch, heads, tokens);
    shape.causal = true;
    return shape;
}

// splitmix64 (Steele, Lea, Flood 2014)
static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float tiny_number(uint64_t *state)
{
    int32_t whole = (int32_t)(mix(state) >> 41) - (1 << 22);
    return (float)(2 * whole + 1) * 0x1p-23f;
}

ptrdiff_t tiny_index(uint64_t *state, ptrdiff_t limit)
{
    return (ptrdiff_t)(mix(state) % (uint64_t)limit);
}

static Tensor take(Scenario *scenario, Dtype dtype, int rank, const ptrdiff_t shape[])
{
    Error err;
    Tensor tensor;
    bool taken = tensor_take(&scenario->arena, dtype, rank, shape, &tensor, &err);
    assert(taken);
    return taken ? tensor : (Tensor){.rank = 0};
}

static void add_floats(Scenario *scenario, const char *role, int rank, const ptrdiff_t shape[],
                       uint64_t *seed)
{
    Tensor tensor = take(scenario, DTYPE_F32, rank, shape);
    for (ptrdiff_t i = 0; i < tensor_count(&tensor); i++)
        tensor.storage.f32[i] = tiny_number(seed);
    scenario_add(scenario, role, role, tensor, "tiny");
}

// Sequence b is b tokens shorter than the longest, but at least one token long.
static void add_ids(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    Tensor lengths = take(scenario, DTYPE_I64, 1, (ptrdiff_t[]){shape.batch});
    ptrdiff_t total = 0;
    for (ptrdiff_t b = 0; b < shape.batch; b++)
        total += lengths.storage.i64[b] = shape.keys - b > 1 ? shape.keys - b : 1;
    Tensor tokens = take(scenario, DTYPE_I64, 1, (ptrdiff_t[]){total});
    for (ptrdiff_t i = 0; i < total; i++)
        tokens.storage.i64[i] = 1 + tiny_index(seed, shape.vocabulary - 1);
    scenario_add(scenario, "tokens", "tokens", tokens, "tiny");
    scenario_add(scenario, "lengths", "lengths", lengths, "tiny");
    scenario->size[SYMBOL_N] = total;
    scenario->size[SYMBOL_V] = shape.vocabulary;
    add_floats(scenario, "embedding.weight", 2, (ptrdiff_t[]){shape.vocabulary, shape.d_in}, seed);
}

// `heads` of this width.
typedef struct Heads {
    ptrdiff_t count, width;
} Heads;

static ptrdiff_t query_width(TinyShape shape)
{
    return shape.query_width ? shape.query_width : shape.d_in;
}

static void add_layer(Scenario *scenario, TinyShape shape, const char *const names[3], Heads made,
                      uint64_t *seed)
{
    const char *weight = names[0], *bias = names[1], *per_head = names[2];
    ptrdiff_t heads = made.count, width = made.width;
    ptrdiff_t in = *weight == 'q' ? query_width(shape) : shape.d_in;
    if (shape.per_head)
        add_floats(scenario, per_head, 3, (ptrdiff_t[]){heads, in, width}, seed);
    else
        add_floats(scenario, weight, 2, (ptrdiff_t[]){heads * width, in}, seed);
    if (shape.bias)
        add_floats(scenario, bias, 1, (ptrdiff_t[]){heads * width}, seed);
}

static void add_fused(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    ptrdiff_t width = 2 * scenario->size[SYMBOL_DK] + scenario->size[SYMBOL_DV];
    scenario->size[SYMBOL_DQKV] = width;
    add_floats(scenario, "conv1d.in_proj.weight", 2, (ptrdiff_t[]){shape.d_in, width}, seed);
    if (shape.bias)
        add_floats(scenario, "in_proj.bias", 1, (ptrdiff_t[]){width}, seed);
}

static void add_past(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    ptrdiff_t groups = shape.kv_heads ? shape.kv_heads : scenario->options.heads;
    ptrdiff_t cached = scenario->options.cached;
    int rank = shape.heads ? 4 : 3;
    ptrdiff_t k[] = {shape.batch, groups, cached, shape.d_k},
              v[] = {shape.batch, groups, cached, shape.d_v};
    if (rank == 3) {
        k[1] = v[1] = cached;
        k[2] = shape.d_k;
        v[2] = shape.d_v;
    }
    if (cached == 0)
        return;
    add_floats(scenario, "past_k", rank, k, seed);
    add_floats(scenario, "past_v", rank, v, seed);
}

static void add_projections(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    if (shape.fused) {
        add_fused(scenario, shape, seed);
        return;
    }
    static const char *const names[3][3] = {{"q_proj.weight", "q_proj.bias", "q_proj.per_head"},
                                            {"k_proj.weight", "k_proj.bias", "k_proj.per_head"},
                                            {"v_proj.weight", "v_proj.bias", "v_proj.per_head"}};
    ptrdiff_t heads = scenario->options.heads, groups = scenario->options.kv_heads;
    groups = groups > 0 ? groups : heads;
    add_layer(scenario, shape, names[0], (Heads){heads, shape.d_k}, seed);
    add_layer(scenario, shape, names[1], (Heads){groups, shape.d_k}, seed);
    add_layer(scenario, shape, names[2], (Heads){groups, shape.d_v}, seed);
    add_past(scenario, shape, seed);
}

static void add_output(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    ptrdiff_t in = scenario->size[SYMBOL_DV], out = shape.d_out;
    if (shape.fused)
        add_floats(scenario, "conv1d.out_proj.weight", 2, (ptrdiff_t[]){in, out}, seed);
    else
        add_floats(scenario, "out_proj.weight", 2, (ptrdiff_t[]){out, in}, seed);
    add_floats(scenario, "out_proj.bias", 1, (ptrdiff_t[]){out}, seed);
}

static void add_flags(Scenario *scenario, const char *role, int rank, const ptrdiff_t shape[],
                      bool (*is_set)(ptrdiff_t number))
{
    Tensor tensor = take(scenario, DTYPE_BOOL, rank, shape);
    for (ptrdiff_t i = 0; i < tensor_count(&tensor); i++)
        tensor.storage.boolean[i] = is_set(i);
    scenario_add(scenario, role, role, tensor, "tiny");
}

static bool every_fifth(ptrdiff_t number)
{
    return number % 5 == 4;
}

static void add_masks(Scenario *scenario, TinyShape shape)
{
    const ptrdiff_t sides[] = {shape.queries, scenario->size[SYMBOL_LK]};
    if (shape.given_mask)
        add_flags(scenario, "mask", 2, sides, every_fifth);
    if (shape.added_mask)
        add_floats(scenario, "added_mask", 2, sides, &(uint64_t){5});
    if (shape.context == 0)
        return;
    Tensor buffer = take(scenario, DTYPE_BOOL, 2, (ptrdiff_t[]){shape.context, shape.context});
    for (ptrdiff_t i = 0; i < shape.context; i++)
        for (ptrdiff_t j = 0; j < shape.context; j++)
            *tensor_flag2(&buffer, i, j) = j > i;
    scenario_add(scenario, "causal_mask_buffer", "causal_mask_buffer", buffer, "tiny");
}

// Every place that holds a token asks every question; its answer is any word.
static void add_questions(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    ptrdiff_t sides[] = {shape.batch, shape.questions, shape.keys};
    Tensor targets = take(scenario, DTYPE_I64, 3, sides);
    for (ptrdiff_t b = 0; b < shape.batch; b++)
        for (ptrdiff_t q = 0; q < shape.questions; q++)
            for (ptrdiff_t l = 0; l < shape.keys; l++)
                targets.storage.i64[(b * shape.questions + q) * shape.keys + l] =
                    l + b < shape.keys ? tiny_index(seed, shape.vocabulary) : -1;
    scenario_add(scenario, "targets", "targets", targets, "tiny");
    scenario->size[SYMBOL_Q] = shape.questions;
    add_floats(scenario, "readout.weight", 3,
               (ptrdiff_t[]){shape.questions, shape.vocabulary, shape.d_out}, seed);
}

// The third step of Adam: its second moment is no less than 0.
static void add_update(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    static const char *const roles[] = {"parameter", "gradient", "moment1", "moment2"};
    const ptrdiff_t sides[] = {shape.d_out, shape.d_in};
    for (int i = 0; i < 4; i++)
        add_floats(scenario, roles[i], 2, sides, seed);
    const Tensor *moment2 = &scenario_tensor(scenario, "moment2")->tensor;
    for (ptrdiff_t i = 0; i < tensor_count(moment2); i++)
        moment2->storage.f32[i] *= moment2->storage.f32[i];
    scenario->options.rate = 0.01f;
    scenario->options.beta1 = 0.9f;
    scenario->options.beta2 = 0.98f;
    scenario->options.epsilon = 1e-8f;
    scenario->options.update = 3;
}

static void set_sizes(Scenario *scenario, TinyShape shape)
{
    ptrdiff_t heads = shape.heads ? shape.heads : 1;
    scenario->size[SYMBOL_B] = shape.batch;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LK] = shape.keys;
    scenario->size[SYMBOL_LQ] = shape.queries;
    scenario->size[SYMBOL_H] = shape.heads;
    scenario->size[SYMBOL_LAYERS] = shape.map_layers;
    scenario->size[SYMBOL_DIN] = shape.d_in;
    scenario->size[SYMBOL_D_K] = shape.d_k;
    scenario->size[SYMBOL_D_V] = shape.d_v;
    scenario->size[SYMBOL_DK] = heads * shape.d_k;
    scenario->size[SYMBOL_DV] = heads * shape.d_v;
    scenario->size[SYMBOL_DOUT] = shape.d_out;
    scenario->size[SYMBOL_DQ] = shape.query_width;
    scenario->has_heads = shape.heads > 0;
    scenario->options.heads = heads;
}

static void add_options(StageOptions *to, const StageOptions *from)
{
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++)
        if (stage_option_is_on(option, from))
            memcpy((char *)to + option->place, (const char *)from + option->place, option->size);
}

// One key and value more, or two, behind those of the text; gradients are known.
static void append_keys(Scenario *scenario, TinyShape shape)
{
    StageOptions *options = &scenario->options;
    ptrdiff_t *size = scenario->size;
    options->add_bias_kv = shape.options.add_bias_kv;
    options->add_zero_attn = shape.options.add_zero_attn;
    if (!options->add_bias_kv && !options->add_zero_attn)
        return;
    size[SYMBOL_LT] = shape.keys;
    size[SYMBOL_LB] = shape.keys + options->add_bias_kv;
    size[SYMBOL_LK] = size[SYMBOL_LB] + options->add_zero_attn;
}

// The keys of the shape are those of new tokens; a cache has so many before them.
static void count_cached(Scenario *scenario, TinyShape shape)
{
    ptrdiff_t *size = scenario->size, cached = shape.options.cached;
    if (cached == 0 || shape.backward)
        return;
    size[SYMBOL_LT] = shape.keys;
    size[SYMBOL_LP] = cached;
    size[SYMBOL_LK] = shape.keys + cached;
}

// Grouped heads, norms, feed-forward and learned positions.
static void set_layer_options(Scenario *scenario, TinyShape shape)
{
    StageOptions *options = &scenario->options;
    options->kv_heads = shape.kv_heads;
    scenario->size[SYMBOL_G] = shape.kv_heads;
    scenario->size[SYMBOL_GK] = shape.kv_heads * shape.d_k;
    scenario->size[SYMBOL_GV] = shape.kv_heads * shape.d_v;
    options->layer_norm = shape.layer_norm;
    options->rms_norm = shape.rms_norm;
    options->norm_epsilon = 0.01f;
    options->feed_forward = shape.feed_forward;
    options->gelu_tanh = shape.gelu_tanh;
    options->post_norm = shape.post_norm;
    options->gated = shape.gated;
    options->learned_position = shape.learned;
    options->norm_plus_one = shape.options.norm_plus_one;
    options->gelu_quick = shape.options.gelu_quick;
    options->relu = shape.options.relu;
    options->gate_gelu = shape.options.gate_gelu;
    options->parallel = shape.options.parallel;
    options->embedding_scale = shape.options.embedding_scale;
    options->first_place = shape.options.first_place;
    scenario->size[SYMBOL_DFF] = shape.feed_forward;
}

// What happens to queries, keys and scores.
static void set_score_options(Scenario *scenario, TinyShape shape)
{
    StageOptions *options = &scenario->options;
    options->qk_norm = shape.options.qk_norm;
    options->qk_norm_across = shape.options.qk_norm_across;
    options->softcap = shape.options.softcap;
    options->alibi = shape.options.alibi;
    options->relative_buckets = shape.buckets;
    options->relative_distance = 3;
    scenario->size[SYMBOL_BUCKETS] = shape.buckets;
}

static void set_options(Scenario *scenario, TinyShape shape)
{
    StageOptions *options = &scenario->options;
    options->window = shape.window;
    append_keys(scenario, shape);
    count_cached(scenario, shape);
    options->residual = shape.residual;
    options->rope = shape.options.rope;
    options->rope_neighbours = shape.options.rope_neighbours;
    options->rope_width = shape.options.rope_width;
    options->softmax_block = shape.options.softmax_block;
    if (options->softmax_block > 0)
        scenario->size[SYMBOL_BLOCKS] =
            (scenario->size[SYMBOL_LK] + options->softmax_block - 1) / options->softmax_block;
    set_layer_options(scenario, shape);
    set_score_options(scenario, shape);
    if (!shape.backward) // the rest has no way back
        add_options(options, &shape.options);
}

static void add_norm(Scenario *scenario, const char *weight, const char *bias, TinyShape shape,
                     uint64_t *seed)
{
    bool behind = strstr(weight, "_2") || strncmp(weight, "post", 4) == 0;
    ptrdiff_t width = behind ? shape.d_out : shape.d_in;
    add_floats(scenario, weight, 1, &width, seed);
    if (scenario->options.layer_norm && shape.bias)
        add_floats(scenario, bias, 1, &width, seed);
}

// What stands behind attention, and the norms of either kind.
static void add_feed_forward(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    ptrdiff_t width = shape.d_out, inside = shape.feed_forward;
    bool turned = shape.fused;
    if (shape.post_norm) {
        add_norm(scenario, "post_norm.weight", "post_norm.bias", shape, seed);
        add_norm(scenario, "post_norm_2.weight", "post_norm_2.bias", shape, seed);
    } else if ((scenario->options.layer_norm || scenario->options.rms_norm) &&
               !scenario->options.parallel) {
        add_norm(scenario, "norm_2.weight", "norm_2.bias", shape, seed);
    }
    if (shape.gated)
        add_floats(scenario, "gate.weight", 2, (ptrdiff_t[]){inside, width}, seed);
    if (shape.gated && shape.bias)
        add_floats(scenario, "gate.bias", 1, &inside, seed);
    add_floats(scenario, turned ? "conv1d.expand.weight" : "expand.weight", 2,
               (ptrdiff_t[]){turned ? width : inside, turned ? inside : width}, seed);
    add_floats(scenario, turned ? "conv1d.contract.weight" : "contract.weight", 2,
               (ptrdiff_t[]){turned ? inside : width, turned ? width : inside}, seed);
    if (shape.bias) {
        add_floats(scenario, "expand.bias", 1, &inside, seed);
        add_floats(scenario, "contract.bias", 1, &width, seed);
    }
}

// Every second token is one of the second text.
static void add_types(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    Tensor ids = take(scenario, DTYPE_I64, 2, (ptrdiff_t[]){shape.batch, shape.keys});
    for (ptrdiff_t l = 0; l < shape.batch * shape.keys; l++)
        ids.storage.i64[l] = l % 2;
    scenario->size[SYMBOL_TYPES] = 3;
    add_floats(scenario, "token_type.weight", 2, (ptrdiff_t[]){3, shape.d_in}, seed);
    scenario_add(scenario, "token_type_ids", "token_type_ids", ids, "tiny");
}

// Places that were learned, with a type beside biases, whose sum is normed.
static void add_learned(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    scenario->size[SYMBOL_P] = shape.keys + 1;
    add_floats(scenario, "position.weight", 2, (ptrdiff_t[]){shape.keys + 1, shape.d_in}, seed);
    if (!shape.bias)
        return;
    if (shape.two_texts)
        add_types(scenario, shape, seed);
    else
        add_floats(scenario, "token_type", 1, &shape.d_in, seed);
    add_norm(scenario, "embedding_norm.weight", "embedding_norm.bias", shape, seed);
}

// One more key and value behind those of the text.
static void add_bias_kv(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    ptrdiff_t groups = scenario->options.kv_heads;
    ptrdiff_t heads = groups ? groups : scenario->options.heads;
    if (!scenario->options.add_bias_kv)
        return;
    add_floats(scenario, "bias_k", 3, (ptrdiff_t[]){1, 1, heads * shape.d_k}, seed);
    add_floats(scenario, "bias_v", 3, (ptrdiff_t[]){1, 1, heads * shape.d_v}, seed);
}

// Weights of the layers after the first, under names of their own.
static void add_layers(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    scenario->layers = shape.layers;
    for (int layer = 1; layer < shape.layers; layer++) {
        int before = scenario->tensor_count;
        Error err;
        add_projections(scenario, shape, seed);
        if ((scenario->options.layer_norm || scenario->options.rms_norm) && !shape.post_norm)
            add_norm(scenario, "norm.weight", "norm.bias", shape, seed);
        add_output(scenario, shape, seed);
        if (shape.feed_forward)
            add_feed_forward(scenario, shape, seed);
        add_bias_kv(scenario, shape, seed);
        for (int i = before; i < scenario->tensor_count; i++) {
            ScenarioTensor *added = &scenario->tensors[i];
            added->layer = layer;
            added->name =
                arena_format(&scenario->arena, &err, SCENARIO_LAYER_NAME, layer, added->name);
        }
    }
}

static void add_qk_norm(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    bool across = scenario->options.qk_norm_across;
    ptrdiff_t groups = shape.kv_heads ? shape.kv_heads : scenario->options.heads;
    ptrdiff_t q = across ? scenario->options.heads * shape.d_k : shape.d_k;
    ptrdiff_t k = across ? groups * shape.d_k : shape.d_k;
    add_floats(scenario, across ? "q_norm.across" : "q_norm.weight", 1, &q, seed);
    add_floats(scenario, across ? "k_norm.across" : "k_norm.weight", 1, &k, seed);
}

static bool every_second(ptrdiff_t number)
{
    return number % 2 == 1;
}

// Every second head or token of the first layer has another run's values; the stream is kept apart by parts.
static void add_parts(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    if (scenario->options.parts)
        scenario->size[SYMBOL_PARTS] = scenario_parts(scenario);
    if (!scenario->options.patched)
        return;
    add_floats(scenario, "patch.values", 4,
               (ptrdiff_t[]){shape.batch, shape.heads, shape.queries, shape.d_v}, seed);
    add_flags(scenario, "patch.heads", 2, (ptrdiff_t[]){shape.heads, shape.queries}, every_second);
}

static void add_tensors(Scenario *scenario, TinyShape shape, uint64_t *seed)
{
    if (shape.vocabulary)
        add_ids(scenario, shape, seed);
    else
        add_floats(scenario, "x", 3, (ptrdiff_t[]){shape.batch, shape.keys, shape.d_in}, seed);
    if (shape.queries != shape.keys)
        add_floats(scenario, "x_query", 3,
                   (ptrdiff_t[]){shape.batch, shape.queries, query_width(shape)}, seed);
    add_projections(scenario, shape, seed);
    if ((scenario->options.layer_norm || scenario->options.rms_norm) && !shape.post_norm)
        add_norm(scenario, shape.queries == shape.keys ? "norm.weight" : "query_norm.weight",
                 shape.queries == shape.keys ? "norm.bias" : "query_norm.bias", shape, seed);
    if (scenario->options.learned_position)
        add_learned(scenario, shape, seed);
    add_masks(scenario, shape);
    if (shape.d_out > 0)
        add_output(scenario, shape, seed);
    if (scenario->options.feed_forward > 0)
        add_feed_forward(scenario, shape, seed);
    add_layers(scenario, shape, seed);
    if (shape.final_norm)
        add_norm(scenario, "final_norm.weight", "final_norm.bias", shape, seed);
    if (shape.buckets)
        add_floats(scenario, "relative_bias.weight", 2,
                   (ptrdiff_t[]){shape.buckets, scenario->options.heads}, seed);
    if (scenario->options.qk_norm)
        add_qk_norm(scenario, shape, seed);
    if (scenario->options.relative_key) {
        scenario->size[SYMBOL_DISTANCES] = 2 * shape.keys - 1;
        add_floats(scenario, "relative_key.weight", 2, (ptrdiff_t[]){2 * shape.keys - 1, shape.d_k},
                   seed);
    }
    add_bias_kv(scenario, shape, seed);
    if (shape.d_out > 0 && shape.questions)
        add_questions(scenario, shape, seed);
    if (shape.update)
        add_update(scenario, shape, seed);
    add_parts(scenario, shape, seed);
    scenario->maps = shape.map_layers ? "maps" : NULL;
    if (shape.map_layers)
        add_floats(scenario, "maps", 4,
                   (ptrdiff_t[]){shape.map_layers, shape.heads, shape.queries, shape.keys}, seed);
}

void tiny_scenario(Scenario *scenario, TinyShape shape, uint64_t seed)
{
    *scenario = (Scenario){.name = "tiny", .about = "a small one", .scaled = true};
    set_sizes(scenario, shape);
    set_options(scenario, shape);
    scenario->masked = shape.causal || shape.padding || shape.given_mask || shape.window > 0;
    scenario->mask_before_scale = shape.mask_first;
    scenario->with_position = shape.positions;
    scenario->with_dropout = shape.dropout;
    scenario->backward = shape.backward;
    scenario->options.scale = sqrtf((float)shape.d_k);
    scenario->options.mask_value = shape.mask_value != 0.0f ? shape.mask_value : -INFINITY;
    scenario->options.causal = shape.causal;
    scenario->options.causal_shift =
        shape.last_queries ? shape.keys - shape.queries : scenario->options.cached;
    scenario->options.mask_padding = shape.padding;
    scenario->options.dropout_p = shape.dropout ? 0.25 : 0.0;
    scenario->options.dropout_seed = 7;
    add_tensors(scenario, shape, &seed);
}
