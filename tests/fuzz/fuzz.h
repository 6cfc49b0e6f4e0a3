// What the fuzz targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput: it hands
// the bytes to one reader, and ends the program where what must hold does not. FUZZ.md tells how to
// run, minimise and add.
//
// While a target runs, no arena takes more than a few megabytes, and no file is written but in the
// folder of fuzz_path: see fuzz_hold.c.
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

// In the replay, which holds all targets, each has its own name.
#ifdef FUZZ_TARGET
#define LLVMFuzzerTestOneInput FUZZ_TARGET
#endif

// The target: what fuzzers and the replay call, with bytes that end where the memory ends. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the program with the sentence unless it holds, so that a fuzzer keeps the input.
void fuzz_must(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What was refused must say why: a sentence without control characters.
void fuzz_refused(const Error *err);

// The path of a file in a folder of this process alone, gone when it ends; in four static buffers.
const char *fuzz_path(const char *name);

// Whether the path lies in that folder.
bool fuzz_is_ours(const char *path);

// Writes a file of these bytes there; its path.
const char *fuzz_write(const char *name, const void *bytes, size_t size);

// A whole file, with a NUL behind it, for the caller to free.
char *fuzz_read(const char *path, size_t *size);

// Both files hold the same bytes.
void fuzz_same_files(const char *path, const char *other);

// Cuts the next line (or what is left) off the bytes, without its end, as text of at most room - 1
// bytes that ends at its first NUL. False when nothing is left.
bool fuzz_line(const uint8_t **data, size_t *size, char *text, size_t room);

#endif
