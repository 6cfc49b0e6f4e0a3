// A file that somebody edits, and whether it holds other bytes than before. The system's notifications
// are used where a probe finds that they come, and the file is looked at from time to time in any
// case: some file systems never notify, others only of what this machine does. Only bytes count, never
// dates; a file that is just being replaced is waited for.
//
// Life cycle: file_watch_open; wait for the descriptor or until file_watch_milliseconds have passed;
// file_watch_changed; and so on; file_watch_close.
#ifndef FILE_WATCH_H
#define FILE_WATCH_H

#include "arena.h"
#include "digest.h"
#include "error.h"

typedef enum FileWatchWay { FILE_WATCH_NOTIFIED, FILE_WATCH_POLLED } FileWatchWay;

typedef struct FileWatch {
    const char *path;
    FileWatchWay way;
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
