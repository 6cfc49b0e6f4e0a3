// Opens scenarios, and lists them; see scenario_file.h.
#include "scenario_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formula.h"
#include "number_text.h"
#include "place.h"
#include "scenario_internal.h"
#include "scenarios_words.def"
#include "shown_name.h"
#include "trace.h"
#include "words.h"

// --- the list

// The length of "padded-batch" in "padded-batch.yaml"; 0 for other files.
static int name_length(const char *file)
{
    bool is_yaml = text_ends(file, ".yaml") && file[0] != '.';
    return is_yaml ? (int)(strlen(file) - strlen(".yaml")) : 0;
}

// Lists names and paths, without documents and descriptions.
static bool find_files(ScenarioList *list, Error *err)
{
    char folder[PLACE_PATH_MAX];
    if (!place_find(PLACE_LESSONS, "scenarios", folder, err))
        return false;
    DIR *open = opendir(folder);
    if (!open)
        return error_number(err, errno, TELL(LIST_UNREAD), folder, error_reason(errno));
    size_t room = 0;
    for (const struct dirent *file; (file = readdir(open)) != NULL;)
        room += name_length(file->d_name) > 0;
    rewinddir(open);

    list->entries = arena_take(&list->arena, room, sizeof *list->entries, err);
    bool found = list->entries != NULL;
    for (const struct dirent *file; found && (file = readdir(open)) != NULL;) {
        int length = name_length(file->d_name);
        if (length == 0 || (size_t)list->count == room)
            continue;
        ScenarioEntry *entry = &list->entries[list->count++];
        entry->name = arena_format(&list->arena, err, "%.*s", length, file->d_name);
        entry->path = arena_format(&list->arena, err, "%s/%s", folder, file->d_name);
        found = entry->name && entry->path;
    }
    closedir(open);
    return found;
}

static int by_document_and_name(const void *left, const void *right)
{
    const ScenarioEntry *a = left, *b = right;
    if (!a->document != !b->document)
        return a->document ? -1 : 1;
    int order = a->document ? strcmp(a->document, b->document) : 0;
    return order != 0 ? order : strcmp(a->name, b->name);
}

// The text under a key of the file, or `missing`.
static const char *text_of(const YamlNode *root, const char *key, const char *missing, Arena *arena,
                           Error *err)
{
    const YamlNode *node = yaml_get(root, key);
    if (node && node->kind == YAML_SCALAR)
        return arena_text(arena, node->text, err);
    return missing;
}

static bool read_entry(ScenarioEntry *entry, Arena *arena, Error *err)
{
    Arena scratch = {0};
    Error problem = {.text = ""};
    const YamlNode *root = yaml_read_file(entry->path, &scratch, &problem);
    if (root) {
        entry->document = text_of(root, "document", NULL, arena, err);
        entry->about = text_of(root, "about", "", arena, err);
        if (entry->about && language_now() == LANGUAGE_KOREAN)
            entry->about = text_of(root, "about_ko", entry->about, arena, err);
    } else if (problem.of_machine) {
        *err = problem;
    } else {
        // One broken file must not hide the others.
        entry->about = arena_text(arena, problem.text, err);
    }
    arena_finish(&scratch);
    return entry->about != NULL;
}

bool scenario_list_open(ScenarioList *list, Error *err)
{
    *list = (ScenarioList){0};
    bool read = find_files(list, err);
    for (int i = 0; read && i < list->count; i++)
        read = read_entry(&list->entries[i], &list->arena, err);
    if (!read)
        scenario_list_close(list);
    else
        qsort(list->entries, (size_t)list->count, sizeof *list->entries, by_document_and_name);
    return read;
}

void scenario_list_close(ScenarioList *list)
{
    Arena arena = list->arena;
    *list = (ScenarioList){0};
    arena_finish(&arena);
}

static const char *nearest_scenario(ScenarioList *list, const char *name, Error *err)
{
    const char **names = arena_take(&list->arena, (size_t)list->count + 1, sizeof *names, err);
    if (!names)
        return NULL;
    qsort(list->entries, (size_t)list->count, sizeof *list->entries, by_document_and_name);
    for (int i = 0; i < list->count; i++)
        names[i] = list->entries[i].name;
    return nearest_word(name, names);
}

