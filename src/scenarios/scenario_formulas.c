// scenario_formulas: reads `formulas`, and writes one as the line of --set that asks for it; see
// scenario_file.h. Whether a formula fits its step shows when that runs.
#include "scenario_file.h"
#include "scenario_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "formula.h"
#include "scenarios_words.h"

static const char section[] = "formulas";

// Whether a key is the tensor's name, which may have '_' for '.': paths of --set are cut at dots.
static bool is_key_of(const char *key, const char *tensor)
{
    size_t i = 0;
    while (key[i] && (key[i] == tensor[i] || (key[i] == '_' && !isalnum((unsigned char)tensor[i]))))
        i++;
    return !key[i] && !tensor[i];
}

static bool check(const YamlNode *node, const char *place, Error *err)
{
    Arena arena = {0};
    Formula formula;
    bool good = formula_parse(&arena, node->text, &formula, err);
    if (!good)
        error_prefix(err, "%s", place);
    else if (!is_key_of(node->key, formula.definitions[0].name))
        good = yaml_key_error(node, err, TELL(FORMULA_KEY), node->key, formula.definitions[0].name);
    arena_finish(&arena);
    return good;
}

static bool read_one(Scenario *scenario, const YamlNode *node, Error *err)
{
    if (node->kind != YAML_SCALAR)
        return yaml_error(node, err, TELL(FORMULA_TEXT), node->key);
    Arena *arena = &scenario->arena;
    ScenarioFormula formula = {.text = arena_text(arena, node->text, err),
                               .place = yaml_is_given(node)
                                            ? ""
                                            : arena_format(arena, err, TELL(FORMULA_PLACE_IN_FILE),
                                                           node->file, node->line, node->column)};
    if (!formula.text || !formula.place || !check(node, formula.place, err))
        return false;
    scenario->formulas[scenario->formula_count++] = formula;
    return true;
}

bool scenario_formulas_read(Reading *reading, Error *err)
{
    const YamlNode *formulas = yaml_get(reading->root, section);
    if (!formulas)
        return true;
    if (formulas->kind != YAML_MAP)
        return yaml_error(formulas, err, TELL(FORMULAS_MAP));
    if (formulas->count > SCENARIO_FORMULAS_MAX)
        return yaml_error(formulas, err, TELL(FORMULAS_MANY), SCENARIO_FORMULAS_MAX);
    for (const YamlNode *node = formulas->first; node; node = node->next)
        if (!read_one(reading->scenario, node, err))
            return false;
    return true;
}

bool scenario_formulas_put(YamlNode *base, const YamlNode *formulas, Arena *scratch, Error *err)
{
    if (formulas->kind != YAML_MAP)
        return yaml_error(formulas, err, TELL(FORMULAS_MAP));
    for (YamlNode *node = formulas->first, *next; node; node = next) {
        next = node->next;
        char *path = arena_format(scratch, err, "%s.%s", section, node->key);
        if (!path)
            return false;
        for (char *at = path + sizeof section; *at; at++)
            *at = *at == '.' ? '_' : *at;
        if (!yaml_set(base, path, node, scratch, err))
            return false;
    }
    return true;
}

// A quoted text of YAML.
static void quote(char *at, const char *text)
{
    *at++ = '"';
    for (; *text; text++) {
        if (strchr("\"\\\n\t", *text))
            *at++ = '\\';
        *at++ = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text;
    }
    memcpy(at, "\"", 2);
}

const char *scenario_formula_set(const char *text, char set[SCENARIO_FORMULA_SET_MAX], Error *err)
{
    Arena arena = {0};
    Formula formula;
    bool good = formula_parse(&arena, text, &formula, err);
    if (good) {
        char *at = set + snprintf(set, SCENARIO_FORMULA_SET_MAX, "%s.", section);
        for (const char *name = formula.definitions[0].name; *name; name++)
            *at++ = isalnum((unsigned char)*name) ? *name : '_';
        *at++ = '=';
        quote(at, text);
    }
    arena_finish(&arena);
    return good ? set : NULL;
}

bool scenario_set_is_formula(const char *set)
{
    return strncmp(set, section, strlen(section)) == 0 && set[strlen(section)] == '.';
}
