// Building a learner's program: the copy of a submission, the toolchain, the cache of programs.
#ifndef WORKER_BUILD_H
#define WORKER_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "error.h"
#include "place.h"
#include "worker.h"

// --- worker_source.c: a learner's file and its includes, in memory
//
// The copy has every file of the submission's folder that the source names, directly or through another.
// A file outside that folder, or one that is not a plain file, is recorded as a refusal, so that the error
// can name it.
//
// Life cycle: worker_copy_open; worker_copy_mix, worker_copy_write; worker_copy_close in any case.

enum { COPY_FILES_MAX = 256, COPY_FILE_BYTES_MAX = 1 << 20 };

typedef struct CopyFile {
    const char *path;    // below the submission's folder: "exercises/scale.c"
    const char *refusal; // why it is not allowed: "is a link that leads out of ..."; NULL: allowed
    bool belongs, was_searched;
    unsigned char *bytes; // if allowed
    size_t length;
} CopyFile;

typedef struct WorkerCopy {
    const char *root;               // the submission's folder, canonical
    const char *shown;              // prefix of paths in messages: "anna/", ""
    CopyFile files[COPY_FILES_MAX]; // the learner's file first
    int count;
    size_t bytes; // total of the allowed files without the learner's
    Arena arena;
} WorkerCopy;

// Reads the source and its includes. Returns false and sets err if the source is unreadable or outside its
// folder.
bool worker_copy_open(WorkerCopy *copy, const WorkerBuild *build, Error *err);
void worker_copy_close(WorkerCopy *copy);

// Writes the allowed files into `folder`, which exists and is empty.
bool worker_copy_write(const WorkerCopy *copy, const char *folder, Error *err);

// Writes a file that must not exist yet.
bool worker_write_file(const char *path, const void *bytes, size_t length, Error *err);

// --- worker_source.c: #include lines
//
// The sandbox would stop a forbidden include, but only the text tells which file asked, and where.

// Removes #line directives from the copy, so that compilers, sanitizers and debuggers report places in the
// files as handed in. Normalises line ends, so call it first.
void worker_includes_place(WorkerCopy *copy);

// Checks all includes. Returns false for one outside the submission: `line` is an error line as a compiler
// writes it ("anna/exercises/scale.c:1: error: ..."), err the message.
bool worker_includes_check(const WorkerCopy *copy, char line[WORKER_TEXT_MAX], Error *err);

// --- worker_place.c: what a sandboxed compiler may read
//
// Besides the system's headers and libraries: its own programs, and folders of a compiler installed
// elsewhere.

enum { TOOLCHAIN_MAX = 64 };

typedef struct Toolchain {
    char *paths[TOOLCHAIN_MAX + 1]; // files and folders; NULL ends them
    int count;
    Arena arena;
} Toolchain;

// Finds what this compiler (a path) needs. ATTNSCOPE_TOOLCHAIN may name more folders, separated by colons.
// Returns false and sets err without memory; close it in any case.
bool toolchain_open(Toolchain *toolchain, const char *compiler, Error *err);
void toolchain_close(Toolchain *toolchain);

// True if a file, by its canonical path, belongs to the system or the compiler.
bool toolchain_owns(const Toolchain *toolchain, const char *path);

// --- worker_cache.c: the cache of built programs
//
// A program's name is a digest of everything known before compiling, so the same file is compiled once. A
// record next to it has the program's own digest (to detect damage), the other files read, the compiler's
// sandbox and its output, in which CACHE_COPY stands for the submission.

// Names in the folder that the compiler runs in.
#define CACHE_COPY "handed-in"  // the submission
#define CACHE_HEADER "header"   // attnscope.h
#define CACHE_SCRATCH "scratch" // the only writable folder
#define CACHE_PROGRAM CACHE_SCRATCH "/program"
#define CACHE_READ CACHE_SCRATCH "/read" // the files that it read, in make's format

typedef struct CacheMade {
    const WorkerBuild *build;
    const WorkerCopy *copy;
    const Toolchain *toolchain;
    const char *compiler, *library; // paths
} CacheMade;

typedef struct WorkerCache {
    char folder[WORKER_PATH_MAX];
    char name[WORKER_DIGEST_MAX]; // the digest
    char build[WORKER_PATH_MAX];  // a temporary folder while compiling; "" otherwise
    Temporary own;                // the same, removed on a signal
} WorkerCache;

// Computes the name. Returns false and sets err if something cannot be read.
bool worker_cache_open(WorkerCache *cache, const CacheMade *made, Error *err);

// The submission's path in a program: real for debuggers; otherwise ".", so that equal files share one
// program.
const char *worker_cache_root(const CacheMade *made);

// True if the program exists, is undamaged, and its inputs have not changed; fills `program`.
bool worker_cache_find(const WorkerCache *cache, WorkerProgram *program);

// Whether this linker is noted to fail with the compiler when gcc starts it by quick specs, and the note, which
// holds until one of the two changes, for a day at most.
bool worker_cache_link_fails(const WorkerCache *cache, const CacheMade *made, const char *linker);
void worker_cache_note_link_fails(const WorkerCache *cache, const CacheMade *made,
                                  const char *linker);

// Creates the folder to compile in, with copies of the submission and attnscope.h.
bool worker_cache_begin(WorkerCache *cache, const CacheMade *made, Error *err);

// Renames the result to its name, writes the record, deletes the oldest programs. Returns false and sets
// err and `program->end` if the compiler read a file that is neither the submission's nor the system's.
bool worker_cache_keep(WorkerCache *cache, const CacheMade *made, WorkerProgram *program,
                       Error *err);

// Deletes the temporary folder.
void worker_cache_end(WorkerCache *cache);

// A digest of all inputs, independent of paths: the submission's files, the exercise's library,
// attnscope.h, the compiler. Returns false and sets err if something cannot be read.
bool worker_digest_mix(char digest[WORKER_DIGEST_MAX], const CacheMade *made, Error *err);

// The state of the cache.

typedef struct WorkerCacheState {
    char folder[WORKER_PATH_MAX];
    int programs;
    size_t bytes; // of all files
    int damaged;  // truncated or broken programs; they would be rebuilt
} WorkerCacheState;

// Checks every program; removes damaged ones if `removes`. Returns false and sets err if there is no such
// folder and none can be made.
bool worker_cache_look(WorkerCacheState *state, bool removes, Error *err);

#endif