// The path of a scenario by name.
static const char *scenario_list_path(const char *name, Arena *arena, Error *err)
{
    ScenarioList list = {0};
    const char *path = NULL;
    bool known = false;
    if (find_files(&list, err)) {
        for (int i = 0; i < list.count && !known; i++) {
            known = strcmp(list.entries[i].name, name) == 0;
            if (known)
                path = arena_text(arena, list.entries[i].path, err);
        }
        const char *near = known ? NULL : nearest_scenario(&list, name, err);
        if (!known)
            error_set(err, TELL(NO_SCENARIO), name, near ? TELL(SCENARIO_MEANT) : "",
                      near ? near : "", near ? TELL(MEANT_CLOSE) : "");
    }
    scenario_list_close(&list);
    return path;
}

// Finds the one scenario for a document. NULL and err if there is none, or more than one.
static const char *name_of_document(const ScenarioList *list, const char *document, Error *err)
{
    const char *found = NULL;
    char names[sizeof err->text / 2] = "";
    size_t used = 0;
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const ScenarioEntry *entry = &list->entries[i];
        if (!entry->document || strcmp(entry->document, document) != 0)
            continue;
        found = entry->name;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     count > 0 ? ", " : "", found);
        count++;
    }
    if (count == 1)
        return found;
    if (count == 0)
        error_set(err, TELL(NO_DOCUMENT), document);
    else
        error_set(err, TELL(DOCUMENT_MANY), document, count, names);
    return NULL;
}

// The name of the scenario for a document's number ("000"). NULL and err if there is none, or more than one. Returns other
// texts unchanged.
static const char *scenario_list_name(const char *what, Arena *arena, Error *err)
{
    ScenarioList list;
    if (!*what || strspn(what, "0123456789") != strlen(what))
        return what;
    if (!scenario_list_open(&list, err))
        return NULL;
    const char *name = name_of_document(&list, what, err);
    name = name ? arena_text(arena, name, err) : NULL;
    scenario_list_close(&list);
    return name;
}

// --- edits

enum { EDIT_NAME_MAX = 96 };

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

// --- the element

static bool find_tensor(const Scenario *scenario, const char *name, int *tensor, Error *err)
{
    const char *names[SCENARIO_TENSORS_MAX + 1] = {NULL};
    for (int i = 0; i < scenario->tensor_count; i++) {
        names[i] = scenario->tensors[i].name;
        if (strcmp(names[i], name) == 0) {
            *tensor = i;
            return true;
        }
    }
    const char *near = nearest_name(name, names);
    return error_set(err, TELL(EDIT_NO_NAME), name, near ? TELL(EDIT_MEANT) : TELL(EDIT_STAGE),
                     near ? near : "", near ? "?" : "");
}

// Parses "[0, 3]". Returns what follows, or NULL.
static const char *read_index(const char *text, const Tensor *tensor, ptrdiff_t at[])
{
    int count = 0;
    if (*text != '[')
        return NULL;
    for (text++; count < tensor->rank; count++) {
        char *end;
        long long index = strtoll(text, &end, 10);
        if (end == text || index < 0 || index >= tensor->shape[count])
            return NULL;
        at[count] = (ptrdiff_t)index;
        text = skip_blanks(end);
        if (count + 1 < tensor->rank && *text++ != ',')
            return NULL;
    }
    return *text == ']' ? text + 1 : NULL;
}

static bool read_place(const Scenario *scenario, const char **text, ScenarioEdit *edit, Error *err)
{
    char name[EDIT_NAME_MAX], shape[TENSOR_TEXT_MAX];
    size_t length = strcspn(*text, "[= \t");
    if (length == 0 || length >= sizeof name)
        return error_set(err, TELL(EDIT_FORM));
    memcpy(name, *text, length);
    name[length] = '\0';
    if (!find_tensor(scenario, name, &edit->tensor, err))
        return false;
    const Tensor *tensor = &scenario->tensors[edit->tensor].tensor;
    const char *rest = read_index(skip_blanks(*text + length), tensor, edit->at);
    if (!rest)
        return error_set(err, TELL(EDIT_SHAPE), name,
                         tensor_shape_text(tensor->rank, tensor->shape, shape), *text);
    *text = rest;
    return true;
}

// --- the value

