// What the files of progress share with each other: a line of the file, and how the file is changed.
#ifndef PROGRESS_INTERNAL_H
#define PROGRESS_INTERNAL_H

#include <stdio.h>
#include "progress.h"

// A line: three texts between tabs.
typedef struct ProgressFields {
    const char *word, *name, *value; // live as long as the progress
} ProgressFields;

// Changes what was read, in memory.
typedef bool ProgressChange(Progress *progress, const void *what, Error *err);

// Reads the file, lets `change` change it and replaces it, under the lock.
bool progress_change(const char *path, ProgressChange *change, const void *what, Error *err);

// Makes the folders that a file of the person's state lies in.
bool progress_make_folders(const char *path, Error *err);

// The lines about exercises; a line about something else is left alone.
bool progress_take_exercise(Progress *progress, const ProgressFields *fields, Error *err);
void progress_write_exercises(const Progress *progress, FILE *out);

#endif
