// Files of the program: where they are, and those that are not whole yet.
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "error.h"

// --- places
//
// Where the things lie that belong to the program: lessons, libraries for learners' functions, the
// programs that nobody starts by hand. They are found from where the running program lies, so that a
// tree may be moved as a whole; no folder of the machine that built it is compiled in, where somebody
// else might make it anew.
//
//             a build folder                        what `meson install` makes, for example
//   programs  attnscope-judge                       libexec/attnscope/attnscope-judge
//   libraries lessons/exercises/libworker-score.a   lib/attnscope/libworker-score.a
//   lessons   source/lessons                        share/attnscope/lessons
//
// `source` is a link to the folder that holds the source. In a build folder attnscope lies beside
// attnscope-judge; installed, in `bin`.

enum { PLACE_PATH_MAX = 4096 };

typedef enum Place {
    PLACE_PROGRAMS,
    PLACE_LIBRARIES, // ATTNSCOPE_WORKERS in the environment names another folder
    PLACE_LESSONS,   // ATTNSCOPE_LESSONS likewise
} Place;

// What main calls first, with argv[0]: for systems that do not tell a program where it lies. Such a
// path may begin in the current folder, which is another one later.
void place_begin(const char *argument);

// The path of the running program, links followed; "" where nobody knows. Returns `path`.
const char *place_self(char path[PLACE_PATH_MAX]);

// The folders of a place, in the order in which they are looked into: the environment's, the tree's.
// False beyond the last.
bool place_folder(Place place, int number, char path[PLACE_PATH_MAX]);

// The path of what is called `name` in a place: "scenarios", "attnscope-judge". False with a sentence
// when it is in none of the folders.
bool place_find(Place place, const char *name, char path[PLACE_PATH_MAX], Error *err);

// The path of one of the programs that nobody starts by hand (place_programs.def): the one that the
// environment names in its place, or the tree's. False with a sentence when it cannot be run.
bool place_program(const char *name, char path[PLACE_PATH_MAX], Error *err);

// Says that there is no `what` in the folders of a place, and what to do; returns false.
bool place_missing(Place place, const char *what, Error *err);

// --- temporaries
//
// What the program writes before it is whole: files and folders that must not stay behind.
//
// Each carries the process in its name (".attnscope-PID-NUMBER.new", ".attnscope-PID-NUMBER.dir") and
// is locked as long as that process works on it. One that ends by a signal takes its own away; what
// is left by one that was killed, the next sweep of that folder knows and removes.
//
// Life cycle: temporary_file or temporary_folder; temporary_drop, or rename it and temporary_forget.
// One thread at a time.

typedef struct Temporary {
    const char *path; // lives until it is dropped or forgotten; NULL: there is none
    int descriptor;   // a file's, for reading and writing; -1: a folder's is kept to itself
    int slot;
} Temporary;

enum { TEMPORARY_PATH_MAX = 4096 };

// Where temporaries lie that have no place of their own: $TMPDIR, or /tmp.
const char *temporary_place(void);

// Makes one in a folder that exists. False with errno set, and nothing made.
bool temporary_file(Temporary *temporary, const char *folder, mode_t mode);
bool temporary_folder(Temporary *temporary, const char *folder);

// Gives a file without a name (O_TMPFILE) one that belongs to this process. False with errno set.
bool temporary_name(Temporary *temporary, int nameless, const char *folder);

// Removes it, a folder with all that is in it. A zeroed or forgotten one is no error.
void temporary_drop(Temporary *temporary);

// It has another name now, and stays.
void temporary_forget(Temporary *temporary);

// --- what others left

// What a folder holds of processes that are gone.
typedef struct TemporaryLeft {
    int count;
    size_t bytes; // of files; those in folders are not counted
} TemporaryLeft;

// Looks through a folder for what processes of the same user have left, and removes it when asked to.
// Only these names count, and only where the process is gone and nobody holds the lock.
TemporaryLeft temporary_sweep(const char *folder, bool removes);

// --- signals

// Another process works in a folder of ours, and ends when `lifeline` is closed here: a signal closes
// it and waits for that before it removes anything, as it would make files anew. 0: no longer. One at
// a time.
void temporary_helper(pid_t process, int lifeline);

// From now on SIGINT, SIGTERM and SIGHUP remove what is half written before they end the program
// (those that are ignored stay so); a file that grows beyond the limit is an error of the write, and
// no longer the end. For programs to call once, at their beginning.
void temporary_watch_signals(void);

#endif
