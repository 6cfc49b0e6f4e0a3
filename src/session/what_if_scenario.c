// A scenario with edits in it; see what_if.h.
#include "what_if.h"

#include <stdlib.h>
#include "scenario_file.h"
#include "session_words.def"

bool what_if_open(const WhatIf *what_if, const Scenario *now, size_t done, const char *option,
                  Scenario *scenario, Error *err)
{
    ScenarioRequest request = now->request;
    int asked = request.set_count;
    size_t count = (size_t)asked;
    if (!request.what)
        return error_set(err, TELL(EDIT_NO_FILE));
    const char **sets = calloc(count + done + 2, sizeof *sets);
    if (!sets)
        return error_set(err, TELL(EDIT_NO_MEMORY), done);
    for (size_t i = 0; i < count; i++)
        sets[i] = request.sets[i];
    for (size_t i = 0; i < done; i++)
        if (what_if->edits[i].is_option)
            sets[count++] = what_if->edits[i].text;
    if (option)
        sets[count++] = option;
    request.sets = sets;
    request.set_count = (int)count;
    request.sets_typed = true;
    bool good = scenario_open(scenario, &request, err);
    free(sets);
    // Whoever asks for it again adds the edits again.
    ScenarioEdit edit;
    for (size_t i = 0; good && i < done; i++) {
        if (what_if->edits[i].is_option)
            continue;
        good = scenario_edit_read(scenario, what_if->edits[i].text, &edit, err);
        if (good)
            scenario_edit_put(scenario, &edit);
    }
    if (good)
        scenario->request.set_count = asked;
    else
        scenario_finish(scenario);
    return good;
}

Scenario *what_if_scenario_new(Error *err)
{
    Scenario *scenario = calloc(1, sizeof *scenario);
    if (!scenario)
        error_machine(err, TELL(EDIT_NO_SCENARIO));
    return scenario;
}

void what_if_scenario_close(Scenario *scenario)
{
    if (scenario)
        scenario_finish(scenario);
    free(scenario);
}

void what_if_finish(WhatIf *what_if)
{
    trace_change_finish(&what_if->change);
    what_if_scenario_close(what_if->scenario);
    free(what_if->edits);
    *what_if = (WhatIf){.scenario = NULL};
}
