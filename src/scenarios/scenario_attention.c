// The section `attention`: scale, masks, dropout; see scenario_internal.h.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "scenario_internal.h"
#include "scenarios_words.def"

// --- scale

static bool read_scale(Reading *reading, const YamlNode *attention, Error *err)
{
    enum { SQRT_D_K, SQRT_D_MODEL, D_K, SQRT_HEADS, NO_SCALE };
    static const char *const words[] = {"sqrt_d_k",   "sqrt_d_model", "d_k",
                                        "sqrt_heads", "none",         NULL};
    Scenario *scenario = reading->scenario;
    const YamlNode *node = yaml_get(attention, "scale");
    double number, d_k = (double)scenario->size[SYMBOL_D_K];
    int which = SQRT_D_K;
    Error ignored;
    scenario->scaled = true;
    if (node && yaml_number(node, &number, &ignored)) {
        scenario->options.scale = (float)number;
        return (scenario->options.scale != 0.0f && isfinite(scenario->options.scale)) ||
               yaml_error(node, err, TELL(SCALE_NOT), node->text);
    }
    if (node && !field_word(node, words, TELL(A_NUMBER), &which, err))
        return false;
    if (which == SQRT_D_MODEL && reading->d_model == 0)
        return yaml_error(node, err, TELL(SCALE_EITHER));
    const double divisors[] = {
        [SQRT_D_K] = sqrt(d_k),
        [SQRT_D_MODEL] = sqrt((double)reading->d_model),
        [D_K] = d_k,
        [SQRT_HEADS] = sqrt((double)scenario->options.heads),
        [NO_SCALE] = 1.0,
    };
    scenario->options.scale = (float)divisors[which];
    scenario->options.scale_name = words[which];
    scenario->scaled = which != NO_SCALE;
    return true;
}

// --- masks

// Appends a sentence to scenario->note.
static bool add_note(Scenario *scenario, const char *sentence, Error *err)
{
    const char *before = scenario->note ? scenario->note : "";
    scenario->note =
        arena_format(&scenario->arena, err, "%s%s%s", before, scenario->note ? ". " : "", sentence);
    return scenario->note != NULL;
}

static bool add_mask_word(Reading *reading, const YamlNode *node, Error *err)
{
    static const char *const words[] = {"none", "causal", "key_padding", "pad_id", NULL};
    StageOptions *options = &reading->scenario->options;
    const char *also = node->key ? TELL(LIST_OF_THEM) : NULL;
    int which;
    if (!field_word(node, words, also, &which, err))
        return false;
    if (which == 0 && !node->key)
        return yaml_error(node, err, TELL(MASK_NONE));
    if ((which == 1 && options->causal) || (which >= 2 && options->mask_padding))
        return yaml_error(node, err, TELL(MASK_TWICE), words[which]);
    if (which == 3 && !scenario_tensor(reading->scenario, "tokens"))
        return yaml_error(node, err, TELL(PAD_ID_TOKENS));
    options->causal |= which == 1;
    options->mask_padding |= which >= 2;
    options->padding_by_id |= which == 3;
    return true;
}

static bool read_mask_words(Reading *reading, const YamlNode *attention, Error *err)
{
    const YamlNode *node = yaml_get(attention, "mask");
    if (!node)
        return true;
    if (node->kind != YAML_LIST)
        return add_mask_word(reading, node, err);
    for (const YamlNode *item = node->first; item; item = item->next)
        if (!add_mask_word(reading, item, err))
            return false;
    return true;
}

// With different numbers of queries and keys, a causal mask is aligned at the first key or the last.
static bool read_causal_align(Reading *reading, const YamlNode *attention, Error *err)
{
    static const char *const words[] = {"top_left", "bottom_right", NULL};
    Scenario *scenario = reading->scenario;
    const YamlNode *node = yaml_get(attention, "causal_align");
    ptrdiff_t queries = scenario->size[SYMBOL_LQ], keys = scenario->size[SYMBOL_LK];
    int which = 0;
    char text[400];
    if (node && !scenario->options.causal)
        return yaml_key_error(node, err, TELL(ALIGN_CAUSAL));
    if (node && !field_word(node, words, NULL, &which, err))
        return false;
    if (which == 1)
        scenario->options.causal_shift = keys - queries;
    if (which == 1 && queries != keys && scenario->options.rope > 0)
        return yaml_key_error(node, err, TELL(ALIGN_ROPE), keys - queries);
    if (node || !scenario->options.causal || queries == keys)
        return true;
    snprintf(text, sizeof text, TELL(ALIGN_ASSUMED), queries, keys);
    return add_note(scenario, text, err);
}

