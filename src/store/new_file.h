// A file that is written whole or not at all: under a temporary name beside its own, which it takes
// only when every byte is on the disk. A full disk or a killed program leaves the old file as it
// was. What is no file and stays itself when one writes to it (/dev/stdout, a pipe) is given the
// bytes at the end; a symbolic link goes on leading to the file that it led to.
//
// Life cycle: new_file_begin; write the file called `temporary`; new_file_keep or new_file_drop.
#ifndef NEW_FILE_H
#define NEW_FILE_H

#include <stdbool.h>
#include "arena.h"
#include "error.h"

typedef struct NewFile {
    const char *path;      // as the person calls it
    const char *target;    // where a symbolic link of that name leads; else the same
    const char *temporary; // exists, empty, and belongs to nobody else
} NewFile;

// Whether the path leads to something that is neither a file nor a folder, or to what another program
// has open: /dev/stdout.
bool new_file_is_stream(const char *path);

bool new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err);

// Puts the bytes on the disk and gives them their name. When that fails the temporary is gone.
bool new_file_keep(NewFile *file, Error *err);

void new_file_drop(NewFile *file);

#endif
