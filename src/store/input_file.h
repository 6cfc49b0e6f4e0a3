// Reads and watches a user's files.
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "digest.h"
#include "error.h"

// --- reading: plain files only, no folders or pipes

// Opens a file and sets its length. The caller closes the descriptor. Returns -1 and sets err on failure.
int input_file_open(const char *path, size_t *length, Error *err);

// Reads `count` bytes at `offset`. Returns false and sets err if the file is shorter.
bool input_file_read(int descriptor, const char *path, size_t offset, unsigned char *bytes,
                     size_t count, Error *err);

// Reads the whole file into the arena; fails if it is longer than `limit`.
bool input_file_all(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                    size_t *length, Error *err);

// The same for a text written in an editor: UTF-16 with a byte order mark becomes UTF-8. Without the mark it
// is unchanged; input_file_is_wide detects it.
bool input_file_source(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                       size_t *length, Error *err);
bool input_file_is_wide(const unsigned char *bytes, size_t length);

// The same as a string; NULL and err on failure. NUL bytes become blanks, as in compilers: they would hide the
// rest.
char *input_file_text(const char *path, size_t limit, Arena *arena, Error *err);

// --- watching
//
// Detects that a file's bytes changed. Uses system notifications if a probe shows that they work, and polls in
// any case: some file systems never notify, or only about changes by this machine. Dates do not count. Waits
// for a file that is being replaced.
//
// Life cycle: file_watch_open; wait for the descriptor or until file_watch_milliseconds have passed;
// file_watch_changed; and so on; file_watch_close.

typedef enum FileWatchMode { FILE_WATCH_NOTIFIED, FILE_WATCH_POLLED } FileWatchMode;

typedef struct FileWatch {
    const char *path;
    FileWatchMode mode;
    int descriptor;                // wait for it; -1: no notifications
    char digest[DIGEST_TEXT_MAX];  // of the bytes last reported
    char pending[DIGEST_TEXT_MAX]; // seen once; reported when seen again, as complete; "": none
} FileWatch;

// Starts with the file's current bytes. Copies `path`. Returns false and sets err without memory.
// may_notify = false: polls only.
bool file_watch_open(FileWatch *watch, const char *path, bool may_notify, Arena *arena, Error *err);

// How long to wait at most before polling.
int file_watch_milliseconds(const FileWatch *watch);

// Polls. Returns true if the bytes differ from those last reported.
bool file_watch_changed(FileWatch *watch);

void file_watch_close(FileWatch *watch);

#endif
