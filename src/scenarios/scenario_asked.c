// scenario_asked: model.asked, of each head the rows in which somebody asked for what it does; see
// scenario_internal.h.
#include "scenario_internal.h"
#include "field.h"

#include <string.h>
#include "scenarios_words.h"

static bool is_none(const YamlNode *node)
{
    return node->kind == YAML_SCALAR && strcmp(node->text, "none") == 0;
}

// Lets the words of the list be `asked`, and all others not.
static bool mark_words(const Scenario *scenario, const YamlNode *list, bool asked, bool of_word[],
                       Error *err)
{
    for (ptrdiff_t id = 0; id < scenario->size[SYMBOL_V]; id++)
        of_word[id] = !asked;
    for (const YamlNode *word = list->first; word; word = word->next) {
        int64_t id;
        if (word->kind != YAML_SCALAR)
            return yaml_error(word, err, TELL(ASKED_ENTRY));
        if (!scenario_known_word(scenario, word, &id, err))
            return false;
        of_word[id] = asked;
    }
    return true;
}

static bool read_entry(Scenario *scenario, const YamlNode *node, ScenarioAsked *asked, Error *err)
{
    static const char *const keys[] = {"words", "but", "first", NULL};
    if (node->kind != YAML_MAP)
        return yaml_error(node, err, TELL(ASKED_ENTRY));
    const YamlNode *words = yaml_get(node, "words"), *but = yaml_get(node, "but");
    const YamlNode *list = words ? words : but;
    if (!yaml_only(node, keys, err))
        return false;
    if (!list || (words && but) || list->kind != YAML_LIST)
        return yaml_error(node, err, TELL(ASKED_ENTRY));
    bool *of_word =
        arena_take(&scenario->arena, (size_t)scenario->size[SYMBOL_V], sizeof *of_word, err);
    *asked = (ScenarioAsked){.of_word = of_word, .at_first = true};
    return of_word && mark_words(scenario, list, words != NULL, of_word, err) &&
           field_flag(node, "first", &asked->at_first, err);
}

bool scenario_asked_read(Reading *reading, const YamlNode *model, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *node = yaml_get(model, "asked");
    ptrdiff_t heads = scenario->options.heads;
    if (!node || is_none(node))
        return true;
    if (!reading->knows_words)
        return yaml_key_error(node, err, TELL(ASKED_WORDS));
    if (node->kind != YAML_LIST || (ptrdiff_t)node->count != heads)
        return yaml_error(node, err, TELL(ASKED_HEADS), heads);
    ScenarioAsked *asked = arena_take(&scenario->arena, (size_t)heads, sizeof *asked, err);
    scenario->asked = asked;
    for (const YamlNode *entry = node->first; asked && entry; entry = entry->next)
        if (!read_entry(scenario, entry, asked++, err))
            return false;
    return asked != NULL;
}
