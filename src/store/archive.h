// A zip archive of tensors, read with libzip from untrusted bytes: .npz and PyTorch's .pt. What its
// directory says of an entry is held against what can be, before a byte is inflated.
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zip.h>
#include "error.h"
#include "words.h"

// What sentences call the format, and what writes it.
typedef struct ArchiveFormat {
    const char *what;   // ".npz"
    const char *writer; // "numpy.savez"
    Words writers;      // every one that compresses in a way that is read
} ArchiveFormat;

typedef struct Archive {
    const ArchiveFormat *format;
    zip_t *zip;
    const char *path; // or what names the bytes; the caller's
    size_t file_bytes;
} Archive;

// Opens the file at archive->path, which is set together with `format`. False with a sentence, and
// nothing open.
bool archive_open(Archive *archive, Error *err);

// The same of bytes in memory, which must outlive the archive.
bool archive_open_bytes(Archive *archive, const unsigned char *bytes, size_t length, Error *err);
void archive_close(Archive *archive);

// An entry that is being read.
typedef struct ArchiveEntry {
    zip_file_t *file;
    size_t bytes;      // inflated
    const char *label; // names it in messages; the caller's
} ArchiveEntry;

// entry->label is set. False with a sentence, and nothing open.
bool archive_entry_open(const Archive *archive, zip_uint64_t index, ArchiveEntry *entry,
                        Error *err);

// The next `count` bytes.
bool archive_entry_read(const ArchiveEntry *entry, unsigned char *bytes, size_t count, Error *err);

// Whether the entry ends exactly here; libzip compares the checksum when it sees the end.
bool archive_entry_ends(const ArchiveEntry *entry, Error *err);
void archive_entry_close(ArchiveEntry *entry);

// --- an archive that is written
//
// An archive that libzip writes straight into an open file. By itself it would write to a file of its
// own beside that one, which stays behind when the program is killed.

// An empty archive; zip_close writes it and flushes the file, which stays open and must be able to
// seek. NULL with a sentence.
zip_t *npz_sink_open(FILE *file, Error *err);

// --- libzip, loaded late
//
// libzip, loaded when the first archive is opened or written: it brings a large library for secrets
// along, whose loading takes longer than all else before the first line of most commands.

// Before any zip_... function is called. False with a sentence when libzip is not there.
bool zip_late(Error *err);

#endif
