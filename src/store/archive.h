// Zip archives of tensors (.npz, PyTorch's .pt) from untrusted bytes, read with libzip. Checks what the
// directory says of an entry before inflating it.
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zip.h>
#include "error.h"
#include "words.h"

// For messages: the format, and what writes it.
typedef struct ArchiveFormat {
    const char *what;   // ".npz"
    const char *writer; // "numpy.savez"
    Words writers;      // all that compress in a supported way
} ArchiveFormat;

typedef struct Archive {
    const ArchiveFormat *format;
    zip_t *zip;
    const char *path; // or another name for the bytes; the caller's
    size_t file_bytes;
} Archive;

// Opens archive->path, which is set together with `format`. Returns false and sets err.
bool archive_open(Archive *archive, Error *err);

void archive_close(Archive *archive);

typedef struct ArchiveEntry {
    zip_file_t *file;
    size_t bytes;      // inflated
    const char *label; // names it in messages; the caller's
} ArchiveEntry;

// entry->label is set. Returns false and sets err.
bool archive_entry_open(const Archive *archive, zip_uint64_t index, ArchiveEntry *entry,
                        Error *err);

// Reads the next `count` bytes.
bool archive_entry_read(const ArchiveEntry *entry, unsigned char *bytes, size_t count, Error *err);

// True if the entry ends here; libzip checks the checksum at the end.
bool archive_entry_ends(const ArchiveEntry *entry, Error *err);
void archive_entry_close(ArchiveEntry *entry);

// --- writing
//
// libzip writes through this into an open file. On its own it would write a temporary file next to it, which
// stays behind if the program is killed.

// Opens an empty archive. zip_close writes it and flushes the file, which stays open and must be seekable.
// NULL and err on failure.
zip_t *npz_sink_open(FILE *file, Error *err);

// --- libzip, loaded late
//
// Loads libzip with the first archive: it brings a large crypto library, which takes longer to load than most
// commands take to start.

// Call before any zip_... function. Returns false and sets err if libzip is missing.
bool zip_late(Error *err);

#endif