// A target may also be -1: not asked.
static bool read_id(const Scenario *scenario, bool is_target, const char *text, int64_t *value,
                    Error *err)
{
    ptrdiff_t words = scenario->size[SYMBOL_V];
    for (ptrdiff_t id = 0; scenario->vocabulary && id < words; id++)
        if (strcmp(scenario->vocabulary[id], text) == 0) {
            *value = id;
            return true;
        }
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *skip_blanks(end) || errno)
        return error_set(err, TELL(EDIT_TOKEN), text, scenario->vocabulary ? TELL(EDIT_WORD) : "");
    if ((*value < 0 && !(is_target && *value == -1)) || *value >= words)
        return error_set(err, TELL(EDIT_OUTSIDE), text, words, words - 1);
    return true;
}

// Which of two texts a token is of.
static bool read_type(const Scenario *scenario, const char *text, int64_t *value, Error *err)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    ptrdiff_t types = scenario->size[SYMBOL_TYPES];
    bool is_number = end > text && !*skip_blanks(end) && !errno;
    return (is_number && *value >= 0 && *value < types) ||
           error_set(err, TELL(EDIT_TYPE), text, types - 1);
}

static bool read_value(const Scenario *scenario, const char *text, ScenarioEdit *edit, Error *err)
{
    const ScenarioTensor *given = &scenario->tensors[edit->tensor];
    if (strcmp(given->role, "lengths") == 0)
        return error_set(err, TELL(EDIT_LENGTHS));
    char *end;
    bool is_true = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    switch (given->tensor.dtype) {
    case DTYPE_F32:
        edit->value.f32 = strtof(text, &end);
        return (end > text && !*skip_blanks(end)) || error_set(err, TELL(EDIT_NUMBER), text);
    case DTYPE_BOOL:
        edit->value.boolean = is_true;
        return is_true || strcmp(text, "false") == 0 || strcmp(text, "0") == 0 ||
               error_set(err, TELL(EDIT_FLAG), text);
    case DTYPE_I64:
        if (strcmp(given->role, "token_type_ids") == 0)
            return read_type(scenario, text, &edit->value.i64, err);
        return read_id(scenario, strcmp(given->role, "targets") == 0, text, &edit->value.i64, err);
    }
    return false;
}

bool scenario_edit_read(const Scenario *scenario, const char *text, ScenarioEdit *edit, Error *err)
{
    *edit = (ScenarioEdit){.tensor = -1};
    text = skip_blanks(text);
    if (!read_place(scenario, &text, edit, err))
        return false;
    text = skip_blanks(text);
    if (*text != '=' || !*skip_blanks(text + 1))
        return error_set(err, TELL(EDIT_VALUE), scenario->tensors[edit->tensor].name);
    return read_value(scenario, skip_blanks(text + 1), edit, err);
}

// --- reading and writing the element

ScenarioEdit scenario_edit_now(const Scenario *scenario, int number, const ptrdiff_t at[])
{
    const Tensor *tensor = &scenario->tensors[number].tensor;
    ScenarioEdit edit = {.tensor = number};
    memcpy(edit.at, at, (size_t)tensor->rank * sizeof *at);
    ptrdiff_t place = tensor_place(tensor, at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        edit.value.f32 = tensor->storage.f32[place];
        break;
    case DTYPE_I64:
        edit.value.i64 = tensor->storage.i64[place];
        break;
    case DTYPE_BOOL:
        edit.value.boolean = tensor->storage.boolean[place];
        break;
    }
    return edit;
}

void scenario_edit_put(const Scenario *scenario, const ScenarioEdit *edit)
{
    const Tensor *tensor = &scenario->tensors[edit->tensor].tensor;
    ptrdiff_t place = tensor_place(tensor, edit->at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        tensor->storage.f32[place] = edit->value.f32;
        break;
    case DTYPE_I64:
        tensor->storage.i64[place] = edit->value.i64;
        break;
    case DTYPE_BOOL:
        tensor->storage.boolean[place] = edit->value.boolean;
        break;
    }
}

static void value_text(const ScenarioEdit *edit, Dtype dtype, char text[NUMBER_FULL_TEXT_MAX])
{
    if (dtype == DTYPE_F32)
        number_full_text(edit->value.f32, text);
    else if (dtype == DTYPE_I64)
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%lld", (long long)edit->value.i64);
    else
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%s", edit->value.boolean ? "true" : "false");
}