// Ids mark padding themselves; vectors need lengths.
static bool read_padding(Reading *reading, const YamlNode *attention, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *node = yaml_get(attention, "key_padding_mask");
    bool has_tokens = scenario_tensor(scenario, "tokens") != NULL;
    ptrdiff_t batch = scenario->size[SYMBOL_B], keys = scenario->size[SYMBOL_LK];
    TensorRule rule = {"key_padding_mask", "(B, Lk)", DTYPE_BOOL, 2, false, false};
    char text[TENSOR_TEXT_MAX];
    Tensor mask;
    const char *from;
    if (node && has_tokens)
        return yaml_key_error(node, err, TELL(PADDING_KNOWN));
    if (node && !scenario->options.mask_padding)
        return yaml_key_error(node, err, TELL(PADDING_UNUSED));
    if (!node && scenario->options.mask_padding && !has_tokens)
        return yaml_error(yaml_get(attention, "mask"), err, TELL(PADDING_NEEDED));
    if (!node)
        return true;
    if (!scenario_tensor_read(reading, node, &rule, &mask, &from, err))
        return false;
    if (mask.shape[0] != batch || mask.shape[1] != keys)
        return yaml_error(node, err, TELL(PADDING_SHAPE), tensor_shape_text(2, mask.shape, text),
                          batch, keys);
    scenario_add(scenario, "key_padding_mask", "key_padding_mask", mask, from);
    return true;
}

// Broadcasts a mask of three axes: PyTorch has (B*H, Lq, Lk), ordered by sequence; (B, Lq, Lk) applies to all heads,
// otherwise (H, Lq, Lk) to all sequences.
static bool spread_mask(const Reading *reading, Tensor *mask, Error *err)
{
    Scenario *scenario = reading->scenario;
    ptrdiff_t batch = scenario->size[SYMBOL_B], heads = scenario->size[SYMBOL_H];
    ptrdiff_t first = mask->shape[0];
    char text[200];
    if (mask->rank != 3 || !scenario->has_heads || batch == 1 || first == 1)
        return true;
    if (first == heads && heads != batch)
        return true;
    if (first == heads) {
        snprintf(text, sizeof text, TELL(MASK_OF_HEADS), first);
        return add_note(scenario, text, err);
    }
    bool of_both = first == batch * heads;
    const ptrdiff_t shape[] = {batch, of_both ? heads : 1, mask->shape[1], mask->shape[2]};
    Tensor spread;
    Error unused;
    if ((of_both || first == batch) && tensor_view(mask, 4, shape, &spread, &unused))
        *mask = spread;
    return true;
}

// True if a numeric mask contains only 0 and one other value: with -inf it is equivalent to a boolean mask.
static bool holds_only(const Tensor *mask, float other)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(mask, at)) {
        float number = mask->storage.f32[tensor_place(mask, at)];
        if (number != 0.0f && number != other)
            return false;
    }
    return true;
}

// Converts 0 and -inf to flags, so that pictures hatch masked cells and mistakes about masks apply.
static bool take_flags(Reading *reading, const YamlNode *node, Tensor *mask, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    Tensor flags;
    if (!scenario_tensor_take(reading, node,
                              &(TensorPlan){"mask_file", DTYPE_BOOL, mask->rank, mask->shape},
                              &flags, err))
        return false;
    for (bool more = true; more; more = tensor_next(mask, at))
        flags.storage.boolean[tensor_place(&flags, at)] =
            mask->storage.f32[tensor_place(mask, at)] != 0.0f;
    *mask = flags;
    return add_note(reading->scenario, TELL(MASK_FORBIDS), err);
}

static ptrdiff_t appended_keys(const Scenario *scenario)
{
    return scenario->options.add_bias_kv + scenario->options.add_zero_attn;
}

