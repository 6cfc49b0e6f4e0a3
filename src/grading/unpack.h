// An archive that somebody handed in, unpacked by a process of its own (attnscope-unpack): zip, rar, 7z, tar,
// and tar packed by gzip, bzip2, xz or zstd. Only plain C files come out, and hints.txt; at most 1 MiB each, 64 MiB in all.
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

// How attnscope-unpack ends where this machine could not.
enum { UNPACK_NO_MACHINE = 2 };

// Why a file was not taken out.
typedef enum UnpackWhy {
#define UNPACK_WHY(NAME, word) UNPACK_##NAME,
#include "unpack.def"
#undef UNPACK_WHY
    UNPACK_WHYS
} UnpackWhy;

// What attnscope-unpack says on its last line where nothing more can be unpacked. Where libarchive knows
// better, the line is libarchive's.
#define UNPACK_UNREADABLE "unreadable"
#define UNPACK_GREEDY "greedy" // it takes more memory than it may have
#define UNPACK_TOO_MUCH "too-much"

// Whether a name is that of an archive; how many of its bytes say so (".tar.gz"), 0: it is not.
bool unpack_is_archive(const char *name);
size_t unpack_ending(const char *name);

// Whether it is that of an archive of another kind.
bool unpack_is_unread(const char *name);

// Unpacks into a folder that is there and empty. `tell` hears of each file that was left out, by its
// name as the archive has it. With `archives` archives come out too. False with a sentence, what came out
// until then being there, where it is damaged, too large, or this machine cannot (err->of_machine).
bool unpack(const char *archive, const char *folder, bool archives,
            void (*tell)(void *context, UnpackWhy why, const char *name), void *context,
            Error *err);

#endif
