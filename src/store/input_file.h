// A file of the person's, opened for reading: errors in sentences, and never a folder or a pipe
// where a file was meant.
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "error.h"

// A descriptor for the caller to close, and the file's length in bytes. -1 with a sentence.
int input_file_open(const char *path, size_t *length, Error *err);

// Fills `bytes` with `count` bytes from `offset`. False when they are not all there.
bool input_file_read(int descriptor, const char *path, size_t offset, unsigned char *bytes,
                     size_t count, Error *err);

// The whole file in the arena; refused when it is longer than `limit`.
bool input_file_all(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                    size_t *length, Error *err);

// The same of what somebody wrote in an editor: UTF-16 with its mark, as Windows editors may save it, becomes
// UTF-8. Without the mark it stays as it is: input_file_is_wide tells such text.
bool input_file_source(const char *path, size_t limit, Arena *arena, unsigned char **bytes,
                       size_t *length, Error *err);
bool input_file_is_wide(const unsigned char *bytes, size_t length);

// The same as a text, NULL with a sentence. A NUL byte in it is a blank, as it is to compilers: it would
// hide all that stands behind it.
char *input_file_text(const char *path, size_t limit, Arena *arena, Error *err);

#endif
