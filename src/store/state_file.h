// The user's state, kept between runs.
#ifndef STATE_FILE_H
#define STATE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "arena.h"
#include "error.h"
#include "line_edit.h"

// --- a text file
//
// Small text files in $XDG_STATE_HOME/attnscope or ~/.local/state/attnscope, which several programs of
// different versions may change at once.
//
// To change one: state_file_lock, state_file_read, new_file_write, state_file_unlock. A killed program
// leaves the old or the new file, and no lock. Anything but a file at that path is an error; nothing waits for
// it.

enum { STATE_PATH_MAX = 4096, STATE_BYTES_MAX = 4 << 20 };

// Sets the path of a state file. Returns false and sets err if there is no home directory.
bool state_file_path(const char *name, char path[STATE_PATH_MAX], Error *err);

// The same for what can be made again: in $XDG_CACHE_HOME/attnscope or ~/.cache/attnscope.
bool cache_file_path(const char *name, char path[STATE_PATH_MAX], Error *err);

// Creates the folders of a file; of a path that ends in '/' all. Returns false and sets err and errno.
bool state_file_make_folders(const char *path, Error *err);

// --- reading

typedef struct StateLine {
    char *text;    // NUL-terminated; may be cut further
    size_t length; // a line may hold any bytes, also NUL
    bool is_text;  // UTF-8 without control characters except tabs
} StateLine;

typedef struct StateText {
    StateLine *lines; // without empty ones; in the arena
    int count;
} StateText;

// Reads the whole file; a missing one is empty.
bool state_file_read(const char *path, Arena *arena, StateText *text, Error *err);

// --- changing

// Takes the lock, waiting for other programs for a limited time. Returns -1 and sets err on failure. It ends
// with the process.
int state_file_lock(const char *path, Error *err);
void state_file_unlock(int lock);

// Writes all bytes, continuing after signals. Returns false and sets errno.
bool file_write_all(int to, const char *bytes, size_t count);

// --- the lines typed at the prompt
//
// Oldest first, as typed. Lines that begin with a tab are not input: the first one has the file's version,
// others belong to newer versions and are kept.

enum { HISTORY_VERSION = 1 };

// Reads the newest lines; none if the file is unreadable. Skips lines that cannot have been typed.
void history_file_read(const char *path, History *history);

// Appends a line to the current file, keeping those of other programs. Returns false and sets err; the file
// is then unchanged.
bool history_file_add(const char *path, const char *line, Error *err);

// A summary for `doctor`.
typedef struct HistoryState {
    int version;                  // 0: none given
    int typed, others, not_typed; // lines: typed, of newer versions, broken
} HistoryState;
bool history_file_look(const char *path, HistoryState *state, Error *err);

#endif
