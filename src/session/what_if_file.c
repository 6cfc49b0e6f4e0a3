// what_if_file: the scenario as it is now, as a file that opens to the same bits. See
// scenario_format.txt: it names the scenario it starts from and lists the changes.
#include "what_if.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "new_file.h"
#include "scenario_file.h"
#include "session.h"
#include "session_words.h"

// Double quotes take every text of one line.
static void write_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static bool is_path(const char *what)
{
    const char *dot = strrchr(what, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// The new file may lie elsewhere: a path is written from the root on.
static bool write_from(const char *what, FILE *out, Error *err)
{
    char *whole = is_path(what) ? realpath(what, NULL) : NULL;
    if (is_path(what) && !whole)
        return error_set(err, "%s: %s", what, error_reason(errno));
    fputs("from: ", out);
    write_quoted(whole ? whole : what, out);
    fputc('\n', out);
    free(whole);
    return true;
}

// Formulas, each under its key; the last one of a key counts. `sets` are those asked for, then those done.
static void write_formulas(const char *const sets[], int count, FILE *out)
{
    bool written = false;
    for (int i = 0; i < count; i++) {
        const char *key = strchr(sets[i], '.') + 1;
        size_t length = strcspn(key, "=");
        bool is_last = true;
        for (int later = i + 1; later < count; later++)
            is_last =
                is_last && strncmp(sets[later], sets[i], (size_t)(key - sets[i]) + length + 1) != 0;
        if (is_last)
            fprintf(out, "%s  %.*s: %s\n", written ? "" : "formulas:\n", (int)length, key,
                    key + length + 1);
        written = written || is_last;
    }
}

static bool write_all_formulas(const ScenarioRequest *request, const WhatIf *what_if, FILE *out,
                               Error *err)
{
    size_t most = (size_t)request->set_count + what_if->done;
    const char **sets = calloc(most + 1, sizeof *sets);
    int count = 0;
    if (!sets)
        return error_machine(err, TELL(EDIT_NO_SCENARIO));
    for (int i = 0; i < request->set_count; i++)
        if (scenario_set_is_formula(request->sets[i]))
            sets[count++] = request->sets[i];
    for (size_t i = 0; i < what_if->done; i++)
        if (scenario_set_is_formula(what_if->edits[i].text))
            sets[count++] = what_if->edits[i].text;
    write_formulas(sets, count, out);
    free(sets);
    return true;
}

static void write_list(const char *key, const char *const *given, int count, const WhatIf *what_if,
                       bool options, FILE *out)
{
    size_t written = 0;
    for (int i = 0; i < count; i++) {
        if (scenario_set_is_formula(given[i]))
            continue;
        fputs(written++ ? "" : key, out);
        fputs("\n  - ", out);
        write_quoted(given[i], out);
    }
    for (size_t i = 0; i < what_if->done; i++) {
        if (what_if->edits[i].is_option != options ||
            scenario_set_is_formula(what_if->edits[i].text))
            continue;
        fputs(written++ ? "" : key, out);
        fputs("\n  - ", out);
        write_quoted(what_if->edits[i].text, out);
    }
    fputs(written ? "\n" : "", out);
}

static bool write_scenario(const Session *session, const char *path, Error *err)
{
    const ScenarioRequest *request = &session->run.trace.scenario->request;
    FILE *out = fopen(path, "wb");
    if (!out)
        return error_set(err, "%s: %s", path, error_reason(errno));
    bool good = write_from(request->what, out, err);
    if (request->text) {
        fputs("text: ", out);
        write_quoted(request->text, out);
        fputc('\n', out);
    }
    write_list("set:", request->sets, request->set_count, &session->what_if, true, out);
    good = good && write_all_formulas(request, &session->what_if, out, err);
    write_list("edits:", NULL, 0, &session->what_if, false, out);
    bool lost = ferror(out) != 0;
    lost = fclose(out) != 0 || lost;
    return good && lost ? error_set(err, "%s: %s", path, error_reason(errno)) : good;
}

bool what_if_save(const Session *session, const char *path, Error *err)
{
    Arena arena = {0};
    NewFile file;
    if (!session->run.trace.scenario->request.what)
        return error_set(err, TELL(SAVE_SCENARIO_NONE));
    if (!is_path(path))
        return error_set(err, TELL(SAVE_SCENARIO_NAME), path);
    if (access(path, F_OK) == 0)
        return error_set(err, TELL(SAVE_SCENARIO_EXISTS), path);
    bool good = new_file_begin(&file, path, &arena, err);
    if (good) {
        good = write_scenario(session, file.temporary, err);
        if (good)
            good = new_file_keep(&file, err);
        else
            new_file_drop(&file);
    }
    arena_finish(&arena);
    return good;
}
