// scenario_norm: what stands around attention, a norm before it and a residual after it: the norm's
// weights, and where there is no place for either. See scenario_internal.h.
#include "scenario_internal.h"

#include "scenarios_words.h"

static const char weight_name[] = "norm.weight", bias_name[] = "norm.bias";

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

static const ptrdiff_t *width_of(const Scenario *scenario)
{
    return &scenario->size[scenario->options.post_norm ? SYMBOL_DOUT : SYMBOL_DIN];
}

bool scenario_norm_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    const char *names[2];
    int count = scenario_norm_names(&reading->scenario->options, names);
    for (int i = 0; i < count; i++) {
        Fetched found;
        ShapedWish wish = {names[i], 1, width_of(reading->scenario), "a norm"};
        if (!scenario_fetch_shaped(reading, source, &wish, &found, err))
            return false;
        scenario_add(reading->scenario, roles_of(reading)[i], names[i], found.tensor, found.from);
    }
    return true;
}

bool scenario_norm_make(Reading *reading, Error *err)
{
    Scenario *scenario = reading->scenario;
    const char *names[2], *const *roles = roles_of(reading);
    int count = scenario_norm_names(&scenario->options, names);
    for (int i = 0; i < count && !scenario_tensor(scenario, roles[i]); i++) {
        Tensor made;
        TensorPlan plan = {names[i], DTYPE_F32, 1, width_of(scenario)};
        if (!scenario_tensor_take(reading, reading->root, &plan, &made, err))
            return false;
        for (ptrdiff_t d = 0; d < made.shape[0]; d++)
            *tensor_at1(&made, d) = names[i] == weight_name ? 1.0f : 0.0f;
        scenario_add(scenario, roles[i], names[i], made,
                     names[i] == weight_name ? "torch.ones(d_in)" : "torch.zeros(d_in)");
    }
    return true;
}
