// scenario_file: from a request to a Scenario; see scenario_file.h. The sections are read by
// scenario_input.c, scenario_model.c, scenario_weights.c and scenario_attention.c, in this order:
// each builds on the sizes that those before it found.
#include "scenario_file.h"
#include "field.h"
#include "language.h"
#include "scenario_edit.h"
#include "scenario_internal.h"

#include <string.h>
#include "scenarios_words.h"

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

// The tree of a file of weights: places in it are those of the text that is made for it.
static YamlNode *weights_tree(const ScenarioRequest *request, Arena *scratch, Error *err)
{
    const char *text = scenario_of_file(request, NULL, scratch, err);
    return text ? yaml_read_text(text, strlen(text), request->what, scratch, err) : NULL;
}

// The tree of a known scenario or of a file.
static YamlNode *read_tree(const char *what, Arena *scratch, Error *err)
{
    bool is_path = ends_with(what, ".yaml") || ends_with(what, ".yml");
    const char *path = is_path ? what : scenario_list_path(what, scratch, err);
    YamlNode *root = path ? yaml_read_file(path, scratch, err) : NULL;
    if (root && root->kind != YAML_MAP) {
        yaml_error(root, err, TELL(SCENARIO_MAP));
        return NULL;
    }
    return root;
}

// The value is parsed at the column where it stands, so that messages point into the option, which
// they call `file`.
static bool apply_set(YamlNode *root, const char *set, const char *file, Arena *scratch, Error *err)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set || equals[1 + strspn(equals + 1, " ")] == '\0')
        return error_set(err, TELL(SET_FORM), set);
    int start = (int)(equals + 1 - set);
    const char *path = arena_format(scratch, err, "%.*s", start - 1, set);
    const char *text = arena_format(scratch, err, "%*s%s", start, "", equals + 1);
    if (!path || !text)
        return false;
    YamlNode *value = yaml_read_text(text, strlen(text), file, scratch, err);
    return value && yaml_set(root, path, value, scratch, err);
}

static bool read_line(Reading *reading, const char *key, const char **out, Error *err)
{
    const YamlNode *node = yaml_get(reading->root, key);
    char text[FIELD_TEXT_MAX];
    if (!node)
        return true;
    if (node->kind != YAML_SCALAR || strchr(node->text, '\n'))
        return yaml_error(node, err, TELL(LINE_TEXT), key,
                          node->kind == YAML_SCALAR ? "several" : field_text(node, text));
    *out = arena_text(&reading->scenario->arena, node->text, err);
    return *out != NULL;
}

static bool take_about(Scenario *scenario, const char *korean)
{
    if (korean && language_now() == LANGUAGE_KOREAN)
        scenario->about = korean;
    return true;
}

static bool read_sections(Reading *reading, Error *err)
{
    static const char *const keys[] = {"document", "about",     "about_ko", "input",    "model",
                                       "weights",  "attention", "backward", "formulas", NULL};
    const char *korean = NULL;
    reading->scenario->about = "";
    return yaml_only(reading->root, keys, err) &&
           read_line(reading, "document", &reading->scenario->document, err) &&
           read_line(reading, "about", &reading->scenario->about, err) &&
           read_line(reading, "about_ko", &korean, err) && take_about(reading->scenario, korean) &&
           scenario_input_read(reading, err) && scenario_model_read(reading, err) &&
           scenario_weights_read(reading, err) && scenario_attention_read(reading, err) &&
           field_flag(reading->root, "backward", &reading->scenario->backward, err);
}

// --- a scenario that is another one with changes

enum { FROM_MAX = 16 }; // how long a chain of such files may be

// The lists `edits` of the files on the way, the last one first.
typedef struct Changes {
    const YamlNode *edits[FROM_MAX];
    int count;
} Changes;

// `from` as it is written: a known name, or a path seen from the folder of its file.
static const char *from_what(const YamlNode *from, Arena *scratch, Error *err)
{
    const char *slash = strrchr(from->file, '/');
    bool is_path = ends_with(from->text, ".yaml") || ends_with(from->text, ".yml");
    if (!is_path || from->text[0] == '/' || !slash)
        return from->text;
    return arena_format(scratch, err, "%.*s/%s", (int)(slash - from->file), from->file, from->text);
}

static bool apply_sets(YamlNode *base, const YamlNode *sets, Arena *scratch, Error *err)
{
    if (sets && sets->kind != YAML_LIST)
        return yaml_error(sets, err, TELL(SET_LIST));
    for (const YamlNode *set = sets ? sets->first : NULL; set; set = set->next) {
        if (set->kind != YAML_SCALAR)
            return yaml_error(set, err, TELL(SET_TEXT));
        if (!apply_set(base, set->text, "--set", scratch, err))
            return yaml_place(set, err);
    }
    return true;
}

static YamlNode *read_changed_tree(const char *what, Changes *changes, Arena *scratch, Error *err);

