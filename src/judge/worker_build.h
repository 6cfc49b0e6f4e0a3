// Shared by the files that build a learner's program: the copy of a submission, the toolchain, the
// folder of built programs.
#ifndef WORKER_BUILD_H
#define WORKER_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "error.h"
#include "place.h"
#include "worker.h"

// --- worker_source.c: a learner's file and what it includes, in memory
//
// Files of the submission's folder whose names appear in its text, or in the text of one that does. A
// file outside that folder, or one that is no plain file, is kept as a refusal, so that whoever includes
// it can be told.
//
// Life cycle: worker_copy_open; worker_copy_mix, worker_copy_write; worker_copy_close in any case.

enum { COPY_FILES_MAX = 256, COPY_FILE_BYTES_MAX = 1 << 20 };

typedef struct CopyFile {
    const char *path;    // below the submission's folder: "exercises/scale.c"
    const char *refusal; // why it cannot belong: "is a link that leads out of ..."; NULL: it can
    bool belongs, was_searched;
    unsigned char *bytes; // of one that belongs
    size_t length;
} CopyFile;

typedef struct WorkerCopy {
    const char *root;               // the submission's folder, canonical
    const char *shown;              // what stands before a file's path for the person: "anna/", ""
    CopyFile files[COPY_FILES_MAX]; // the learner's file first
    int count;
    size_t bytes; // of what belongs, besides the learner's file
    Arena arena;
} WorkerCopy;

// Reads the source and what belongs to it. False with a sentence when the source itself cannot be
// read or leads out of its folder.
bool worker_copy_open(WorkerCopy *copy, const WorkerBuild *build, Error *err);
void worker_copy_close(WorkerCopy *copy);

// Writes what belongs below `folder`, which is there and empty.
bool worker_copy_write(const WorkerCopy *copy, const char *folder, Error *err);

// --- worker_source.c: what those files ask the compiler to read
//
// The fence would stop what leads out, but only the text tells who asked, and where.

// Takes out of the copy what says that it lies elsewhere (#line 1 "x.c"), so that the places which the
// compiler, sanitizers and debuggers tell are those of the files that were handed in. A line ends as all
// compilers have it from now on, so this comes first.
void worker_includes_place(WorkerCopy *copy);

// Looks through all that belongs. False when something is asked for that is not the submission's:
// `line` is a compiler's line about it ("anna/exercises/scale.c:1: error: ..."), `err` a sentence.
bool worker_includes_check(const WorkerCopy *copy, char line[WORKER_TEXT_MAX], Error *err);

// --- worker_places.c: what a fenced compiler may read
//
// Besides the system's headers and libraries: its own programs, and the folders of a compiler from elsewhere.

enum { TOOLCHAIN_MAX = 64 };

typedef struct Toolchain {
    char *paths[TOOLCHAIN_MAX + 1]; // files and folders; NULL ends them
    int count;
    Arena arena;
} Toolchain;

// Finds what belongs to this compiler, given as a path. ATTNSCOPE_TOOLCHAIN may name further folders,
// with a colon between. False with a sentence when there is no memory; close it in any case.
bool toolchain_open(Toolchain *toolchain, const char *compiler, Error *err);
void toolchain_close(Toolchain *toolchain);

// Whether a file, by its canonical path, is one of the system's or the compiler's own.
bool toolchain_owns(const Toolchain *toolchain, const char *path);

// --- worker_cache.c: the folder of built programs
//
// A program's name is a digest of everything it was made from that is known before the compiler runs, so
// that the same file is compiled once. Its record lies beside it: the program's own digest, which finds
// damage, the other files that were read, what held the compiler, and its words, which name the copies
// (CACHE_COPY).

// Where the compiler finds and leaves things, below the folder that it runs in.
#define CACHE_COPY "handed-in"  // what was handed in
#define CACHE_HEADER "header"   // attnscope.h
#define CACHE_SCRATCH "scratch" // the one folder that it may write to
#define CACHE_PROGRAM CACHE_SCRATCH "/program"
#define CACHE_READ CACHE_SCRATCH "/read" // the files that it has read, as for make

// What a program is made from.
typedef struct CacheMade {
    const WorkerBuild *build;
    const WorkerCopy *copy;
    const Toolchain *toolchain;
    const char *compiler, *library; // paths
} CacheMade;

typedef struct WorkerCache {
    char folder[WORKER_PATH_MAX];
    char name[WORKER_DIGEST_MAX]; // the digest
    char build[WORKER_PATH_MAX];  // a folder of our own while we compile; "" before and after
    Temporary own;                // the same, for a signal to remove
} WorkerCache;

// Works out the name. False with a sentence when something cannot be read.
bool worker_cache_open(WorkerCache *cache, const CacheMade *made, Error *err);

// What stands for the submission's folder in a program. A debugger has to find the files there; else it is
// ".", and one program serves everybody who hands in the same files.
const char *worker_cache_root(const CacheMade *made);

// True when the program is there already, whole, and nothing has changed that it was made from;
// `program` is then filled.
bool worker_cache_find(const WorkerCache *cache, WorkerProgram *program);

// Makes the folder to compile in, with copies of what was handed in and of attnscope.h.
bool worker_cache_begin(WorkerCache *cache, const CacheMade *made, Error *err);

// Gives what was built its name and its record; throws the oldest programs away. False with a sentence
// and `program->end` when something was read that is neither the submission's nor the system's.
bool worker_cache_keep(WorkerCache *cache, const CacheMade *made, WorkerProgram *program,
                       Error *err);

// Takes the folder away, with all that is in it.
void worker_cache_end(WorkerCache *cache);

// --- worker_cache.c

// The same of everything that a program is made from, wherever it lies: what belongs to it of what was
// handed in, the exercise's library, attnscope.h, the compiler and its family. False with a sentence
// where something cannot be read.
bool worker_digest_mix(char digest[WORKER_DIGEST_MAX], const CacheMade *made, Error *err);

// --- the folder of built programs
//
// The folder of built programs, seen by somebody who looks after it.

typedef struct WorkerCacheState {
    char folder[WORKER_PATH_MAX];
    int programs;
    size_t bytes; // of all files
    int damaged;  // programs that are cut off or none; they would be built again
} WorkerCacheState;

// Looks at every program; removes those that are damaged when asked to. False with a sentence when
// there is no such folder and none can be made.
bool worker_cache_look(WorkerCacheState *state, bool removes, Error *err);

#endif
