// A learner's file and what belongs to it, read into memory: what a compiler may see of a submission.
//
// What belongs to it are files of the submission's folder whose names stand in its text, or in the
// text of one that does. What leads out of that folder, or is no plain file, is kept as a refusal, so
// that whoever includes it can be told.
//
// Life cycle: worker_copy_open; worker_copy_mix, worker_copy_write; worker_copy_close in any case.
#ifndef WORKER_COPY_H
#define WORKER_COPY_H

#include "arena.h"
#include "worker.h"

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

// What is in the way of `path`, below the submission's folder: the refusal of that file or of a folder
// that leads to it; NULL: nothing.
const CopyFile *worker_copy_refused(const WorkerCopy *copy, const char *path);

// The file of that path; NULL when the submission has none.
const CopyFile *worker_copy_find(const WorkerCopy *copy, const char *path);

#endif
