// history_file: see history_file.h.
#include "history_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "new_file.h"
#include "utf8.h"

bool history_file_path(char path[HISTORY_PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (state && state[0] == '/')
        length = snprintf(path, HISTORY_PATH_MAX, "%s/attnscope/history", state);
    else if (home && home[0] == '/')
        length = snprintf(path, HISTORY_PATH_MAX, "%s/.local/state/attnscope/history", home);
    return length > 0 && length < HISTORY_PATH_MAX;
}

static bool can_be_typed(const char *line)
{
    for (const char *byte = line; *byte; byte++)
        if ((unsigned char)*byte < ' ' || *byte == 127)
            return false;
    return utf8_valid(line, strlen(line));
}

void history_file_read(const char *path, History *history)
{
    char *line = NULL;
    size_t room = 0;
    *history = (History){.count = 0};
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (can_be_typed(line))
            history_add(history, line);
    }
    free(line);
    fclose(file);
}

// The folders that the path goes through; what cannot be made, the writing finds out.
static void make_folders(const char *path)
{
    char folder[HISTORY_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
}

static bool write_lines(const char *path, const History *history)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    for (int i = 0; i < history->count; i++)
        fprintf(file, "%s\n", history->lines[i]);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

void history_file_add(const char *path, const char *line)
{
    History history;
    NewFile file;
    Arena arena = {.bytes = 0};
    Error err;
    make_folders(path);
    history_file_read(path, &history);
    history_add(&history, line);
    if (new_file_begin(&file, path, &arena, &err)) {
        if (write_lines(file.temporary, &history))
            new_file_keep(&file, &err);
        else
            new_file_drop(&file);
    }
    arena_finish(&arena);
}
