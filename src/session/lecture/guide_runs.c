// guide_runs: see guide_runs.h.
#include "guide_runs.h"

#include <string.h>
#include "scenario_edit.h"
#include "scenario_file.h"
#include "session_words.h"

static bool is_name(const char *text)
{
    return text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(text);
}

static bool open_with(Scenario *scenario, const char *name, const char *const *sets, Error *err)
{
    ScenarioRequest request = {
        .what = name, .sets = sets, .set_count = sets != NULL, .no_files = TELL(NO_FILES)};
    *scenario = (Scenario){.name = NULL};
    if (!is_name(name))
        return error_set(err, TELL(NO_SCENARIO_NAME), name);
    bool good = scenario_open(scenario, &request, err);
    scenario->request.set_count = 0; // `sets` does not stay
    return good;
}

bool guide_open_scenario(Scenario *scenario, const char *name, Error *err)
{
    return open_with(scenario, name, NULL, err);
}

void guide_close_run(GuideRun *run)
{
    if (!run)
        return;
    trace_close(&run->whole);
    scenario_finish(&run->scenario);
    *run = (GuideRun){.scenario = {.name = NULL}};
}

// A page that speaks of another scenario does so more than once.
static bool open_other(GuideRun *other, const char *name, Error *err)
{
    if (other->scenario.name && strcmp(other->scenario.name, name) == 0)
        return true;
    guide_close_run(other);
    bool good = guide_open_scenario(&other->scenario, name, err) &&
                trace_open(&other->whole, &other->scenario, err) && trace_run(&other->whole, err);
    if (!good)
        guide_close_run(other);
    return good;
}

// --- changes

bool guide_changes_element(const char *change)
{
    const char *bracket = strchr(change, '['), *equals = strchr(change, '=');
    return bracket && equals && bracket < equals;
}

bool guide_open_mistake(GuideRun *run, const char *scenario, const char *name, Error *err)
{
    const Mistake *mistake = mistake_find(name);
    if (!mistake)
        return error_set(err, TELL(GUIDE_NO_MISTAKE), name);
    TraceWay way = {.stages = mistake->stages};
    return guide_open_scenario(&run->scenario, scenario, err) &&
           trace_open_way(&run->whole, &run->scenario, &way, err);
}

static bool open_element(GuideRun *run, const char *scenario, const char *change, Error *err)
{
    ScenarioEdit edit;
    if (!guide_open_scenario(&run->scenario, scenario, err) ||
        !scenario_edit_read(&run->scenario, change, &edit, err))
        return false;
    scenario_edit_put(&run->scenario, &edit);
    return trace_open(&run->whole, &run->scenario, err);
}

bool guide_open_changed(Guide *guide, const char *change, Error *err)
{
    static const char mistake[] = "mistake ";
    GuideRun *run = guide->changed;
    const char *scenario = guide_page(guide)->scenario;
    const char *const sets[] = {change};
    Error problem = {.text = ""};
    bool opened;
    guide_close_run(run);
    if (strncmp(change, mistake, strlen(mistake)) == 0)
        opened = guide_open_mistake(run, scenario, change + strlen(mistake), &problem);
    else if (guide_changes_element(change))
        opened = open_element(run, scenario, change, &problem);
    else
        opened = open_with(&run->scenario, scenario, sets, &problem) &&
                 trace_open(&run->whole, &run->scenario, &problem);
    if (opened && trace_run(&run->whole, &problem))
        return true;
    guide_close_run(run);
    return error_set(err, "%s:%d: %s", guide->lecture->file, guide_page(guide)->question.line,
                     problem.text);
}

// --- what they say

bool guide_value(const Guide *guide, const Reference *reference, ReferenceValue *value, Error *err)
{
    const char *name = reference->scenario;
    if (!name[0])
        return reference_value(&guide->whole, reference, value, err);
    if (strcmp(name, GUIDE_CHANGED) == 0)
        return guide->changed->scenario.name
                   ? reference_value(&guide->changed->whole, reference, value, err)
                   : error_set(err, TELL(CHANGED_ALONE));
    return open_other(guide->other, name, err) &&
           reference_value(&guide->other->whole, reference, value, err);
}
