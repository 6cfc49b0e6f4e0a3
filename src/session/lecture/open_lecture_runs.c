// open_lecture_runs: see open_lecture_runs.h.
#include "open_lecture_runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "place.h"
#include "scenario_edit.h"
#include "scenario_file.h"
#include "session_words.h"

const LecturePage *open_lecture_page(const OpenLecture *open)
{
    return &open->lecture->pages[open->page];
}

// A name without folders: what begins with a dot is none.
static bool is_name(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return text[0] && text[0] != '.' && strspn(text, letters) == strlen(text);
}

LectureScene open_lecture_scene(const OpenLecture *open)
{
    const LecturePage *page = open_lecture_page(open);
    return (LectureScene){open->lecture->file, page->scenario, page->text, NULL};
}

static bool same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

bool open_lecture_is_scene(const Scenario *scenario, const LectureScene *scene)
{
    return scenario->name && same(scenario->name, scene->name) &&
           same(scenario->request.text, scene->text);
}

// The path of what lies beside the lecture: NAME.yaml, or NAME where that is a file's name. Without one
// it stays "".
static bool look_beside(const LectureScene *scene, char path[PLACE_PATH_MAX])
{
    static const char *const endings[] = {".yaml", ""};
    const char *slash = scene->file ? strrchr(scene->file, '/') : NULL;
    for (int i = 0; slash && i < 2; i++) {
        int length = snprintf(path, PLACE_PATH_MAX, "%.*s/%s%s", (int)(slash - scene->file),
                              scene->file, scene->name, endings[i]);
        bool means_file = endings[i][0] || strchr(scene->name, '.');
        if (means_file && length < PLACE_PATH_MAX && access(path, R_OK) == 0)
            return true;
    }
    path[0] = '\0';
    return false;
}

bool open_lecture_open_scenario(Scenario *scenario, const LectureScene *scene, Error *err)
{
    char path[PLACE_PATH_MAX];
    *scenario = (Scenario){.name = NULL};
    if (!is_name(scene->name))
        return error_set(err, TELL(NO_SCENARIO_NAME), scene->name);
    bool is_beside = look_beside(scene, path);
    if (!is_beside && strchr(scene->name, '.'))
        return error_set(err, TELL(NOT_BESIDE), scene->name);
    bool is_weights = is_beside && scenario_is_file(path);
    ScenarioRequest request = {.what = is_beside ? path : scene->name,
                               .text = scene->text,
                               .sets = &scene->set,
                               .set_count = scene->set != NULL,
                               .no_files = is_weights ? NULL : TELL(NO_FILES)};
    if (!scenario_open(scenario, &request, err))
        return false;
    scenario->request.set_count = 0;             // a change is this run's alone
    scenario->request.no_files = TELL(NO_FILES); // commands of the page open no other
    if (is_beside)
        scenario->name = arena_text(&scenario->arena, scene->name, err);
    return scenario->name != NULL;
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
static bool open_other(const OpenLecture *open, const char *name, Error *err)
{
    OpenLectureRun *other = open->other;
    LectureScene scene = {.file = open->lecture->file, .name = name};
    if (open_lecture_is_scene(&other->scenario, &scene))
        return true;
    open_lecture_close_run(other);
    bool good = open_lecture_open_scenario(&other->scenario, &scene, err) &&
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

bool open_lecture_open_mistake(OpenLectureRun *run, const LectureScene *scene, const char *name,
                               Error *err)
{
    const Mistake *mistake = mistake_find(name);
    if (!mistake)
        return error_set(err, TELL(OPEN_LECTURE_NO_MISTAKE), name);
    TraceWay way = {.stages = mistake->stages};
    return open_lecture_open_scenario(&run->scenario, scene, err) &&
           trace_open_way(&run->whole, &run->scenario, &way, err);
}

static bool open_element(OpenLectureRun *run, const LectureScene *scene, const char *change,
                         Error *err)
{
    ScenarioEdit edit;
    if (!open_lecture_open_scenario(&run->scenario, scene, err) ||
        !scenario_edit_read(&run->scenario, change, &edit, err))
        return false;
    scenario_edit_put(&run->scenario, &edit);
    return trace_open(&run->whole, &run->scenario, err);
}

bool open_lecture_open_changed(OpenLecture *open, const char *change, Error *err)
{
    static const char mistake[] = "mistake ";
    OpenLectureRun *run = open->changed;
    LectureScene scene = open_lecture_scene(open), set = scene;
    set.set = change;
    Error problem = {.text = ""};
    bool opened;
    open_lecture_close_run(run);
    if (strncmp(change, mistake, strlen(mistake)) == 0)
        opened = open_lecture_open_mistake(run, &scene, change + strlen(mistake), &problem);
    else if (open_lecture_changes_element(change))
        opened = open_element(run, &scene, change, &problem);
    else
        opened = open_lecture_open_scenario(&run->scenario, &set, &problem) &&
                 trace_open(&run->whole, &run->scenario, &problem);
    if (opened && trace_run(&run->whole, &problem))
        return true;
    open_lecture_close_run(run);
    return error_set(err, "%s:%d:1: %s", open->lecture->file,
                     open_lecture_page(open)->question.line, problem.text);
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
    return open_other(open, name, err) &&
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
                error_set(err, "%s:%d:%d: %s", open->lecture->file, spans->line,
                          lecture_column(open->lecture, spans->line, spans->text), problem.text);
        }
        if (!filled->text)
            return NULL;
        *end = filled;
        end = &filled->next;
    }
    return first;
}
