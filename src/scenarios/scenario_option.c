// scenario_option: the options of stages that a scenario gives by their own names (options.def); see
// scenario_internal.h.
#include "scenario_internal.h"
#include "field.h"
#include "stage_option.h"
#include "trace.h"

#include <math.h>
#include <string.h>
#include "scenarios_words.h"

enum { KEYS_MAX = 64 };

static bool belongs(const StageOption *option, const char *section)
{
    return option->section && strcmp(option->section, section) == 0;
}

bool scenario_section_only(const YamlNode *map, const char *section, const char *const own[],
                           Error *err)
{
    const char *keys[KEYS_MAX + 1] = {NULL};
    const StageOption *option;
    int count = 0;
    for (; own[count]; count++)
        keys[count] = own[count];
    for (int i = 0; (option = stage_option_get(i)) != NULL && count < KEYS_MAX; i++)
        if (belongs(option, section))
            keys[count++] = option->name;
    return yaml_only(map, keys, err);
}

static bool read_value(const StageOption *option, const YamlNode *node, double *value, Error *err)
{
    int64_t whole = 0;
    bool flag = false;
    switch (option->kind) {
    case OPTION_KIND_FLAG:
        if (!yaml_boolean(node, &flag, err))
            return false;
        *value = flag;
        return true;
    case OPTION_KIND_SIZE:
        if (!yaml_integer(node, (int64_t)option->least, (int64_t)option->most, &whole, err))
            return false;
        *value = (double)whole;
        return true;
    default:
        return yaml_number(node, value, err) &&
               ((*value >= option->least && *value <= option->most) ||
                yaml_error(node, err, TELL(OPTION_RANGE), option->name, option->least, option->most,
                           node->text));
    }
}

bool scenario_options_read(Reading *reading, const char *section, Error *err)
{
    const YamlNode *map = scenario_section(reading, section);
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        if (!belongs(option, section))
            continue;
        const YamlNode *node = yaml_get(map, option->name);
        double value = option->usual;
        if (node && !read_value(option, node, &value, err))
            return false;
        stage_option_set(option, &reading->scenario->options, value);
    }
    return true;
}

static bool is_usual(const StageOption *option, const StageOptions *options)
{
    StageOptions usual = *options;
    stage_option_set(option, &usual, option->usual);
    return !stage_option_differs(option, options, &usual);
}

// The same of options that no row of options.def tells of. Where somebody has switched off by `mask: none` or
// by out_proj what they belong to, they wait for it.
static bool check_own(const Reading *reading, Error *err)
{
    const Scenario *scenario = reading->scenario;
    const YamlNode *attention = scenario_section(reading, "attention");
    const YamlNode *model = scenario_section(reading, "model"), *out = yaml_get(model, "out_proj");
    bool may_mask = scenario->masked || yaml_get(attention, "mask");
    bool may_be_causal = scenario->options.causal || yaml_get(attention, "mask");
    bool of_file = yaml_get(scenario_section(reading, "weights"), "layout");
    bool makes_q = !reading->inputs[INPUT_Q].node && !of_file;
    const struct {
        const YamlNode *node;
        bool is_read;
    } rows[] = {
        {yaml_get(attention, "mask_value"), may_mask},
        {scenario->mask_before_scale ? yaml_get(attention, "mask_before_scale") : NULL, may_mask},
        {yaml_get(attention, "context_length"), may_be_causal},
        {yaml_get(model, "qkv_bias"), makes_q},
        {yaml_get(model, "out_bias"),
         !of_file && (reading->layers[LAYER_OUT].used || (out && yaml_is_given(out)))},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].node && !rows[i].is_read)
            return yaml_key_error(rows[i].node, err, TELL(OPTION_UNREAD), rows[i].node->key);
    return true;
}

bool scenario_check_uses(const Reading *reading, Error *err)
{
    const StageOptions *options = &reading->scenario->options;
    const StageOption *option;
    TraceUses uses;
    if (reading->scenario->request
            .shape_only) // some weights, and the stages that read them, stay out
        return true;
    if (!trace_uses(reading->scenario, &uses, err))
        return yaml_place(reading->root, err);
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        const YamlNode *node =
            option->section ? yaml_get(scenario_section(reading, option->section), option->name)
                            : NULL;
        if (node && !(uses.options & OPTION_AT(i)) && !is_usual(option, options))
            return yaml_key_error(node, err, TELL(OPTION_UNREAD), option->name);
    }
    return check_own(reading, err) &&
           (!uses.unread || yaml_error(reading->root, err, TELL(TENSOR_UNREAD), uses.unread));
}
