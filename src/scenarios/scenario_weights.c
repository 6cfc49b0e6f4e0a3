// scenario_weights: the section `weights`: drawn, from a file, or written in the scenario. See
// scenario_internal.h.
#include "scenario_internal.h"
#include "field.h"

#include <string.h>
#include "scenarios_words.h"

static bool fetch_from_file(Reading *reading, const YamlNode *weights, Error *err)
{
    const YamlNode *prefix = yaml_get(weights, "prefix");
    WeightSource source = {.file_node = yaml_get(weights, "file"), .prefix = ""};
    if (prefix && prefix->kind != YAML_SCALAR)
        return yaml_error(prefix, err, TELL(WEIGHTS_PREFIX));
    if (prefix)
        source.prefix = prefix->text;
    source.file = scenario_tensor_file(reading, source.file_node, err);
    if (!source.file)
        return false;
    bool fetched = scenario_layout_read(reading, weights, &source, err) &&
                   scenario_layer_fetch(reading, &source, err) &&
                   scenario_layers_read(reading, weights, &source, err);
    tensor_file_close(source.file);
    const char *slash = strrchr(source.file_node->text, '/');
    Scenario *scenario = reading->scenario;
    scenario->weights =
        arena_format(&scenario->arena, err, "%s", slash ? slash + 1 : source.file_node->text);
    return fetched && scenario->weights;
}

// --- the section

// Keys that mean nothing without the one they go with.
static bool check_goes_with(const YamlNode *weights, Error *err)
{
    static const char *const pairs[][2] = {
        {"manual_seed", "draw"}, {"prefix", "file"},   {"layout", "file"}, {"untrained", "file"},
        {"layer", "layout"},     {"layers", "layout"}, {"as", "layout"},   {"note", "file"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *key = pairs[i][0], *with = pairs[i][1];
        if (yaml_get(weights, key) && !yaml_get(weights, with))
            return yaml_key_error(yaml_get(weights, key), err, TELL(WEIGHTS_GOES_WITH), key, with);
    }
    return true;
}

// The one key that says where weights come from; NULL with no error when there is none.
static bool find_source(const YamlNode *weights, const YamlNode **source, Error *err)
{
    static const char *const sources[] = {"draw", "file", "values"};
    *source = NULL;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const YamlNode *given = yaml_get(weights, sources[i]);
        bool is_input = *source && strcmp((*source)->key, "draw") == 0 && i == 1; // draws inputs
        if (given && *source && !is_input)
            return yaml_key_error(given, err, TELL(WEIGHTS_BOTH), (*source)->key, given->key);
        *source = given ? given : *source;
    }
    return true;
}

// Refuses what only `draw` can give when there is no draw.
static bool check_sourced(const Reading *reading, const YamlNode *weights, const YamlNode *source,
                          Error *err)
{
    bool is_drawn = yaml_get(weights, "draw") != NULL;
    for (InputNumber i = 0; i < INPUT_COUNT && !is_drawn; i++)
        if (reading->inputs[i].node && !reading->inputs[i].tensor.storage.bytes)
            return yaml_error(reading->inputs[i].node, err, TELL(WEIGHTS_RANDN), input_keys[i],
                              input_names[i]);
    for (LayerNumber i = 0; i < LAYER_COUNT && !source; i++)
        if (reading->layers[i].used)
            return yaml_error(weights, err, TELL(WEIGHTS_NONE), layer_names[i]);
    return true;
}

// A line of the file's own that the person should know, behind what is to be told already.
static bool keep_note(Reading *reading, const YamlNode *weights, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *note = yaml_get(weights, "note");
    if (!note)
        return true;
    if (note->kind != YAML_SCALAR || strchr(note->text, '\n'))
        return yaml_error(note, err, TELL(WEIGHTS_NOTE));
    scenario->note = arena_format(&scenario->arena, err, "%s%s%s", note->text,
                                  scenario->note ? "; " : "", scenario->note ? scenario->note : "");
    return scenario->note != NULL;
}

// For what the program says of the numbers later.
static bool keep_seed(Reading *reading, const YamlNode *weights, Error *err)
{
    Scenario *scenario = reading->scenario;
    scenario->seed = arena_text(&scenario->arena, yaml_get(weights, "manual_seed")->text, err);
    return scenario->seed != NULL;
}

bool scenario_weights_read(Reading *reading, Error *err)
{
    static const char *const keys[] = {"manual_seed", "draw",  "file",   "prefix",
                                       "layout",      "layer", "values", "layers",
                                       "untrained",   "as",    "note",   NULL};
    const YamlNode *weights = scenario_section(reading, "weights"), *source;
    if (reading->scenario->request.shape_only) {
        if (!scenario_shapes_take(reading, err))
            return false;
        scenario_tensors_add(reading);
        return true;
    }
    if (!yaml_only(weights, keys, err) || !find_source(weights, &source, err) ||
        !check_sourced(reading, weights, source, err) || !check_goes_with(weights, err) ||
        !field_flag(weights, "untrained", &reading->scenario->untrained, err) ||
        !keep_note(reading, weights, err))
        return false;
    reading->weights_given = source && strcmp(source->key, "file") == 0;
    if (yaml_get(weights, "draw") &&
        (!scenario_draw(reading, weights, err) || !keep_seed(reading, weights, err)))
        return false;
    bool is_written = source && strcmp(source->key, "values") == 0;
    if ((reading->weights_given && !fetch_from_file(reading, weights, err)) ||
        (is_written && !scenario_layer_fetch(reading, &(WeightSource){.values = source}, err)))
        return false;
    scenario_tensors_add(reading);
    return scenario_block_made(reading, err) && scenario_norm_make(reading, err);
}
