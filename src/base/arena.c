// arena: chunks of memory from which pieces are cut front to back; see arena.h. What has not been
// handed out is forbidden.
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base_words.def"
#include "forbidden.h"

// The first chunk is small, as many arenas hold a few words; each further one is four times as large. An
// arena that is about to hold a megabyte takes the rest from huge pages.
enum {
    ALIGNMENT = 64,
    CHUNK_BYTES_FIRST = 4 * 1024,
    CHUNK_BYTES_MOST = 64 * 1024,
    FILE_BYTES = 2 * 1024 * 1024, // a piece from here on is a file, where the arena has a folder
    LARGE_BYTES = 1024 * 1024,
    HUGE_PAGE = 2 * 1024 * 1024,
    AHEAD = FORBIDDEN_BYTES > 0 ? 0 : 64 * 1024 * 1024 // of addresses, for the pieces that follow
};

struct ArenaChunk {
    ArenaChunk *older;
    size_t used, room;
    size_t mapped;         // bytes of a mapping of its own; 0: from calloc
    unsigned char *memory; // ALIGNMENT-aligned, inside this allocation
};

static void *map_addresses(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

// Memory from the system, zero and not yet touched, at least `bytes` of it. It begins with a huge page and goes
// on where the next pieces will lie, since the first touch of a page costs little more for two million
// bytes than for 4096. Where so many addresses are not to be had, just what is asked for.
static void *map(size_t *bytes)
{
    size_t pages = (*bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE + AHEAD;
    unsigned char *block = map_addresses(pages + HUGE_PAGE);
    if (block) {
        size_t before = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
        if (before > 0)
            munmap(block, before);
        block += before;
        if (before < HUGE_PAGE)
            munmap(block + pages, HUGE_PAGE - before);
        *bytes = pages;
    } else {
        block = map_addresses(*bytes);
    }
#ifdef MADV_HUGEPAGE
    if (block)
        madvise(block, *bytes, MADV_HUGEPAGE); // a wish: without it everything works, more slowly
#endif
    return block;
}

static ArenaChunk *chunk_open(const Arena *arena, size_t room, Error *err)
{
    size_t bytes = sizeof(ArenaChunk) + ALIGNMENT + room;
    bool is_file = arena->folder && bytes >= FILE_BYTES;
    bool is_large = arena->bytes + bytes >= LARGE_BYTES;
    unsigned char *block = is_file    ? room_map_file(arena->folder, bytes, err)
                           : is_large ? map(&bytes)
                                      : calloc(1, bytes);
    if (!block && !is_file)
        error_machine(err, TELL(OUT_OF_MEMORY), room);
    if (!block)
        return NULL;
    ArenaChunk *chunk = (ArenaChunk *)(void *)block;
    uintptr_t start = (uintptr_t)(block + sizeof(ArenaChunk));
    chunk->memory = block + sizeof(ArenaChunk) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
    chunk->room = bytes - (size_t)(chunk->memory - block);
    chunk->mapped = is_file || is_large ? bytes : 0;
    forbid(chunk->memory, chunk->room);
    return chunk;
}

static void chunk_close(ArenaChunk *chunk)
{
    allow(chunk->memory, chunk->room);
    if (chunk->mapped)
        munmap(chunk, chunk->mapped);
    else
        free(chunk);
}

// The room of an arena's next chunk, which is to hold `bytes`.
static size_t next_room(const Arena *arena, size_t bytes)
{
    size_t room = arena->chunks ? 4 * arena->chunks->room : CHUNK_BYTES_FIRST;
    if (room > CHUNK_BYTES_MOST)
        room = CHUNK_BYTES_MOST;
    return bytes > room ? bytes : room;
}

void *arena_take(Arena *arena, size_t count, size_t size, Error *err)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 2 * ALIGNMENT) {
        error_machine(err, TELL(MEMORY_ADDRESS), count, size);
        return NULL;
    }
    size_t wanted = bytes;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    ArenaChunk *chunk = arena->chunks;
    if (!chunk || chunk->room - chunk->used < bytes) {
        chunk = chunk_open(arena, next_room(arena, bytes), err);
        if (!chunk)
            return NULL;
        chunk->older = arena->chunks;
        arena->chunks = chunk;
    }
    void *piece = chunk->memory + chunk->used;
    size_t left = chunk->room - chunk->used - bytes;
    chunk->used += bytes + (left > FORBIDDEN_BYTES ? FORBIDDEN_BYTES : 0);
    arena->bytes += bytes;
    allow(piece, wanted);
    return piece;
}

char *arena_text(Arena *arena, const char *text, Error *err)
{
    size_t bytes = strlen(text) + 1;
    char *copy = arena_take(arena, bytes, 1, err);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *arena_format(Arena *arena, Error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);

    char *text = arena_take(arena, (size_t)length + 1, 1, err);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void arena_finish(Arena *arena)
{
    for (ArenaChunk *chunk = arena->chunks; chunk;) {
        ArenaChunk *older = chunk->older;
        chunk_close(chunk);
        chunk = older;
    }
    *arena = (Arena){0};
}
