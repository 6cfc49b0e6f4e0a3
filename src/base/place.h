// The program's files: where they are, and temporary ones.
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "error.h"

// --- places
//
// Finds lessons, libraries for learners' functions and helper programs relative to the running program, so
// that a tree can be moved as a whole. No path of the build machine is compiled in, where somebody else
// could create it.
//
//             a build folder                        what `meson install` makes, for example
//   programs  attnscope-judge                       libexec/attnscope/attnscope-judge
//   libraries lessons/exercises/libworker-score.a   lib/attnscope/libworker-score.a
//   lessons   source/lessons                        share/attnscope/lessons
//
// `source` is a link to the source folder. attnscope itself is next to attnscope-judge in a build folder,
// and in `bin` when installed.

enum { PLACE_PATH_MAX = 4096 };

typedef enum Place {
    PLACE_PROGRAMS,
    PLACE_LIBRARIES, // or ATTNSCOPE_WORKERS
    PLACE_LESSONS,   // or ATTNSCOPE_LESSONS
} Place;

// Call first in main with argv[0], for systems that do not tell a program its path. A relative path is
// resolved now, before the current folder changes.
void place_begin(const char *argument);

// The running program's path with links resolved, or "" if unknown. Returns `path`.
const char *place_self(char path[PLACE_PATH_MAX]);

// The folders of a place in search order: from the environment, then from the tree. False past the last.
bool place_folder(Place place, int number, char path[PLACE_PATH_MAX]);

// Finds `name` in a place: "scenarios", "attnscope-judge". Returns false and sets err if no folder has it.
bool place_find(Place place, const char *name, char path[PLACE_PATH_MAX], Error *err);

// The path of a helper program (place_programs.def): from the environment, or from the tree. Returns false
// and sets err if it cannot be run.
bool place_program(const char *name, char path[PLACE_PATH_MAX], Error *err);

// Sets err: no `what` in the folders of this place, and what to do. Returns false.
bool place_missing(Place place, const char *what, Error *err);

// --- temporaries
//
// Files and folders that must not outlive the process. Their names contain its number
// (".attnscope-PID-NUMBER.new", ".attnscope-PID-NUMBER.dir"), and they are locked while it runs. A process
// ended by a signal removes its own; those of a killed one are removed by the next sweep of that folder.
//
// Life cycle: temporary_file or temporary_folder; temporary_drop, or rename it and temporary_forget.
// One thread at a time.

typedef struct Temporary {
    const char *path; // valid until dropped or forgotten; NULL: none
    int descriptor;   // of a file, for reading and writing; -1 for a folder
    int slot;
} Temporary;

enum { TEMPORARY_PATH_MAX = 4096 };

// $TMPDIR, or /tmp.
const char *temporary_place(void);

// Creates one in an existing folder. Returns false and sets errno on failure.
bool temporary_file(Temporary *temporary, const char *folder, mode_t mode);
bool temporary_folder(Temporary *temporary, const char *folder);

// Names an unnamed file (O_TMPFILE) as a temporary of this process. Returns false and sets errno on failure.
bool temporary_name(Temporary *temporary, int nameless, const char *folder);

// Removes it, a folder with its contents. Does nothing for a zeroed or forgotten one.
void temporary_drop(Temporary *temporary);

// Call after renaming it: it stays.
void temporary_forget(Temporary *temporary);

// --- leftovers

// What ended processes left in a folder.
typedef struct TemporaryLeft {
    int count;
    size_t bytes; // of files; contents of folders are not counted
} TemporaryLeft;

// Counts the leftovers of this user's processes in a folder, and removes them if `removes`. Only these names
// count, and only if the process is gone and nobody holds the lock.
TemporaryLeft temporary_sweep(const char *folder, bool removes);

// --- signals

// Registers a child that works in one of our folders and ends when `lifeline` is closed. A signal closes it
// and waits for the child before removing anything. 0 unregisters; one at a time.
void temporary_helper(pid_t process, int lifeline);

// SIGINT, SIGTERM and SIGHUP then remove temporaries before they end the program (ignored signals stay
// ignored). Exceeding the file size limit becomes a write error. Call once, at the start.
void temporary_watch_signals(void);

#endif