// The tree that `root` starts from, changed as it says.
static YamlNode *change_tree(const YamlNode *root, Changes *changes, Arena *scratch, Error *err)
{
    static const char *const keys[] = {"from", "text", "set", "formulas", "edits", NULL};
    const YamlNode *from = yaml_get(root, "from"), *text = yaml_get(root, "text");
    const YamlNode *edits = yaml_get(root, "edits"), *formulas = yaml_get(root, "formulas");
    if (!yaml_only(root, keys, err))
        return NULL;
    if (from->kind != YAML_SCALAR || (text && text->kind != YAML_SCALAR) ||
        (edits && edits->kind != YAML_LIST)) {
        yaml_error(from, err, TELL(FROM_FORM));
        return NULL;
    }
    if (changes->count == FROM_MAX) {
        yaml_error(from, err, TELL(FROM_CHAIN), FROM_MAX);
        return NULL;
    }
    changes->edits[changes->count++] = edits;
    const char *what = from_what(from, scratch, err);
    YamlNode *base = what ? read_changed_tree(what, changes, scratch, err) : NULL;
    bool good = base && (!text || scenario_text_put(base, text->text, scratch, err)) &&
                apply_sets(base, yaml_get(root, "set"), scratch, err) &&
                (!formulas || scenario_formulas_put(base, formulas, scratch, err));
    return good ? base : NULL;
}

static YamlNode *read_changed_tree(const char *what, Changes *changes, Arena *scratch, Error *err)
{
    YamlNode *root = read_tree(what, scratch, err);
    return root && yaml_get(root, "from") ? change_tree(root, changes, scratch, err) : root;
}

static bool apply_edits(const Scenario *scenario, const Changes *changes, Error *err)
{
    Error why;
    ScenarioEdit edit;
    for (int i = changes->count - 1; i >= 0; i--) {
        const YamlNode *edits = changes->edits[i];
        for (const YamlNode *node = edits ? edits->first : NULL; node; node = node->next) {
            if (node->kind != YAML_SCALAR)
                return yaml_error(node, err, TELL(EDIT_TEXT));
            if (!scenario_edit_read(scenario, node->text, &edit, &why))
                return yaml_error(node, err, "%s", why.text);
            scenario_edit_put(scenario, &edit);
        }
    }
    return true;
}

// --- a request

static bool keep_text(Scenario *scenario, const char **text, Error *err)
{
    if (*text)
        *text = arena_text(&scenario->arena, *text, err);
    return *text != NULL;
}

static bool keep_request(Scenario *scenario, const ScenarioRequest *request, Error *err)
{
    ScenarioRequest *kept = &scenario->request;
    *kept = *request;
    kept->what = kept->what ? scenario_list_name(kept->what, &scenario->arena, err) : "sentence";
    if (!kept->what)
        return false;
    const char **sets = arena_take(&scenario->arena, (size_t)request->set_count, sizeof *sets, err);
    if (!sets || !keep_text(scenario, &kept->what, err) ||
        (kept->text && !keep_text(scenario, &kept->text, err)))
        return false;
    for (int i = 0; i < request->set_count; i++) {
        sets[i] = request->sets[i];
        if (!keep_text(scenario, &sets[i], err))
            return false;
    }
    kept->sets = sets;
    scenario->is_own = strchr(kept->what, '/') || strchr(kept->what, '.');
    scenario->is_weights_file = scenario_is_file(kept->what);
    if (scenario->is_weights_file)
        kept->what = scenario_file_of_folder(kept->what, &scenario->arena, err);
    scenario->name = kept->what;
    return kept->what != NULL;
}

static bool open_with(Scenario *scenario, const ScenarioRequest *request, Arena *scratch,
                      Error *err)
{
    Changes changes = {.count = 0};
    if (!keep_request(scenario, request, err))
        return false;
    YamlNode *root = scenario_is_file(scenario->request.what)
                         ? weights_tree(&scenario->request, scratch, err)
                         : read_changed_tree(scenario->request.what, &changes, scratch, err);
    if (!root || (request->text && !scenario_text_put(root, request->text, scratch, err)))
        return false;
    for (int i = 0; i < request->set_count; i++)
        if (!apply_set(root, request->sets[i], request->sets_typed ? "" : "--set", scratch, err))
            return false;

    Reading reading = {.scenario = scenario, .scratch = scratch, .root = root};
    reading.nothing = (YamlNode){
        .kind = YAML_MAP, .line = root->line, .column = root->column, .file = root->file};
    if (!read_sections(&reading, err) || !scenario_check_uses(&reading, err) ||
        !scenario_formulas_read(&reading, err) || !apply_edits(scenario, &changes, err))
        return false;
    if (!request->text)
        return true;
    scenario->document = NULL; // it has another sentence, and other numbers
    return !scenario->vocabulary || reading.knows_words || scenario_text_note(scenario, err);
}

bool scenario_open(Scenario *scenario, const ScenarioRequest *request, Error *err)
{
    Arena scratch = {0};
    *scenario = (Scenario){.name = NULL};
    bool opened = open_with(scenario, request, &scratch, err);
    arena_finish(&scratch);
    if (!opened)
        scenario_finish(scenario);
    return opened;
}
