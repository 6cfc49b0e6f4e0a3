// scenario_norm: what stands around attention, a norm before it and a residual after it, and norms of
// queries and keys: their weights, and where there is no place for them. See scenario_internal.h.
#include "scenario_internal.h"

#include "scenarios_words.h"

static const char weight_name[] = "norm.weight", bias_name[] = "norm.bias";
static const char *const qk_names[] = {"q_norm.weight", "k_norm.weight"};

static bool is_normed(const StageOptions *options)
{
    return options->layer_norm || options->rms_norm;
}

int scenario_norm_names(const StageOptions *options, const char *names[])
{
    int count = 0;
    if (is_normed(options))
        names[count++] = weight_name;
    if (options->layer_norm)
        names[count++] = bias_name;
    for (int i = 0; i < 2 && options->qk_norm; i++)
        names[count++] = qk_names[i];
    return count;
}

bool scenario_norm_check(const Reading *reading, const YamlNode *model, Error *err)
{
    const Scenario *scenario = reading->scenario;
    const StageOptions *options = &scenario->options;
    if (options->layer_norm && options->rms_norm)
        return yaml_key_error(yaml_get(model, "rms_norm"), err, TELL(NORM_BOTH));
    const YamlNode *norm = yaml_get(model, options->layer_norm ? "layer_norm" : "rms_norm");
    if (is_normed(options) && !options->post_norm && reading->inputs[INPUT_Q].node)
        return yaml_key_error(norm, err, TELL(NORM_INPUT));
    if (options->post_norm && !reading->layers[LAYER_OUT].used)
        return yaml_key_error(yaml_get(model, "post_norm"), err, TELL(NORM_BEHIND));
    bool has_ends = !reading->inputs[INPUT_Q].node && reading->layers[LAYER_OUT].used;
    return !options->residual || has_ends ||
           yaml_key_error(yaml_get(model, "residual"), err, TELL(RESIDUAL_ENDS));
}

// Where the norm stands: behind attention, before it, or before the queries that come from elsewhere,
// since keys and values are then what another layer has made.
static const char *const *roles_of(const Reading *reading)
{
    static const char *const behind[] = {"post_norm.weight", "post_norm.bias"};
    static const char *const before[] = {weight_name, bias_name};
    static const char *const queries[] = {"query_norm.weight", "query_norm.bias"};
    return reading->scenario->options.post_norm  ? behind
           : reading->inputs[INPUT_X_QUERY].node ? queries
                                                 : before;
}

// What a norm's weight is read as, how wide it is, and whose width that is.
typedef struct Norm {
    const char *name, *role;
    ptrdiff_t width;
    const char *why;
} Norm;

static Norm norm_of(const Reading *reading, const char *name)
{
    const Scenario *scenario = reading->scenario;
    const ptrdiff_t *size = scenario->size;
    bool is_q = name == qk_names[0], is_k = name == qk_names[1];
    bool across = scenario->options.qk_norm_across, grouped = scenario->options.kv_heads > 0;
    ptrdiff_t all = size[is_k && grouped ? SYMBOL_GK : SYMBOL_DK];
    if ((is_q || is_k) && across)
        return (Norm){name, is_q ? "q_norm.across" : "k_norm.across", all, "qk_norm_across"};
    if (is_q || is_k)
        return (Norm){name, name, size[SYMBOL_D_K], "qk_norm"};
    Symbol in = size[SYMBOL_DQ] > 0 ? SYMBOL_DQ : SYMBOL_DIN; // queries may come from elsewhere
    return (Norm){name, roles_of(reading)[name == bias_name],
                  size[scenario->options.post_norm ? SYMBOL_DOUT : in], "a norm"};
}

bool scenario_norm_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    const char *names[SCENARIO_NORM_NAMES];
    int count = scenario_norm_names(&reading->scenario->options, names);
    for (int i = 0; i < count; i++) {
        Fetched found;
        Norm norm = norm_of(reading, names[i]);
        ShapedWish wish = {names[i], 1, &norm.width, norm.why};
        if (!scenario_fetch_shaped(reading, source, &wish, &found, err))
            return false;
        scenario_add(reading->scenario, norm.role, names[i], found.tensor, found.from);
    }
    return true;
}

bool scenario_norm_make(Reading *reading, Error *err)
{
    Scenario *scenario = reading->scenario;
    const char *names[SCENARIO_NORM_NAMES];
    int count = scenario_norm_names(&scenario->options, names);
    for (int i = 0; i < count && !scenario_tensor(scenario, norm_of(reading, names[i]).role); i++) {
        Tensor made;
        Norm norm = norm_of(reading, names[i]);
        TensorPlan plan = {names[i], DTYPE_F32, 1, &norm.width};
        if (!scenario_tensor_take(reading, reading->root, &plan, &made, err))
            return false;
        for (ptrdiff_t d = 0; d < made.shape[0]; d++)
            *tensor_at1(&made, d) = names[i] == bias_name ? 0.0f : 1.0f;
        scenario_add(scenario, norm.role, names[i], made,
                     names[i] == bias_name              ? "torch.zeros(d_in)"
                     : names[i] == weight_name          ? "torch.ones(d_in)"
                     : scenario->options.qk_norm_across ? "torch.ones(num_heads * d_k)"
                                                        : "torch.ones(d_k)");
    }
    return true;
}
