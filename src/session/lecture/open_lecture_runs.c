// open_lecture_runs: see open_lecture_runs.h.
#include "open_lecture_runs.h"

#include <string.h>
#include "scenario_edit.h"
#include "scenario_file.h"
#include "session_words.h"

const LecturePage *open_lecture_page(const OpenLecture *open)
{
    return &open->lecture->pages[open->page];
}

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

bool open_lecture_open_scenario(Scenario *scenario, const char *name, Error *err)
{
    return open_with(scenario, name, NULL, err);
}

void open_lecture_close_run(OpenLectureRun *run)
{
    if (!run)
        return;
    trace_close(&run->whole);
    scenario_finish(&run->scenario);
    *run = (OpenLectureRun){.scenario = {.name = NULL}};
}

// A page that speaks of another scenario does so more than once.
static bool open_other(OpenLectureRun *other, const char *name, Error *err)
{
    if (other->scenario.name && strcmp(other->scenario.name, name) == 0)
        return true;
    open_lecture_close_run(other);
    bool good = open_lecture_open_scenario(&other->scenario, name, err) &&
                trace_open(&other->whole, &other->scenario, err) && trace_run(&other->whole, err);
    if (!good)
        open_lecture_close_run(other);
    return good;
}

// --- changes

bool open_lecture_changes_element(const char *change)
{
    const char *bracket = strchr(change, '['), *equals = strchr(change, '=');
    return bracket && equals && bracket < equals;
}

bool open_lecture_open_mistake(OpenLectureRun *run, const char *scenario, const char *name,
                               Error *err)
{
    const Mistake *mistake = mistake_find(name);
    if (!mistake)
        return error_set(err, TELL(OPEN_LECTURE_NO_MISTAKE), name);
    TraceWay way = {.stages = mistake->stages};
    return open_lecture_open_scenario(&run->scenario, scenario, err) &&
           trace_open_way(&run->whole, &run->scenario, &way, err);
}

static bool open_element(OpenLectureRun *run, const char *scenario, const char *change, Error *err)
{
    ScenarioEdit edit;
    if (!open_lecture_open_scenario(&run->scenario, scenario, err) ||
        !scenario_edit_read(&run->scenario, change, &edit, err))
        return false;
    scenario_edit_put(&run->scenario, &edit);
    return trace_open(&run->whole, &run->scenario, err);
}

bool open_lecture_open_changed(OpenLecture *open, const char *change, Error *err)
{
    static const char mistake[] = "mistake ";
    OpenLectureRun *run = open->changed;
    const char *scenario = open_lecture_page(open)->scenario;
    const char *const sets[] = {change};
    Error problem = {.text = ""};
    bool opened;
    open_lecture_close_run(run);
    if (strncmp(change, mistake, strlen(mistake)) == 0)
        opened = open_lecture_open_mistake(run, scenario, change + strlen(mistake), &problem);
    else if (open_lecture_changes_element(change))
        opened = open_element(run, scenario, change, &problem);
    else
        opened = open_with(&run->scenario, scenario, sets, &problem) &&
                 trace_open(&run->whole, &run->scenario, &problem);
    if (opened && trace_run(&run->whole, &problem))
        return true;
    open_lecture_close_run(run);
    return error_set(err, "%s:%d: %s", open->lecture->file, open_lecture_page(open)->question.line,
                     problem.text);
}

// --- what they say

bool open_lecture_value(const OpenLecture *open, const Reference *reference, ReferenceValue *value,
                        Error *err)
{
    const char *name = reference->scenario;
    if (!name[0])
        return reference_value(&open->whole, reference, value, err);
    if (strcmp(name, OPEN_LECTURE_CHANGED) == 0)
        return open->changed->scenario.name
                   ? reference_value(&open->changed->whole, reference, value, err)
                   : error_set(err, TELL(CHANGED_ALONE));
    return open_other(open->other, name, err) &&
           reference_value(&open->other->whole, reference, value, err);
}

bool open_lecture_claim(const OpenLecture *open, const Claim *claim, bool *holds, Error *err)
{
    ReferenceValue left, right;
    if (!open_lecture_value(open, &claim->left, &left, err) ||
        !open_lecture_value(open, &claim->right, &right, err))
        return false;
    bool single = left.count == 1 && right.count == 1;
    if (claim->relation == '=')
        *holds = reference_values_equal(&left, &right);
    else if (claim->relation == '<')
        *holds = single && left.numbers[0] < right.numbers[0];
    else
        *holds = single && left.numbers[0] > right.numbers[0];
    return claim->relation == '=' || single || error_set(err, TELL(ANSWER_SINGLE));
}

LectureSpan *open_lecture_fill(OpenLecture *open, const LectureSpan *spans, Error *err)
{
    LectureSpan *first = NULL, **end = &first;
    for (; spans; spans = spans->next) {
        LectureSpan *filled = arena_take(&open->arena, 1, sizeof *filled, err);
        Reference reference;
        ReferenceValue value;
        if (!filled)
            return NULL;
        *filled = (LectureSpan){.kind = spans->kind, .text = spans->text, .line = spans->line};
        if (spans->kind == SPAN_REFERENCE) {
            Error problem = {.text = ""};
            bool known = reference_parse(spans->text, &reference, &problem) &&
                         open_lecture_value(open, &reference, &value, &problem);
            filled->text = arena_text(&open->arena, known ? value.text : "?", err);
            if (!known)
                error_set(err, "%s:%d: %s", open->lecture->file, spans->line, problem.text);
        }
        if (!filled->text)
            return NULL;
        *end = filled;
        end = &filled->next;
    }
    return first;
}
