// scenario_list: see scenario_list.h.
#include "scenario_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "language.h"
#include "nearest.h"
#include "place.h"
#include "scenario_internal.h"
#include "scenarios_words.h"

// The length of "padded-batch" in "padded-batch.yaml"; 0 for other files.
static int name_length(const char *file)
{
    size_t length = strlen(file), ending = strlen(".yaml");
    bool is_yaml = length > ending && strcmp(file + length - ending, ".yaml") == 0;
    return is_yaml && file[0] != '.' ? (int)(length - ending) : 0;
}

// Name and path of every scenario; documents and texts are not read.
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

// The text of a key of the file; `missing` when the file does not have it.
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

const char *scenario_list_path(const char *name, Arena *arena, Error *err)
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

// The only scenario of a document; NULL, with a sentence, when there is none or could be several.
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

const char *scenario_list_name(const char *what, Arena *arena, Error *err)
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
