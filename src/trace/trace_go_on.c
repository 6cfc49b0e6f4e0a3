// Continues a text with the cached keys and values of its earlier tokens; see trace.h.
#include "trace_internal.h"

#include <math.h>
#include <string.h>
#include "trace_words.def"

// The tensor that attention reads as keys or values, before it is repeated for groups of heads.
static int find_kept(const Trace *trace, int layer, const char *role)
{
    static const char *const readers[] = {"repeat", "score", "weighted_sum", "running_output"};
    for (int number = 0; number < trace->step_count; number++) {
        const TraceStep *step = &trace->steps[number];
        bool reads = false;
        for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
            reads = reads || strcmp(step->stage->name, readers[i]) == 0;
        for (int slot = 0; reads && step->layer == layer && step->call->reads[slot].role; slot++)
            if (strcmp(step->call->reads[slot].role, role) == 0)
                return step->reads[slot];
    }
    return -1;
}

static void drop_given(Scenario *scenario, const char *role)
{
    ScenarioTensor *given = scenario_layer_tensor(scenario, role, 0);
    if (!given)
        return;
    ScenarioTensor *end = scenario->tensors + scenario->tensor_count--;
    memmove(given, given + 1, (size_t)(end - given - 1) * sizeof *given);
}

// Adds a copy of `numbers` under this role, or replaces the tensor with it.
static bool put_copy(Scenario *scenario, const char *role, const Tensor *numbers, int layer,
                     Error *err)
{
    ScenarioTensor *given = scenario_layer_tensor(scenario, role, layer);
    Tensor copy;
    if (!tensor_take(&scenario->arena, numbers->dtype, numbers->rank, numbers->shape, &copy, err))
        return false;
    tensor_copy(numbers, &copy);
    const char *name =
        role; // a given tensor's own name may belong to the earlier scenario, which is closed soon
    if (layer > 0)
        name = arena_format(&scenario->arena, err, SCENARIO_LAYER_NAME, layer, role);
    if (!name)
        return false;
    if (!given) {
        scenario_add(scenario, role, name, copy, TELL(CACHE_FROM));
        scenario->tensors[scenario->tensor_count - 1].layer = layer;
    } else {
        given->tensor = copy;
        given->name = layer > 0 ? name : given->name;
    }
    return true;
}

static bool put_ids(Scenario *scenario, const int64_t ids[], ptrdiff_t count, Error *err)
{
    static const char one_row[] = "input_ids";
    bool has_rows = scenario_layer_tensor(scenario, one_row, 0) != NULL; // a training's batch
    const ptrdiff_t row[] = {1, count};
    Tensor tokens =
        tensor_over((void *)(uintptr_t)ids, DTYPE_I64, has_rows ? 2 : 1, has_rows ? row : &count);
    Tensor lengths = tensor_over(&(int64_t){count}, DTYPE_I64, 1, (ptrdiff_t[]){1});
    scenario->size[SYMBOL_N] = has_rows ? scenario->size[SYMBOL_N] : count;
    return has_rows ? put_copy(scenario, one_row, &tokens, 0, err)
                    : put_copy(scenario, "tokens", &tokens, 0, err) &&
                          put_copy(scenario, "lengths", &lengths, 0, err);
}

// Adds all ids of the text so far: those of the cache, then the computed ones.
static bool put_past_ids(Scenario *scenario, const Trace *trace, Error *err)
{
    int now = trace_find(trace, "input_ids"), past = trace_find(trace, "past_ids");
    if (now < 0)
        return true;
    ptrdiff_t behind = past < 0 ? 0 : trace->tensors[past].tensor.shape[1];
    ptrdiff_t shape[] = {1, behind + trace->tensors[now].tensor.shape[1]};
    Tensor all, part;
    if (!tensor_take(&scenario->arena, DTYPE_I64, 2, shape, &all, err))
        return false;
    if (behind > 0) {
        part = tensor_narrow(&all, 1, 0, behind);
        tensor_copy(&trace->tensors[past].tensor, &part);
    }
    part = tensor_narrow(&all, 1, behind, shape[1] - behind);
    tensor_copy(&trace->tensors[now].tensor, &part);
    for (int i = 0; i < scenario->tensor_count; i++)
        if (strcmp(scenario->tensors[i].name, "past_ids") == 0) {
            scenario->tensors[i].tensor = all;
            return true;
        }
    scenario_add(scenario, "", "past_ids", all, TELL(CACHE_FROM));
    return true;
}