// Appended keys get a column of 0 or false: they are never masked.
static bool pad_mask(Reading *reading, const YamlNode *node, Tensor *mask, const char **from,
                     Error *err)
{
    ptrdiff_t appended = appended_keys(reading->scenario);
    ptrdiff_t keys = reading->scenario->size[SYMBOL_LK], shape[TENSOR_RANK_MAX];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int last = mask->rank - 1;
    Tensor padded, narrow;
    if (appended == 0 || mask->rank == 0)
        return true;
    if (mask->shape[last] != keys && mask->shape[last] != 1)
        return yaml_error(node, err, TELL(APPENDED_MASK), mask->shape[last], keys, appended);
    memcpy(shape, mask->shape, sizeof shape);
    shape[last] = keys + appended;
    if (!scenario_tensor_take(reading, node,
                              &(TensorPlan){"mask_file", mask->dtype, mask->rank, shape}, &padded,
                              err))
        return false;
    narrow = tensor_narrow(&padded, last, 0, keys);
    for (bool more = tensor_count(&narrow) > 0; more; more = tensor_next(&narrow, at)) {
        ptrdiff_t own[TENSOR_RANK_MAX];
        memcpy(own, at, sizeof own);
        own[last] = mask->shape[last] == 1 ? 0 : at[last];
        if (mask->dtype == DTYPE_F32)
            narrow.storage.f32[tensor_place(&narrow, at)] =
                mask->storage.f32[tensor_place(mask, own)];
        else
            narrow.storage.boolean[tensor_place(&narrow, at)] =
                mask->storage.boolean[tensor_place(mask, own)];
    }
    *mask = padded;
    *from = arena_format(&reading->scenario->arena, err, TELL(APPENDED_FROM), *from);
    return *from != NULL;
}

static bool read_given_mask(Reading *reading, const YamlNode *attention, Error *err)
{
    const YamlNode *node = yaml_get(attention, "mask_file");
    TensorRule rule = {.name = "mask_file",
                       .axes = TELL(MASK_BROADCASTS),
                       .dtype = DTYPE_BOOL,
                       .or_numbers = true};
    Tensor mask;
    const char *from;
    if (!node)
        return true;
    if (!scenario_tensor_read(reading, node, &rule, &mask, &from, err) ||
        !spread_mask(reading, &mask, err))
        return false;
    bool as_flags = mask.dtype == DTYPE_F32 && holds_only(&mask, -INFINITY) &&
                    reading->scenario->options.mask_value == -INFINITY;
    if (as_flags && !take_flags(reading, node, &mask, err))
        return false;
    if (mask.dtype == DTYPE_F32 && holds_only(&mask, 1.0f) &&
        !add_note(reading->scenario, TELL(MASK_ADDS_ONES), err))
        return false;
    if (!pad_mask(reading, node, &mask, &from, err))
        return false;
    scenario_add(reading->scenario, mask.dtype == DTYPE_F32 ? "added_mask" : "mask", "mask", mask,
                 from);
    return true;
}

// Document 003 registers triu(ones(C, C), diagonal=1) once and slices it.
static bool read_context_length(Reading *reading, const YamlNode *attention, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *node = yaml_get(attention, "context_length");
    ptrdiff_t queries = scenario->size[SYMBOL_LQ], keys = scenario->size[SYMBOL_LK];
    ptrdiff_t context = 0, tokens = queries > keys ? queries : keys;
    Tensor buffer;
    if (!node || !field_size(attention, "context_length", &context, err))
        return node == NULL;
    if (!scenario->options.causal)
        return true;
    if (scenario->options.causal_shift < 0)
        return yaml_error(node, err, TELL(ALIGN_CONTEXT), queries, keys);
    if (context < tokens)
        return yaml_error(node, err, TELL(CONTEXT_SHORT), context, tokens);
    const ptrdiff_t square[] = {context, context};
    if (!scenario_tensor_take(
            reading, node, &(TensorPlan){TELL(CAUSAL_MASK), DTYPE_BOOL, 2, square}, &buffer, err))
        return false;
    for (ptrdiff_t i = 0; i < context; i++)
        for (ptrdiff_t j = i + 1; j < context; j++)
            *tensor_flag2(&buffer, i, j) = 1;
    scenario_add(scenario, "causal_mask_buffer", "causal_mask_buffer", buffer,
                 "torch.triu(torch.ones(context_length, context_length), diagonal=1)");
    return true;
}

static bool read_mask_value(Reading *reading, const YamlNode *attention, Error *err)
{
    const YamlNode *node = yaml_get(attention, "mask_value");
    double value = -INFINITY;
    if (node && !yaml_number(node, &value, err))
        return false;
    if (isfinite(value) && fabs(value) > FLT_MAX)
        return yaml_error(node, err, TELL(MASK_BEYOND), node->text);
    reading->scenario->options.mask_value = (float)value;
    return true;
}

// --- dropout