const char *scenario_edit_text(const Scenario *scenario, const ScenarioEdit *edit,
                               char text[SCENARIO_EDIT_MAX])
{
    const ScenarioTensor *given = &scenario->tensors[edit->tensor];
    char value[NUMBER_FULL_TEXT_MAX];
    size_t used = (size_t)snprintf(text, SCENARIO_EDIT_MAX, "%s", given->name);
    for (int axis = 0; axis < given->tensor.rank && used < SCENARIO_EDIT_MAX; axis++)
        used += (size_t)snprintf(text + used, SCENARIO_EDIT_MAX - used, "%s%td", axis ? ", " : "[",
                                 edit->at[axis]);
    value_text(edit, given->tensor.dtype, value);
    if (used < SCENARIO_EDIT_MAX)
        snprintf(text + used, SCENARIO_EDIT_MAX - used, "] = %s", value);
    return text;
}

// --- formulas: reads `formulas`, and writes one as a --set; whether it fits its step shows when it runs

static const char section[] = "formulas";

// True if a key is the tensor's name, with '_' for '.', because --set splits paths at dots.
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

static bool scenario_formulas_read(Reading *reading, Error *err)
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

// Adds a file's formulas to those of the scenario that it starts from.
static bool scenario_formulas_put(YamlNode *base, const YamlNode *formulas, Arena *scratch,
                                  Error *err)
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

// Quotes a text for YAML.
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

const char *scenario_set_shown(const char *set, char text[SCENARIO_FORMULA_SET_MAX])
{
    const char *from = scenario_set_is_formula(set) ? strchr(set, '"') : NULL;
    size_t length = 0;
    if (!from)
        return set;
    for (from++; from[0] && from[1] && length + 1 < SCENARIO_FORMULA_SET_MAX; from++) {
        bool is_space = from[0] == '\\' && strchr("nt", from[1]);
        from += from[0] == '\\';
        text[length++] = is_space ? ' ' : *from;
    }
    text[length] = '\0';
    return text;
}

// --- opening
//
// scenario_input.c, scenario_model.c, scenario_weights.c and scenario_attention.c read the sections, in this order: each
// needs the sizes found before.

// The tree of a known scenario or a file.
static YamlNode *read_tree(const char *what, Arena *scratch, Error *err)
{
    bool is_path = text_ends(what, ".yaml") || text_ends(what, ".yml");
    const char *path = is_path ? what : scenario_list_path(what, scratch, err);
    YamlNode *root = path ? yaml_read_file(path, scratch, err) : NULL;
    if (root && root->kind != YAML_MAP) {
        yaml_error(root, err, TELL(SCENARIO_MAP));
        return NULL;
    }
    return root;
}

static void mark_set(YamlNode *value)
{
    value->is_set = true;
    for (YamlNode *child = value->first; child; child = child->next)
        mark_set(child);
}

// Parses the value at its place in a file or an option, so that messages point there and paths start there.
static bool apply_set(YamlNode *root, const char *set, const YamlNode *at, Arena *scratch,
                      Error *err)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set || equals[1 + strspn(equals + 1, " ")] == '\0')
        return error_set(err, TELL(SET_FORM), set);
    int start = (int)(equals + 1 - set), lines = at->line > 1 ? at->line - 1 : 0;
    int column = start + (at->column > 1 ? at->column - 1 : 0);
    const char *path = arena_format(scratch, err, "%.*s", start - 1, set);
    char *text = arena_take(scratch, (size_t)lines + (size_t)column + strlen(equals), 1, err);
    if (!path || !text)
        return false;
    memset(text, '\n', (size_t)lines);
    memset(text + lines, ' ', (size_t)column);
    strcpy(text + lines + column, equals + 1);
    YamlNode *value = yaml_read_text(text, strlen(text), at->file, scratch, err);
    if (value)
        mark_set(value);
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

// How the next token is chosen from the last token's logits.
static bool read_next(Reading *reading, Error *err)
{
    static const char *const none[] = {NULL};
    const YamlNode *next = scenario_section(reading, "next");
    if (!scenario_section_only(next, "next", none, err) ||
        !scenario_options_read(reading, "next", err))
        return false;
    return !reading->scenario->options.choose || !reading->scenario->options.mask_padding ||
           yaml_error(next, err, TELL(NEXT_PADDED));
}

