// Relation: the whole run is right, of other options: a mask that was not asked for.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_option;

static bool makes_causal(const RelationCase *what)
{
    Error err = {.text = ""};
    Trace other;
    Scenario scenario = *what->right->scenario; // shares its tensors, and is not finished
    scenario.masked = scenario.options.causal = true;
    if (!trace_open(&other, &scenario, &err)) {
        relation_lacks(what, &err);
        return false;
    }
    int output = trace_find(&other, "output");
    bool made = output >= 0 && trace_run(&other, &err) &&
                relation_makes(what, &other.tensors[output].tensor);
    relation_lacks(what, &err);
    trace_close(&other);
    return made;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (what->step < 0 && !what->right->scenario->options.causal && makes_causal(what))
        relation_add(what, readings, (RelationReading){&relation_option, 0, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    (void)reading;
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, OPTION_CAUSAL));
}

const Relation relation_option = {.name = "option", .read = read, .say = say};
