// Files of the person's: opened for reading, and watched.
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "digest.h"
#include "error.h"

// --- reading
//
// A file of the person's, opened for reading: errors in sentences, and never a folder or a pipe
// where a file was meant.

// A descriptor for the caller to close, and the file's length in bytes. -1 with a sentence.
int input_file_open(const char *path, size_t *length, Error *err);

// Fills `bytes` with `count` bytes from `offset`. False when they are not all there.
bool input_file_read(int descriptor, const char *path, size_t offset, unsigned char *bytes,
                     size_t count, Error *err);

// The whole file in the arena; refused when it is longer than `limit`.
bool input_file_all(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                    size_t *length, Error *err);

// The same of what somebody wrote in an editor: UTF-16 with its mark, as Windows editors may save it, becomes
// UTF-8. Without the mark it stays as it is: input_file_is_wide tells such text.
bool input_file_source(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                       size_t *length, Error *err);
bool input_file_is_wide(const unsigned char *bytes, size_t length);

// The same as a text, NULL with a sentence. A NUL byte in it is a blank, as it is to compilers: it would
// hide all that stands behind it.
char *input_file_text(const char *path, size_t limit, Arena *arena, Error *err);

// --- watching
//
// A file that somebody edits, and whether it holds other bytes than before. The system's notifications
// are used where a probe finds that they come, and the file is looked at from time to time in any
// case: some file systems never notify, others only of what this machine does. Only bytes count, never
// dates; a file that is just being replaced is waited for.
//
// Life cycle: file_watch_open; wait for the descriptor or until file_watch_milliseconds have passed;
// file_watch_changed; and so on; file_watch_close.

typedef enum FileWatchMode { FILE_WATCH_NOTIFIED, FILE_WATCH_POLLED } FileWatchMode;

typedef struct FileWatch {
    const char *path;
    FileWatchMode mode;
    int descriptor;                // to wait for; -1: nothing comes
    char digest[DIGEST_TEXT_MAX];  // of the bytes that the caller knows
    char pending[DIGEST_TEXT_MAX]; // seen once: taken for whole when it is seen again; "": none
} FileWatch;

// Begins with the bytes that are there now. `may_notify` false: only by looking. `path` is copied.
// False, with the size, when there is no memory.
bool file_watch_open(FileWatch *watch, const char *path, bool may_notify, Arena *arena, Error *err);

// How long to wait at most before looking again.
int file_watch_milliseconds(const FileWatch *watch);

// Looks. True when the file holds other bytes than when this was true last, or at the beginning.
bool file_watch_changed(FileWatch *watch);

void file_watch_close(FileWatch *watch);

#endif