static bool read_dropout(Reading *reading, const YamlNode *attention, Error *err)
{
    static const char *const keys[] = {"p", "seed", NULL};
    StageOptions *options = &reading->scenario->options;
    const YamlNode *dropout = yaml_get(attention, "dropout");
    if (!dropout)
        return true;
    if (!yaml_only(dropout, keys, err))
        return false;
    const YamlNode *p = yaml_get(dropout, "p"), *seed = yaml_get(dropout, "seed");
    if (!p || !seed)
        return yaml_error(dropout, err, TELL(DROPOUT_NEEDS));
    if (!yaml_number(p, &options->dropout_p, err) || !field_seed(seed, &options->dropout_seed, err))
        return false;
    if (!(options->dropout_p >= 0.0 && options->dropout_p <= 1.0))
        return yaml_error(p, err, TELL(DROPOUT_P), p->text);
    reading->scenario->with_dropout = true;
    return true;
}

// --- differences between layers

// A layer's divisor of scores, and its window; 0: none.
static bool read_own(Reading *reading, const YamlNode *node, StageOptions *options, Error *err)
{
    static const char *const keys[] = {"scale", "window", NULL};
    const YamlNode *scale = yaml_get(node, "scale"), *window = yaml_get(node, "window");
    double number = 0.0;
    int64_t width = 0;
    if (node->kind != YAML_MAP)
        return yaml_error(node, err, TELL(BY_LAYER_FORM));
    if (!yaml_only(node, keys, err) || (scale && !yaml_number(scale, &number, err)) ||
        (window && !yaml_integer(window, 0, INT32_MAX, &width, err)))
        return false;
    if (scale && ((float)number == 0.0f || !isfinite((float)number)))
        return yaml_error(scale, err, TELL(SCALE_NOT), scale->text);
    if (scale && !reading->scenario->scaled)
        return yaml_key_error(scale, err, TELL(BY_LAYER_SCALE));
    options->scale = scale ? (float)number : options->scale;
    options->scale_name = scale ? NULL : options->scale_name;
    options->window = window ? (ptrdiff_t)width : options->window;
    return true;
}

static bool read_by_layer(Reading *reading, const YamlNode *attention, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *list = yaml_get(attention, "by_layer");
    size_t layers = scenario->layers > 1 ? (size_t)scenario->layers : 1, number = 0;
    if (!list)
        return true;
    if (list->kind != YAML_LIST || list->count != layers)
        return yaml_error(list, err, TELL(BY_LAYER_COUNT), layers);
    StageOptions *all = arena_take(&scenario->arena, layers, sizeof *all, err);
    for (const YamlNode *node = all ? list->first : NULL; node; node = node->next) {
        all[number] = scenario->options;
        if (!read_own(reading, node, &all[number], err))
            return false;
        scenario->masked |= all[number++].window > 0;
    }
    scenario->layer_options = all;
    return all != NULL;
}

// The option's stage between scale and mask, which would add to -inf in a fused mask; or NULL.
static const char *changes_scores(const StageOptions *options)
{
    const Stage *stage;
    bool is_scaled = false;
    for (int i = 0; (stage = stage_get(i)) != NULL && stage->use != STAGE_WITH_MASK; i++) {
        if (is_scaled && stage->needs && stage_is_needed(stage, options))
            return stage->name;
        is_scaled = is_scaled || stage->use == STAGE_WITH_SCALE;
    }
    return NULL;
}

static bool check_order(const Reading *reading, const YamlNode *attention, Error *err)
{
    const Scenario *scenario = reading->scenario;
    const char *stage = scenario->mask_before_scale ? changes_scores(&scenario->options) : NULL;
    if (scenario->mask_before_scale && scenario_tensor(scenario, "added_mask"))
        stage = "add_mask";
    return !stage ||
           yaml_error(yaml_get(attention, "mask_before_scale"), err, TELL(MASK_TOO_EARLY), stage);
}

// --- appended keys

// Reserves their columns, after everything that counts keys is read.
static void append_keys(Scenario *scenario)
{
    ptrdiff_t *size = scenario->size;
    if (appended_keys(scenario) == 0)
        return;
    size[SYMBOL_LT] = size[SYMBOL_LK];
    size[SYMBOL_LB] = size[SYMBOL_LT] + scenario->options.add_bias_kv;
    size[SYMBOL_LK] = size[SYMBOL_LT] + appended_keys(scenario);
}

