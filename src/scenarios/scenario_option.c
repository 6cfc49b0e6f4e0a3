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
    return !uses.unread || yaml_error(reading->root, err, TELL(TENSOR_UNREAD), uses.unread);
}
