// Relation: the whole run is right, of other options: a mask that was not asked for.
#include "relation_tools.h"

#include <stdio.h>

extern const Relation relation_option;

static bool makes_causal(const RelationCase *what)
{
    Error ignored;
    Trace other;
    Scenario scenario = *what->right->scenario; // shares its tensors, and is not finished
    scenario.masked = scenario.options.causal = true;
    if (!trace_open(&other, &scenario, &ignored))
        return false;
    int output = trace_find(&other, "output");
    bool made = output >= 0 && trace_run(&other, &ignored) &&
                relation_makes(what, &other.tensors[output].tensor);
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
    snprintf(text, RELATION_TEXT_MAX, "%s",
             language == MISTAKE_KO
                 ? "causal이 아닌데도 뒤의 키를 가렸습니다. causal을 보고 가려야 합니다."
                 : "Later keys are masked though nobody asked for a causal mask.");
}

const Relation relation_option = {.name = "option", .read = read, .say = say};