// Counts the blocks of the online softmax, which has no weights for dropout.
static bool count_blocks(const Reading *reading, const YamlNode *attention, Error *err)
{
    Scenario *scenario = reading->scenario;
    ptrdiff_t width = scenario->options.softmax_block, keys = scenario->size[SYMBOL_LK];
    if (width == 0)
        return true;
    if (scenario->with_dropout)
        return yaml_key_error(yaml_get(attention, "softmax_block"), err, TELL(BLOCK_DROPOUT));
    scenario->size[SYMBOL_BLOCKS] = keys / width + (keys % width > 0);
    return true;
}

// An appended key has no position, so distances are undefined.
static bool check_appended(const Reading *reading, Error *err)
{
    const StageOptions *options = &reading->scenario->options;
    const char *name = options->alibi                  ? "alibi"
                       : options->relative_buckets > 0 ? "relative_buckets"
                       : options->relative_key         ? "relative_key"
                                                       : NULL;
    if (!name || appended_keys(reading->scenario) == 0)
        return true;
    const YamlNode *section = scenario_section(reading, options->alibi ? "attention" : "model");
    return yaml_key_error(yaml_get(section, name), err, TELL(APPENDED_DISTANCE), name);
}

// The names alone do not give the angles of rotary positions; assuming none would be another model.
static bool check_turns(const Reading *reading, const YamlNode *attention, Error *err)
{
    const YamlNode *weights = scenario_section(reading, "weights");
    const YamlNode *layout = yaml_get(weights, "layout");
    const WeightModel *model =
        layout && layout->kind == YAML_SCALAR ? weight_model_find(layout->text) : NULL;
    bool turns = model && weight_model_has(model, "rotary") && !yaml_get(weights, "as");
    return !turns || yaml_get(attention, "rope") ||
           yaml_error(layout, err, TELL(LAYOUT_TURNS), layout->text, layout->text);
}

// Options that slow rotary angles down say something only together: without its partner one is divided by 0, or ignored.
static bool check_slowing(const Reading *reading, const YamlNode *attention, Error *err)
{
    static const char *const partners[][2] = {{"rope_yarn", "rope_original"},
                                              {"rope_low", "rope_original"},
                                              {"rope_high", "rope_original"},
                                              {"rope_original", "rope_factor"}};
    const YamlNode *dynamic = yaml_get(attention, "rope_dynamic");
    for (size_t i = 0; i < sizeof partners / sizeof *partners; i++) {
        const YamlNode *node = yaml_get(attention, partners[i][0]);
        if (node && !yaml_get(attention, partners[i][1]))
            return yaml_key_error(node, err, TELL(SLOWING_PARTNER), partners[i][0], partners[i][1]);
    }
    if (dynamic && yaml_get(attention, "rope_original"))
        return yaml_key_error(dynamic, err, TELL(SLOWING_TWICE));
    const StageOptions *options = &reading->scenario->options;
    return !(options->rope_yarn > 0.0f) || options->rope > 1.0f ||
           yaml_key_error(yaml_get(attention, "rope_yarn"), err, TELL(SLOWING_EVEN));
}

bool scenario_attention_read(Reading *reading, Error *err)
{
    static const char *const keys[] = {"scale",
                                       "mask",
                                       "mask_file",
                                       "mask_value",
                                       "key_padding_mask",
                                       "mask_before_scale",
                                       "causal_align",
                                       "context_length",
                                       "dropout",
                                       "by_layer",
                                       NULL};
    Scenario *scenario = reading->scenario;
    const YamlNode *attention = scenario_section(reading, "attention");
    if (!scenario_section_only(attention, "attention", keys, err) ||
        !scenario_options_read(reading, "attention", err) || !read_scale(reading, attention, err) ||
        !read_mask_words(reading, attention, err) || !read_causal_align(reading, attention, err) ||
        !read_padding(reading, attention, err) || !read_mask_value(reading, attention, err) ||
        !read_given_mask(reading, attention, err) ||
        !read_context_length(reading, attention, err) || !read_dropout(reading, attention, err))
        return false;
    scenario->masked = scenario->options.causal || scenario->options.mask_padding ||
                       scenario->options.window > 0 || scenario_tensor(scenario, "mask");
    if (!field_flag(attention, "mask_before_scale", &scenario->mask_before_scale, err) ||
        !check_order(reading, attention, err) || !check_appended(reading, err) ||
        !check_turns(reading, attention, err) || !check_slowing(reading, attention, err) ||
        !read_by_layer(reading, attention, err))
        return false;
    append_keys(scenario);
    return count_blocks(reading, attention, err);
}
