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
    if (is_normed(options) &&
        (reading->inputs[INPUT_Q].node || reading->inputs[INPUT_X_QUERY].node))
        return yaml_key_error(norm, err, TELL(NORM_INPUT));
    bool has_ends = !reading->inputs[INPUT_Q].node && reading->layers[LAYER_OUT].used;
    return !options->residual || has_ends ||
           yaml_key_error(yaml_get(model, "residual"), err, TELL(RESIDUAL_ENDS));
}

bool scenario_norm_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    static const char *const behind[] = {"post_norm.weight", "post_norm.bias"};
    const char *names[2];
    const StageOptions *options = &reading->scenario->options;
    int count = scenario_norm_names(options, names);
    for (int i = 0; i < count; i++) {
        Fetched found;
        ShapedWish wish = {names[i], 1, &reading->scenario->size[SYMBOL_DIN], "a norm"};
        if (!scenario_fetch_shaped(reading, source, &wish, &found, err))
            return false;
        scenario_add(reading->scenario, options->post_norm ? behind[i] : names[i], names[i],
                     found.tensor, found.from);
    }
    return true;
}

bool scenario_norm_make(Reading *reading, Error *err)
{
    Scenario *scenario = reading->scenario;
    const char *names[2];
    bool behind = scenario->options.post_norm;
    int count = scenario_norm_names(&scenario->options, names);
    for (int i = 0; i < count && !scenario_tensor(scenario, behind ? "post_norm.weight" : names[i]);
         i++) {
        Tensor made;
        TensorPlan plan = {names[i], DTYPE_F32, 1, &scenario->size[SYMBOL_DIN]};
        if (!scenario_tensor_take(reading, reading->root, &plan, &made, err))
            return false;
        for (ptrdiff_t d = 0; d < made.shape[0]; d++)
            *tensor_at1(&made, d) = names[i] == weight_name ? 1.0f : 0.0f;
        scenario_add(scenario, names[i], names[i], made,
                     names[i] == weight_name ? "torch.ones(d_in)" : "torch.zeros(d_in)");
    }
    return true;
}
