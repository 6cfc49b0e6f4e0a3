// scenario_file: from a request to a Scenario; see scenario_file.h. The sections are read by
// scenario_input.c, scenario_model.c, scenario_weights.c and scenario_attention.c, in this order:
// each builds on the sizes that those before it found.
#include "scenario_file.h"
#include "field.h"
#include "scenario_internal.h"

#include <string.h>

const YamlNode *scenario_section(const Reading *reading, const char *key)
{
    const YamlNode *section = yaml_get(reading->root, key);
    return section ? section : &reading->nothing;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

// The file's tree, and how the scenario is called.
static YamlNode *read_tree(Scenario *scenario, const ScenarioRequest *request, Arena *scratch,
                           Error *err)
{
    const char *what = request->what ? request->what : "sentence";
    bool is_path = ends_with(what, ".yaml") || ends_with(what, ".yml");
    const char *path = is_path ? what : scenario_list_path(what, scratch, err);
    scenario->name = path ? arena_text(&scenario->arena, what, err) : NULL;
    return scenario->name ? yaml_read_file(path, scratch, err) : NULL;
}

// The value is parsed at the column where it stands, so that messages point into the option.
static bool apply_set(YamlNode *root, const char *set, Arena *scratch, Error *err)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set || equals[1 + strspn(equals + 1, " ")] == '\0')
        return error_set(err, "--set wants key=value, as in attention.scale=none; found '%s'", set);
    int start = (int)(equals + 1 - set);
    const char *path = arena_format(scratch, err, "%.*s", start - 1, set);
    const char *text = arena_format(scratch, err, "%*s%s", start, "", equals + 1);
    if (!path || !text)
        return false;
    YamlNode *value = yaml_read_text(text, strlen(text), "--set", scratch, err);
    return value && yaml_set(root, path, value, scratch, err);
}

static bool read_line(Reading *reading, const char *key, const char **out, Error *err)
{
    const YamlNode *node = yaml_get(reading->root, key);
    char text[FIELD_TEXT_MAX];
    if (!node)
        return true;
    if (node->kind != YAML_SCALAR || strchr(node->text, '\n'))
        return yaml_error(node, err, "%s is one line of text, not %s", key,
                          node->kind == YAML_SCALAR ? "several" : field_text(node, text));
    *out = arena_text(&reading->scenario->arena, node->text, err);
    return *out != NULL;
}

static bool read_sections(Reading *reading, Error *err)
{
    static const char *const keys[] = {"document", "about",     "input", "model",
                                       "weights",  "attention", NULL};
    reading->scenario->about = "";
    return yaml_only(reading->root, keys, err) &&
           read_line(reading, "document", &reading->scenario->document, err) &&
           read_line(reading, "about", &reading->scenario->about, err) &&
           scenario_input_read(reading, err) && scenario_model_read(reading, err) &&
           scenario_weights_read(reading, err) && scenario_attention_read(reading, err);
}

static bool open_with(Scenario *scenario, const ScenarioRequest *request, Arena *scratch,
                      Error *err)
{
    YamlNode *root = read_tree(scenario, request, scratch, err);
    if (!root)
        return false;
    if (root->kind != YAML_MAP)
        return yaml_error(root, err,
                          "a scenario is a map with input, model, weights and attention");
    if (request->text && !scenario_text_put(root, request->text, scratch, err))
        return false;
    for (int i = 0; i < request->set_count; i++)
        if (!apply_set(root, request->sets[i], scratch, err))
            return false;

    Reading reading = {.scenario = scenario, .scratch = scratch, .root = root};
    reading.nothing = (YamlNode){
        .kind = YAML_MAP, .line = root->line, .column = root->column, .file = root->file};
    if (!read_sections(&reading, err))
        return false;
    return !request->text || !scenario->vocabulary || scenario_text_note(scenario, err);
}

bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err)
{
    Arena scratch = {0};
    *scenario = (Scenario){0};
    bool opened = open_with(scenario, request, &scratch, err);
    arena_finish(&scratch);
    if (!opened)
        scenario_finish(scenario);
    return opened;
}
