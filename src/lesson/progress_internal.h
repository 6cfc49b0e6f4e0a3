// What the files of progress share with each other: a line of the file, and how the file is changed.
#ifndef PROGRESS_INTERNAL_H
#define PROGRESS_INTERNAL_H

#include <stdio.h>
#include "progress.h"
#include "state_file.h"

// A line: three texts between tabs.
typedef struct ProgressFields {
    const char *word, *name, *value; // live as long as the progress
} ProgressFields;

// Where the next line of each kind goes while a file is read.
typedef struct ProgressReader {
    Progress *progress;
    ProgressLine **lines;
    ProgressCheck **checks;
    ProgressHint **hints;
    ProgressOther **others;
} ProgressReader;

// Changes what was read, in memory.
typedef bool ProgressChange(Progress *progress, const void *what, Error *err);

// Reads the file, lets `change` change it and replaces it, under the lock.
bool progress_change(const char *path, ProgressChange *change, const void *what, Error *err);

// The lines about exercises. `known`: it is one of them, and right.
bool progress_take_exercise(ProgressReader *reader, const ProgressFields *fields, bool *known,
                            Error *err);
void progress_write_exercises(const Progress *progress, FILE *out);

#endif
