// A file that is written whole or not at all: under no name, or a temporary one, until every byte is
// on the disk. A full disk or a killed program leaves the old file as it was. The file keeps its
// mode, its owner where that is possible, and its other names (hard links); a symbolic link goes on
// leading to the file that it led to. What is no file and stays itself when one writes to it
// (/dev/stdout, a pipe) is given the bytes at the end.
//
// A file with several names, and one in a folder that takes no new files, can only be written in
// place. That happens when all bytes are there and have room, with signals held back: only a kill or
// a power cut within those milliseconds leaves it in pieces.
//
// Life cycle: new_file_begin; write the file called `temporary`; new_file_keep or new_file_drop.
#ifndef NEW_FILE_H
#define NEW_FILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include "arena.h"
#include "error.h"
#include "place.h"

typedef struct NewFile {
    const char *path;      // as the person calls it
    const char *target;    // where a symbolic link of that name leads; else the same
    const char *temporary; // a path to open for writing; empty, and nobody else's
    const char *folder;    // that the target lies in
    bool is_stream, is_there, in_place;
    bool only_new;   // what is there stays, and keeping fails
    struct stat old; // of a file that is there
    int nameless;    // the descriptor of a file without a name; -1: it has one
    Temporary named; // that name; a nameless one gets it only for a moment
    Arena *arena;
} NewFile;

// Whether the path leads to something that is neither a file nor a folder, or to what another program
// has open: /dev/stdout.
bool new_file_is_stream(const char *path);

// Removes first what killed programs have left in that folder.
bool new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err);

// The same for a file that must not be there yet, even when somebody else makes it meanwhile.
bool new_file_begin_new(NewFile *file, const char *path, Arena *arena, Error *err);

// Puts the bytes on the disk and gives them their name. When that fails the temporary is gone.
bool new_file_keep(NewFile *file, Error *err);

void new_file_drop(NewFile *file);

#endif
