// A folder for the files that a test writes, made before and gone after every test that has
// scratch_open and scratch_close as its checked fixture.
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

void scratch_open(void);
void scratch_close(void);

// The path of `name` in the folder, in a static buffer of four turns.
const char *scratch_path(const char *name);

// Writes a file of these bytes there; its path.
const char *scratch_write(const char *name, const void *bytes, size_t length);

// Makes a folder of this name there; its path.
const char *scratch_folder(const char *name);

// The whole file, for the caller to free.
unsigned char *scratch_read(const char *path, size_t *length);

// How many files the folder holds.
int scratch_count(void);

#endif
