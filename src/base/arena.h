// Memory: how much is available, and arenas.
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"

// --- room

// Memory available right now, in bytes (MemAvailable, cgroup limit); SIZE_MAX if unknown.
size_t room_in_memory(void);

// Free space for files in a folder. Returns false and sets err if there is no such folder.
bool room_in_folder(const char *folder, size_t *bytes, Error *err);

// "3.2 GB", with 1000 bytes to the kB. Returns `text`.
enum { ROOM_TEXT_MAX = 32 };
const char *room_text(size_t bytes, char text[ROOM_TEXT_MAX]);

// Maps a new unnamed file of this size, with its disk space reserved. Returns its address (release with
// munmap), or NULL and err if there is no such folder or the disk is full.
void *room_map_file(const char *folder, size_t bytes, Error *err);

// Makes sure that this process can allocate so many bytes (at most ROOM_AHEAD_MOST), for libraries that do
// not check malloc. Returns false if it cannot: then do not call the library. Guaranteed with glibc only;
// elsewhere the memory was available a moment ago.
enum { ROOM_AHEAD_MOST = 16 << 20 };
bool room_ahead(size_t bytes);

// Grows the stack to what this program needs, at its start: an overflow later would end it by a signal
// without a message. Returns false and sets err if the shell's limit leaves less than ROOM_STACK_LEAST bytes
// or memory is short. `walk` needs most, about 130 kB with gcc; meson.build limits every function's frame.
enum { ROOM_STACK_LEAST = 208 * 1024 };
bool room_on_stack(Error *err);

// --- arenas
//
// Everything taken from an arena is freed at once.
//
// Life cycle: a zeroed Arena is empty and ready; arena_take ...; arena_finish, which leaves a zeroed,
// usable arena, or arena_empty. A single piece cannot be freed.

// AddressSanitizer guards what has not been handed out.
#if defined(__SANITIZE_ADDRESS__)
#define FORBIDDEN_IS_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FORBIDDEN_IS_WATCHED
#endif
#endif

typedef struct ArenaChunk ArenaChunk;
typedef struct ArenaRelease ArenaRelease;

typedef struct Arena {
    ArenaChunk *chunks;     // newest first
    ArenaRelease *releases; // newest first
    size_t bytes;           // handed out, padding included
    const char *folder;     // large pieces are files in this folder; NULL: memory
} Arena;

// Returns `count * size` zeroed bytes, aligned to 64. NULL and err, with the size, if memory (or the
// folder's disk) is full or the product overflows. A count of 0 gives a valid pointer.
void *arena_take(Arena *arena, size_t count, size_t size, Error *err);

// The same, not zeroed, for a caller that writes all of it at once.
void *arena_take_unset(Arena *arena, size_t count, size_t size, Error *err);

// Copies `text` into the arena; NULL and err as arena_take.
char *arena_text(Arena *arena, const char *text, Error *err);

// The same for a printf format.
char *arena_format(Arena *arena, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Calls release(piece), for what a library allocated, when the arena is finished or emptied. Without memory
// calls it now, sets err and returns false.
bool arena_release(Arena *arena, void (*release)(void *piece), void *piece, Error *err);

void arena_finish(Arena *arena);

// Takes everything back, for pieces that are needed again and again: the newest chunk of memory stays, and the
// pieces that follow are cut from it, without new pages from the system.
void arena_empty(Arena *arena);

#endif
