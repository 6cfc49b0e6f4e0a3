// The folder of built programs. A program's name is a digest of everything it was made from that is
// known before the compiler runs, so that the same file is compiled once. Beside it lies its record:
// the program's own digest, which finds damage, the other files that were read, what held the compiler,
// and its words, which name the copies (CACHE_COPY).
#ifndef WORKER_CACHE_H
#define WORKER_CACHE_H

#include "temporary.h"
#include "worker.h"
#include "worker_copy.h"
#include "worker_toolchain.h"

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

// --- worker_digest.c

// One digest of what `digest` holds already and of a text.
void worker_digest_text(char digest[WORKER_DIGEST_MAX], const char *text);

// The same of everything that a program is made from, wherever it lies: what belongs to it of what was
// handed in, the exercise's library, attnscope.h, the compiler and its family. False with a sentence
// where something cannot be read.
bool worker_digest_mix(char digest[WORKER_DIGEST_MAX], const CacheMade *made, Error *err);

// --- worker_record.c

// Writes the record of a program. False where it cannot be written; refuses as worker_cache_keep.
bool worker_record_write(const char *path, const WorkerCache *cache, const CacheMade *made,
                         WorkerProgram *program, Error *err);

// Reads it. False when the program is not what was built, or something that it was made from is not
// what it was.
bool worker_record_read(const char *path, WorkerProgram *program);

#endif
