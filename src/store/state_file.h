// What is kept from one run to the next.
#ifndef STATE_FILE_H
#define STATE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "arena.h"
#include "error.h"
#include "line_edit.h"

// --- a text file
//
// A small text file of the person's own, kept from one run to the next in $XDG_STATE_HOME/attnscope or
// ~/.local/state/attnscope. Several programs note things in it at once; newer ones and older ones.
//
// To change it: state_file_lock, state_file_read, state_file_write, state_file_unlock. A program that
// is killed meanwhile leaves the old file or the new one, and no lock. Whatever else lies in its
// place (a pipe, a device, a folder) is a sentence, and is never waited for.

enum { STATE_PATH_MAX = 4096, STATE_BYTES_MAX = 4 << 20 };

// Where the file of this name is. False with a sentence when there is no home for it.
bool state_file_path(const char *name, char path[STATE_PATH_MAX], Error *err);

// Makes the folders that a file of the person's state lies in.
bool state_file_make_folders(const char *path, Error *err);

// --- reading

typedef struct StateLine {
    char *text;    // zero behind it, where it may be cut further
    size_t length; // a line may hold anything, a zero byte too
    bool is_text;  // UTF-8 without control characters, but tabs
} StateLine;

typedef struct StateText {
    StateLine *lines; // without the empty ones; in the arena
    int count;
} StateText;

// The whole file; one that is not there is empty.
bool state_file_read(const char *path, Arena *arena, StateText *text, Error *err);

// --- changing

// The lock, whose holder alone changes the file; -1 with a sentence. It ends with the process. Another
// program's is waited for, but not for ever.
int state_file_lock(const char *path, Error *err);
void state_file_unlock(int lock);

// Replaces the file by what `write` prints.
typedef void StateWrite(const void *what, FILE *out);
bool state_file_write(const char *path, StateWrite *write, const void *what, Error *err);

// --- the lines typed at the prompt
//
// The lines typed at the prompt, kept from one run to the next (state_file.h): the oldest first, as
// they were typed. A line that begins with a tab is none: the first says which version wrote the
// file, others belong to newer versions and are kept as they are.

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
