// Memory: how much there is, and arenas.
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"

// --- room
//
// How much room there is for what is about to be kept, in memory or in a folder.

// Bytes of memory that can be taken now without taking them from somebody else, as the system and
// the container it runs in say; SIZE_MAX where neither says anything.
size_t room_in_memory(void);

// Bytes that files in this folder may take. False with a sentence when there is no such folder.
bool room_in_folder(const char *folder, size_t *bytes, Error *err);

// "3.2 GB", where a kB is 1000 bytes, as disks are sold. Returns `text`.
enum { ROOM_TEXT_MAX = 32 };
const char *room_text(size_t bytes, char text[ROOM_TEXT_MAX]);

// A new file without a name, of this size, taken from the disk at once. It lies in memory at the
// address that is returned; munmap gives everything back. NULL with a sentence: no such folder, disk
// full.
void *room_map_file(const char *folder, size_t bytes, Error *err);

// Has so many bytes, but no more than ROOM_AHEAD_MOST, ready in this process for what is called next. For
// libraries that do not look whether they were given memory, or go on without what they had none for.
// False: it is not to be had, and no such library should be called. Promised with glibc alone; with
// other C libraries it has been there a moment ago.
enum { ROOM_AHEAD_MOST = 16 << 20 };
bool room_ahead(size_t bytes);

// Takes the stack that this program needs, at its beginning: one that cannot grow any more ends a program
// by a signal, without a word. False with a sentence: the shell's limit leaves less than ROOM_STACK_LEAST
// bytes of it, or there is no memory. Of all commands `walk` takes the most, about 130 kB as gcc builds
// it; that no function takes much more some day, the compiler looks after (meson.build).
enum { ROOM_STACK_LEAST = 208 * 1024 };
bool room_on_stack(Error *err);

// --- arenas
//
// Memory by lifetime: everything taken from an arena is given back at once.
//
// Life cycle: a zeroed Arena is empty and ready; arena_take ...; arena_finish (which leaves a
// zeroed, usable arena). There is no way to give back a single piece.

// Where AddressSanitizer watches, nobody may touch what is not handed out.
#if defined(__SANITIZE_ADDRESS__)
#define FORBIDDEN_IS_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FORBIDDEN_IS_WATCHED
#endif
#endif

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    ArenaChunk *chunks; // newest first
    size_t bytes;       // handed out so far, padding included
    const char *folder; // large pieces are files in it instead of memory; NULL: they are not
} Arena;

// `count * size` zeroed bytes, aligned to 64. NULL with a sentence that names the size when the
// machine (the folder's disk) does not have them or the product overflows. A count of 0 gives a
// valid pointer.
void *arena_take(Arena *arena, size_t count, size_t size, Error *err);

// A copy of `text`, owned by the arena; NULL as arena_take.
char *arena_text(Arena *arena, const char *text, Error *err);

// The same, from a printf format.
char *arena_format(Arena *arena, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void arena_finish(Arena *arena);

#endif
