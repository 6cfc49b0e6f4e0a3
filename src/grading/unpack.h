// Unpacks a submitted archive in a separate process (attnscope-unpack): zip, rar, 7z, tar, and tar with gzip,
// bzip2, xz or zstd. Extracts only plain C files and hints.txt, at most 1 MiB each and 64 MiB in all.
#ifndef UNPACK_H
#define UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"

enum {
    UNPACK_FILE_BYTES_MAX = 1 << 20,
    UNPACK_ARCHIVE_BYTES_MAX = 64 << 20,
    UNPACK_BYTES_MAX = 256 << 20,
};

// Exit status of attnscope-unpack if the machine failed.
enum { UNPACK_NO_MACHINE = 2 };

// Why a file was not extracted.
typedef enum UnpackWhy {
#define UNPACK_WHY(NAME, word) UNPACK_##NAME,
#include "unpack.def"
#undef UNPACK_WHY
    UNPACK_WHYS
} UnpackWhy;

// The last line of attnscope-unpack if it had to stop, unless libarchive gives a better reason.
#define UNPACK_UNREADABLE "unreadable"
#define UNPACK_GREEDY "greedy" // exceeds the memory limit
#define UNPACK_TOO_MUCH "too-much"

// The length of a name's archive extension (".tar.gz"); 0: none.
bool unpack_is_archive(const char *name);
size_t unpack_ending(const char *name);

// True for the extension of an unsupported archive.
bool unpack_is_unread(const char *name);

// Unpacks into an existing empty folder. Calls `tell` for each file left out, with its name in the archive.
// `archives`: extracts nested archives too. Returns false and sets err if the archive is damaged or too large, or
// the machine failed (err->of_machine); files extracted so far remain.
bool unpack(const char *archive, const char *folder, bool archives,
            void (*tell)(void *context, UnpackWhy why, const char *name), void *context,
            Error *err);

#endif