static bool set_options(Scenario *scenario, ptrdiff_t past, Error *err)
{
    int layers = scenario->layers > 1 ? scenario->layers : 1;
    scenario->options.cached = scenario->options.causal_shift = past;
    if (!scenario->layer_options)
        return true;
    StageOptions *own = arena_take(&scenario->arena, (size_t)layers, sizeof *own, err);
    for (int layer = 0; own && layer < layers; layer++) {
        own[layer] = scenario->layer_options[layer];
        own[layer].cached = own[layer].causal_shift = past;
        own[layer].drawn = scenario->options.drawn;
        own[layer].parts = scenario->options.parts;
    }
    scenario->layer_options = own;
    return own != NULL;
}

// Lets a scenario of `count` new tokens read the keys and values of a finished run.
static bool put_cache(Scenario *scenario, const Trace *trace, ptrdiff_t count, Error *err)
{
    static const char *const roles[][2] = {{"k", "past_k"}, {"v", "past_v"}};
    ptrdiff_t *size = scenario->size, past = 0, block = scenario->options.softmax_block;
    for (int layer = 0; layer < (scenario->layers > 1 ? scenario->layers : 1); layer++)
        for (int i = 0; i < 2; i++) {
            int kept = find_kept(trace, layer, roles[i][0]);
            if (kept < 0)
                return error_set(err, TELL(CACHE_NO_KEYS), scenario->name);
            const Tensor *numbers = &trace->tensors[kept].tensor;
            past = numbers->shape[numbers->rank - 2];
            if (!put_copy(scenario, roles[i][1], numbers, layer, err))
                return false;
        }
    size[SYMBOL_L] = size[SYMBOL_LQ] = size[SYMBOL_LT] = count;
    size[SYMBOL_LP] = past;
    size[SYMBOL_LK] = past + count;
    size[SYMBOL_BLOCKS] = block ? (past + count + block - 1) / block : 0;
    return put_past_ids(scenario, trace, err) && set_options(scenario, past, err);
}

// Tokens from `first` on belong to the text that they did, and new ones to the last.
static bool put_types(Scenario *scenario, ptrdiff_t first, ptrdiff_t count, Error *err)
{
    const ScenarioTensor *given = scenario_layer_tensor(scenario, "token_type_ids", 0);
    if (!given)
        return true;
    const Tensor before = given->tensor;
    const ptrdiff_t last = before.shape[1] - 1;
    Tensor types;
    if (!tensor_take(&scenario->arena, DTYPE_I64, 2, (ptrdiff_t[]){1, count}, &types, err))
        return false;
    for (ptrdiff_t l = 0; l < count; l++)
        *tensor_id2(&types, 0, l) =
            last < 0 ? 0 : *tensor_id2(&before, 0, first + l < last ? first + l : last);
    return put_copy(scenario, "token_type_ids", &types, 0, err);
}

// Copies the trace's scenario, with other ids: those of the tokens from `first` on.
static bool copy_for(const Trace *trace, const int64_t ids[], ptrdiff_t first, ptrdiff_t count,
                     Scenario *next, Error *err)
{
    *next = *trace->scenario;
    next->arena = (Arena){0};
    drop_given(next, "targets");
    next->options.drawn += next->options.draw; // the earlier run drew one token
    return put_types(next, first, count, err) && put_ids(next, ids, count, err);
}

bool trace_go_on(const Trace *trace, const int64_t ids[], ptrdiff_t count, Scenario *next,
                 Error *err)
{
    if (copy_for(trace, ids, trace->scenario->size[SYMBOL_L], count, next, err) &&
        put_cache(next, trace, count, err))
        return true;
    scenario_finish(next);
    return false;
}

