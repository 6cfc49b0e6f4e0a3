// Memory by lifetime: everything taken from an arena is given back at once.
//
// Life cycle: a zeroed Arena is empty and ready; arena_take ...; arena_finish (which leaves a
// zeroed, usable arena). There is no way to give back a single piece.
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include "error.h"

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
