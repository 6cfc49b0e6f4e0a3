// The lines typed at the prompt, kept from one run to the next: $XDG_STATE_HOME/attnscope/history, or
// ~/.local/state/attnscope/history. A file that is missing or cannot be written is no error: nothing
// is remembered then.
#ifndef HISTORY_FILE_H
#define HISTORY_FILE_H

#include <stdbool.h>
#include "history.h"

// Where it is; false when there is no home for it.
enum { HISTORY_PATH_MAX = 4096 };
bool history_file_path(char path[HISTORY_PATH_MAX]);

// The newest lines of the file. Lines that nobody can have typed are left out.
void history_file_read(const char *path, History *history);

// Adds a line to what the file says now, so that programs at the same time keep each other's. The
// file is written whole or not at all.
void history_file_add(const char *path, const char *line);

#endif
