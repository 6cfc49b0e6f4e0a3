// The folder of built programs. A program's name is a digest of everything it was made from, so that
// the same file is compiled once; the compiler's words are kept beside it.
#ifndef WORKER_CACHE_H
#define WORKER_CACHE_H

#include "worker.h"

typedef struct WorkerCache {
    char folder[WORKER_PATH_MAX];
    char name[72];               // the digest
    char build[WORKER_PATH_MAX]; // a folder of our own while we compile; "" before and after
} WorkerCache;

// Works out the name from the source, the headers beside it, attnscope.h, the library that calls it,
// the compiler and `flags`. False with a sentence when one of them cannot be read.
bool worker_cache_open(WorkerCache *cache, const WorkerBuild *build, const char *compiler,
                       const char *library, const char *flags, Error *err);

// True when the program is there already; `program` then has its path and the compiler's words.
bool worker_cache_find(const WorkerCache *cache, WorkerProgram *program);

// Makes the folder to compile in; the program is to be called "program" there.
bool worker_cache_begin(WorkerCache *cache, Error *err);

// Gives what was built its name, and the words that belong to it; throws the oldest programs away.
bool worker_cache_keep(WorkerCache *cache, WorkerProgram *program, Error *err);

// Takes the folder away, with all that is in it.
void worker_cache_end(WorkerCache *cache);

#endif