bool trace_start_over(const Trace *trace, const int64_t ids[], ptrdiff_t count, Scenario *next,
                      Error *err)
{
    if (!copy_for(trace, ids, 0, count, next, err) || !set_options(next, 0, err)) {
        scenario_finish(next);
        return false;
    }
    ptrdiff_t *size = next->size, block = next->options.softmax_block;
    size[SYMBOL_L] = size[SYMBOL_LQ] = size[SYMBOL_LK] = count;
    size[SYMBOL_BLOCKS] = block ? (count + block - 1) / block : 0;
    return true;
}

// True if masked keys have a share, so that later tokens change the keys that a next layer makes of earlier ones.
static bool shows_later_keys(const Scenario *scenario)
{
    return scenario->layers > 1 && isfinite(scenario->options.mask_value);
}

// The option that makes a cache wrong; NULL: none.
static const char *forbids_cache(const Scenario *scenario)
{
    const StageOptions *options = &scenario->options;
    return !options->causal || options->mask_padding ? "attention.mask"
           : scenario->backward                      ? "backward"
           : scenario->size[SYMBOL_B] != 1           ? "input"
           : scenario_tensor(scenario, "mask") || scenario_tensor(scenario, "added_mask")
               ? "attention.mask_file"
           : scenario_tensor(scenario, "x_query") || scenario_tensor(scenario, "q") ? "input"
           : scenario->with_dropout     ? "attention.dropout"
           : options->rope_dynamic > 0  ? "attention.rope_dynamic"
           : shows_later_keys(scenario) ? "attention.mask_value"
           : options->relative_key      ? "model.relative_key"
           : options->add_bias_kv       ? "model.add_bias_kv"
           : options->add_zero_attn     ? "model.add_zero_attn"
           : options->patched           ? "patch"
                                        : NULL;
}

// Narrows the inputs to the tokens first ... first + count - 1.
static bool narrow_inputs(Scenario *scenario, ptrdiff_t first, ptrdiff_t count, Error *err)
{
    static const struct {
        const char *role;
        int axis;
    } inputs[] = {{"tokens", 0}, {"x", 1}, {"targets", 2}, {"token_type_ids", 1}};
    ptrdiff_t block = scenario->options.softmax_block;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        ScenarioTensor *given = scenario_layer_tensor(scenario, inputs[i].role, 0);
        if (given)
            given->tensor = tensor_narrow(&given->tensor, inputs[i].axis, first, count);
    }
    Tensor lengths = tensor_over(&(int64_t){count}, DTYPE_I64, 1, (ptrdiff_t[]){1});
    scenario->size[SYMBOL_N] = scenario->size[SYMBOL_N] ? count : 0;
    scenario->size[SYMBOL_L] = scenario->size[SYMBOL_LQ] = scenario->size[SYMBOL_LK] = count;
    scenario->size[SYMBOL_BLOCKS] = block ? (count + block - 1) / block : 0;
    return !scenario_layer_tensor(scenario, "lengths", 0) ||
           put_copy(scenario, "lengths", &lengths, 0, err);
}

bool scenario_cache(Scenario *scenario, Error *err)
{
    ptrdiff_t cached = scenario->options.cached, all = scenario->size[SYMBOL_L];
    const char *against = forbids_cache(scenario);
    if (against)
        return error_set(err, TELL(CACHE_AGAINST), against);
    if (cached >= all)
        return error_set(err, TELL(CACHE_ALL), cached, all);
    Scenario head = *scenario;
    Trace trace;
    head.arena = (Arena){0};
    head.options.cached = 0;
    head.options.parts = false; // unused for the cache
    bool good = narrow_inputs(&head, 0, cached, err) && set_options(&head, 0, err) &&
                trace_open(&trace, &head, err);
    if (good) {
        if (scenario->request.like)
            trace_borrow_panels(&trace, scenario->request.like);
        good = trace_run(&trace, err) && narrow_inputs(scenario, cached, all - cached, err) &&
               put_cache(scenario, &trace, all - cached, err);
        trace_close(&trace);
    }
    arena_finish(&head.arena);
    return good;
}
