// Writes a file completely or not at all: unnamed, or under a temporary name, until every byte is on disk. A
// full disk or a killed program leaves the old file unchanged. The file keeps its mode, its owner if possible,
// and its hard links; a symbolic link keeps its target. A stream (/dev/stdout, a pipe) gets the bytes at the
// end.
//
// A file with hard links, or in a folder where none can be created, is overwritten in place once all bytes
// exist and fit, with signals blocked. Only a kill or power cut in those milliseconds can damage it.
//
// new_file_write does all of it. Life cycle otherwise: new_file_begin; write the file called `temporary`; new_file_keep or new_file_drop.
#ifndef NEW_FILE_H
#define NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include "arena.h"
#include "error.h"
#include "place.h"

typedef struct NewFile {
    const char *path;      // as the user wrote it
    const char *target;    // the target of a symbolic link; else the same
    const char *temporary; // a path to open for writing; empty
    const char *folder;    // of the target
    bool is_stream, is_there, in_place;
    bool only_new;   // keeping fails if the file exists
    struct stat old; // of the existing file
    int nameless;    // descriptor of an unnamed file; -1: it has a name
    Temporary named; // that name; an unnamed file gets it only briefly
    Arena *arena;
} NewFile;

// True if the path is neither a file nor a folder, or is what another program has open: /dev/stdout.
bool new_file_is_stream(const char *path);

// Also removes what killed programs left in that folder.
bool new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err);

// The same for a file that must not exist yet, even if another process creates it meanwhile.
bool new_file_begin_new(NewFile *file, const char *path, Arena *arena, Error *err);

// Flushes the file and renames it. On failure the temporary is removed.
bool new_file_keep(NewFile *file, Error *err);

void new_file_drop(NewFile *file);

// Begins, writes and keeps a file. Returns false and sets err on failure; if `write` returns false, it has set
// err, and no file appears.
typedef bool NewFileWrite(const void *what, FILE *out, Error *err);
bool new_file_write(const char *path, NewFileWrite *write, const void *what, Error *err);

// The same for these bytes, and if `only_new` for a file that must not exist yet.
bool new_file_write_bytes(const char *path, bool only_new, const void *bytes, size_t length,
                          Error *err);

#endif