static bool read_sections(Reading *reading, Error *err)
{
    static const char *const keys[] = {"document", "about",    "about_ko",  "input",
                                       "model",    "weights",  "attention", "patch",
                                       "backward", "formulas", "next",      NULL};
    Scenario *scenario = reading->scenario;
    const char *korean = NULL;
    scenario->about = "";
    if (!yaml_only(reading->root, keys, err) ||
        !read_line(reading, "document", &scenario->document, err) ||
        !read_line(reading, "about", &scenario->about, err) ||
        !read_line(reading, "about_ko", &korean, err) || !scenario_input_read(reading, err) ||
        !scenario_model_read(reading, err) || !scenario_weights_read(reading, err) ||
        !scenario_attention_read(reading, err))
        return false;
    if (korean && language_now() == LANGUAGE_KOREAN)
        scenario->about = korean;
    if (scenario->options.parts)
        scenario->size[SYMBOL_PARTS] = scenario_parts(scenario);
    return scenario_patch_read(reading, err) && read_next(reading, err) &&
           field_flag(reading->root, "backward", &scenario->backward, err);
}

// --- scenarios that start from another one

enum { FROM_MAX = 16 }; // limit of a chain of such files

// The `edits` lists of the chain, the last file's first.
typedef struct Changes {
    const YamlNode *edits[FROM_MAX];
    int count;
} Changes;

static bool apply_sets(YamlNode *base, const YamlNode *sets, Arena *scratch, Error *err)
{
    if (sets && sets->kind != YAML_LIST)
        return yaml_error(sets, err, TELL(SET_LIST));
    for (const YamlNode *set = sets ? sets->first : NULL; set; set = set->next) {
        if (set->kind != YAML_SCALAR)
            return yaml_error(set, err, TELL(SET_TEXT));
        bool is_applied = apply_set(base, set->text, set, scratch, err);
        if (!is_applied && strncmp(err->text, set->file, strlen(set->file)) == 0)
            return false; // it says where
        if (!is_applied)
            return yaml_place(set, err);
    }
    return true;
}

static YamlNode *read_changed_tree(const char *what, Changes *changes, Arena *scratch, Error *err);

// The tree that `root` starts from, with its changes.
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
    // `from` is a known name, or a path relative to its file.
    const char *slash = strrchr(from->file, '/'), *what = from->text;
    bool is_path = text_ends(what, ".yaml") || text_ends(what, ".yml");
    if (is_path && what[0] != '/' && slash)
        what = arena_format(scratch, err, "%.*s/%s", (int)(slash - from->file), from->file, what);
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

// --- requests

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
    const char *what = scenario->request.what;
    bool is_weights = scenario_is_file(what); // positions refer to the generated text
    const char *text = is_weights ? scenario_of_file(&scenario->request, NULL, scratch, err) : NULL;
    YamlNode *root = text         ? yaml_read_text(text, strlen(text), what, scratch, err)
                     : is_weights ? NULL
                                  : read_changed_tree(what, &changes, scratch, err);
    if (!root || (request->text && !scenario_text_put(root, request->text, scratch, err)))
        return false;
    const YamlNode option = {.file = request->sets_typed ? "" : "--set", .line = 1, .column = 1};
    for (int i = 0; i < request->set_count; i++)
        if (!apply_set(root, request->sets[i], &option, scratch, err))
            return false;

    Reading reading = {
        .scenario = scenario, .open = scenario_open, .scratch = scratch, .root = root};
    reading.nothing = (YamlNode){
        .kind = YAML_MAP, .line = root->line, .column = root->column, .file = root->file};
    if (!read_sections(&reading, err) || !scenario_check_uses(&reading, err) ||
        !scenario_formulas_read(&reading, err) || !apply_edits(scenario, &changes, err))
        return false;
    if (scenario->options.cached > 0 && !scenario_cache(scenario, err))
        return yaml_place(yaml_get(scenario_section(&reading, "attention"), "cached"), err);
    if (!scenario_patch_fill(&reading, err)) // behind the cache, which refuses patches
        return false;
    if (!request->text)
        return true;
    scenario->document = NULL; // its sentence and numbers differ from the document's
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
