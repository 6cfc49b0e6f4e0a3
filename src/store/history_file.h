// The lines typed at the prompt, kept from one run to the next (state_file.h): the oldest first, as
// they were typed. A line that begins with a tab is none: the first says which version wrote the
// file, others belong to newer versions and are kept as they are.
#ifndef HISTORY_FILE_H
#define HISTORY_FILE_H

#include <stdbool.h>
#include "error.h"
#include "line_edit.h"
#include "state_file.h"

enum { HISTORY_VERSION = 1 };

// The newest lines of the file; none when it cannot be read. Lines that nobody can have typed are
// left out.
void history_file_read(const char *path, History *history);

// Adds a line to what the file says now, so that programs at the same time keep each other's. False
// with a sentence; the file is then as it was.
bool history_file_add(const char *path, const char *line, Error *err);

// What a file is like, for somebody who looks after it.
typedef struct HistoryState {
    int version;                  // of the file; 0: it has no line that tells
    int typed, others, not_typed; // lines: typed, of newer versions, broken
} HistoryState;
bool history_file_look(const char *path, HistoryState *state, Error *err);

#endif
