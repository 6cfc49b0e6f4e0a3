// Arenas: chunks of memory, used front to back (see arena.h). Memory that has not been handed out is poisoned. Also
// available memory, and the stack.
#define _GNU_SOURCE // environ

#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base_words.def"
#include "place.h"

// Poisons memory under AddressSanitizer. Memory must be unpoisoned before it is freed.
#ifdef FORBIDDEN_IS_WATCHED
#include <sanitizer/asan_interface.h>
enum { FORBIDDEN_BYTES = 64 }; // poisoned after each piece, to detect overruns
#else
enum { FORBIDDEN_BYTES = 0 };
#endif

static void forbid(const void *address, size_t bytes)
{
#ifdef FORBIDDEN_IS_WATCHED
    __asan_poison_memory_region(address, bytes);
#else
    (void)address, (void)bytes;
#endif
}

static void allow(const void *address, size_t bytes)
{
#ifdef FORBIDDEN_IS_WATCHED
    __asan_unpoison_memory_region(address, bytes);
#else
    (void)address, (void)bytes;
#endif
}

// The first chunk is small, because many arenas hold a few words; each next one is four times as large. Once an
// arena has 256 KB, its memory comes from huge pages.
enum {
    ALIGNMENT = 64,
    CHUNK_BYTES_FIRST = 4 * 1024,
    CHUNK_BYTES_MOST = 64 * 1024,
    FILE_BYTES = 2 * 1024 * 1024, // larger pieces become files if the arena has a folder
    LARGE_BYTES = 256 * 1024,
    HUGE_PAGE = 2 * 1024 * 1024,
    HEADER_BYTES = 64 * 1024, // of address space: whole pages everywhere
    SPARES = 8,
    AHEAD = FORBIDDEN_BYTES > 0 ? 0 : 64 * 1024 * 1024 // address space reserved for later pieces
};

struct ArenaChunk {
    ArenaChunk *older;
    size_t used, room;
    size_t written; // bytes that earlier pieces may have changed
    size_t mapped;  // size of its own mapping; 0: from malloc
    bool is_file;
    unsigned char *memory; // aligned to ALIGNMENT, inside this allocation
};

static void *map_addresses(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

// Large chunks that were closed, for the next ones: for each of a thousand small traces the system would clear a huge page.
static ArenaChunk *_Atomic spares[SPARES];

// Returns a chunk with this room, or NULL. Unmaps those that are too small.
static ArenaChunk *take_spare(size_t room)
{
    for (int i = 0; i < SPARES; i++) {
        ArenaChunk *chunk = atomic_exchange(&spares[i], NULL);
        if (chunk && chunk->room >= room)
            return chunk;
        if (chunk)
            munmap(chunk, chunk->mapped);
    }
    return NULL;
}

// Zeroed, untouched memory of at least `bytes`. What follows the header begins with a huge page, since the first touch of
// two million bytes costs little more than of 4096; the header before it has a small page, so that a piece of whole huge
// pages takes no further one. Reserves room for the next pieces. Without that much address space, just `bytes`.
static void *map(size_t *bytes)
{
    size_t pages = (*bytes - HEADER_BYTES + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE + AHEAD;
    unsigned char *block = map_addresses(HEADER_BYTES + pages + HUGE_PAGE);
    if (block) {
        size_t over = ((uintptr_t)block + HEADER_BYTES) % HUGE_PAGE;
        size_t before = over > 0 ? HUGE_PAGE - over : 0;
        if (before > 0)
            munmap(block, before);
        block += before;
        if (before < HUGE_PAGE)
            munmap(block + HEADER_BYTES + pages, HUGE_PAGE - before);
        *bytes = HEADER_BYTES + pages;
    } else {
        take_spare(SIZE_MAX); // unmaps them all
        block = map_addresses(*bytes);
    }
#ifdef MADV_HUGEPAGE
    if (block)
        madvise(block + HEADER_BYTES, *bytes - HEADER_BYTES, MADV_HUGEPAGE); // optional
#endif
    return block;
}

// Keeps a chunk of which at most one huge page was touched. Returns false if there is no place for it.
static bool keep_spare(ArenaChunk *chunk)
{
    chunk->written = chunk->used > chunk->written ? chunk->used : chunk->written;
    chunk->used = 0;
    bool may_keep = AHEAD > 0 && !chunk->is_file && chunk->written <= HUGE_PAGE;
    bool is_kept = false;
    for (int i = 0; i < SPARES && may_keep && !is_kept; i++) {
        ArenaChunk *none = NULL;
        is_kept = atomic_compare_exchange_strong(&spares[i], &none, chunk);
    }
    return is_kept;
}

static ArenaChunk *chunk_open(const Arena *arena, size_t room, Error *err)
{
    size_t bytes = sizeof(ArenaChunk) + ALIGNMENT + room;
    bool is_file = arena->folder && bytes >= FILE_BYTES;
    bool is_large = !is_file && arena->bytes + bytes >= LARGE_BYTES;
    ArenaChunk *kept = is_large ? take_spare(room) : NULL;
    if (kept)
        return kept;
    size_t header = is_large ? (size_t)HEADER_BYTES : sizeof(ArenaChunk) + ALIGNMENT;
    bytes = header + room;
    unsigned char *block = is_file    ? room_map_file(arena->folder, bytes, err)
                           : is_large ? map(&bytes)
                                      : malloc(bytes);
    if (!block && !is_file)
        error_machine(err, TELL(OUT_OF_MEMORY), room);
    if (!block)
        return NULL;
    ArenaChunk *chunk = (ArenaChunk *)(void *)block;
    unsigned char *memory = block + header - (uintptr_t)(block + header) % ALIGNMENT;
    *chunk = (ArenaChunk){.memory = memory,
                          .room = bytes - (size_t)(memory - block),
                          .mapped = is_file || is_large ? bytes : 0,
                          .is_file = is_file};
    chunk->written = chunk->mapped ? 0 : chunk->room; // malloc's memory may hold anything
    forbid(chunk->memory, chunk->room);
    return chunk;
}

static void chunk_close(ArenaChunk *chunk)
{
    allow(chunk->memory, chunk->room);
    if (!chunk->mapped)
        free(chunk);
    else if (!keep_spare(chunk))
        munmap(chunk, chunk->mapped);
}

// The size of an arena's next chunk, which must hold `bytes`.
static size_t next_room(const Arena *arena, size_t bytes)
{
    size_t room = arena->chunks ? 4 * arena->chunks->room : CHUNK_BYTES_FIRST;
    if (room > CHUNK_BYTES_MOST)
        room = CHUNK_BYTES_MOST;
    return bytes > room ? bytes : room;
}

// `*old` becomes how many of its first bytes an earlier piece may have written.
static void *cut(Arena *arena, size_t count, size_t size, size_t *old, Error *err)
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
    *old = chunk->written > chunk->used ? chunk->written - chunk->used : 0;
    *old = *old < wanted ? *old : wanted;
    chunk->used += bytes + (left > FORBIDDEN_BYTES ? FORBIDDEN_BYTES : 0);
    arena->bytes += bytes;
    allow(piece, wanted);
    return piece;
}

void *arena_take(Arena *arena, size_t count, size_t size, Error *err)
{
    size_t old;
    void *piece = cut(arena, count, size, &old, err);
    return piece ? memset(piece, 0, old) : NULL;
}

void *arena_take_unset(Arena *arena, size_t count, size_t size, Error *err)
{
    size_t old;
    return cut(arena, count, size, &old, err);
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

static void chunks_close(ArenaChunk *chunk)
{
    while (chunk) {
        ArenaChunk *older = chunk->older;
        chunk_close(chunk);
        chunk = older;
    }
}

struct ArenaRelease {
    ArenaRelease *older;
    void (*release)(void *piece);
    void *piece;
};

bool arena_release(Arena *arena, void (*release)(void *piece), void *piece, Error *err)
{
    ArenaRelease *it = arena_take(arena, 1, sizeof *it, err);
    if (!it) {
        release(piece);
        return false;
    }
    *it = (ArenaRelease){arena->releases, release, piece};
    arena->releases = it;
    return true;
}

static void release_all(Arena *arena)
{
    for (ArenaRelease *it = arena->releases; it; it = it->older)
        it->release(it->piece);
    arena->releases = NULL;
}

void arena_finish(Arena *arena)
{
    release_all(arena);
    chunks_close(arena->chunks);
    *arena = (Arena){0};
}

void arena_empty(Arena *arena)
{
    ArenaChunk *kept = arena->chunks;
    if (!kept)
        return;
    release_all(arena);
    chunks_close(kept->older);
    kept->older = NULL;
    kept->written = kept->used > kept->written ? kept->used : kept->written;
    kept->used = 0;
    forbid(kept->memory, kept->room);
    arena->bytes = 0;
}

// --- available memory

// The number after `name` (or the first) in a file of the system; SIZE_MAX: none.
static size_t read_number(const char *path, const char *name)
{
    char line[256];
    size_t number = SIZE_MAX;
    FILE *file = fopen(path, "r");
    while (file && number == SIZE_MAX && fgets(line, sizeof line, file)) {
        unsigned long long found;
        if (strncmp(line, name, strlen(name)) == 0 &&
            sscanf(line + strlen(name), "%llu", &found) == 1)
            number = (size_t)found;
    }
    if (file)
        fclose(file);
    return number;
}

size_t room_in_memory(void)
{
    size_t free_kilobytes = read_number("/proc/meminfo", "MemAvailable:");
    size_t room = free_kilobytes < SIZE_MAX / 1024 ? free_kilobytes * 1024 : SIZE_MAX;
    if (room == SIZE_MAX) {
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        room = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
    }
    size_t most = read_number("/sys/fs/cgroup/memory.max", "");
    size_t taken = read_number("/sys/fs/cgroup/memory.current", "");
    if (most != SIZE_MAX && taken != SIZE_MAX && most - (taken < most ? taken : most) < room)
        room = most - (taken < most ? taken : most);
    return room;
}

bool room_in_folder(const char *folder, size_t *bytes, Error *err)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0)
        return error_set(err, "%s: %s", folder, error_reason(errno));
    if (__builtin_mul_overflow((size_t)disk.f_bavail, (size_t)disk.f_frsize, bytes))
        *bytes = SIZE_MAX;
    return true;
}

const char *room_text(size_t bytes, char text[ROOM_TEXT_MAX])
{
    const char *const units[] = {TELL(ROOM_BYTES), "kB", "MB", "GB", "TB", "PB", "EB"};
    double number = (double)bytes;
    int unit = 0;
    for (; number >= 999.95 && unit < 6; unit++)
        number /= 1000;
    snprintf(text, ROOM_TEXT_MAX, unit ? "%.1f %s" : "%.0f %s", number, units[unit]);
    return text;
}

// Without O_TMPFILE the file has a name briefly.
static int open_nameless(const char *folder)
{
    Temporary named;
    int file = -1;
#ifdef O_TMPFILE
    file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (file >= 0 || !temporary_file(&named, folder, 0600))
        return file;
    file = fcntl(named.descriptor, F_DUPFD_CLOEXEC, 0);
    temporary_drop(&named);
    return file;
}

void *room_map_file(const char *folder, size_t bytes, Error *err)
{
    char text[ROOM_TEXT_MAX];
    int file = open_nameless(folder);
    if (file < 0) {
        error_set(err, TELL(ROOM_NO_FILE), folder, error_reason(errno));
        return NULL;
    }
    // Reserved now: a disk that fills up later would end the program without a message.
    int failure = posix_fallocate(file, 0, (off_t)bytes);
    void *block =
        failure ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (block == MAP_FAILED)
        error_set(err, TELL(ROOM_NO_SPACE), folder, room_text(bytes, text),
                  error_reason(failure ? failure : errno));
    close(file);
    return block == MAP_FAILED ? NULL : block;
}

// --- the stack

enum {
    PAGE = 4096,             // the smallest page size
    PIECE = 4 * PAGE,        // per frame
    MARGIN = 16 * 1024,      // for this function, and what lies above the environment
    STACK_AHEAD = 512 * 1024 // twice the minimum, because other compilers use more
};

// The stack pointer. Not the address of a variable, which sanitizers may move.
static uintptr_t here(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

// Bytes from here to the end of the environment, at the start of the stack.
static size_t used_already(void)
{
    uintptr_t now = here(), first = now;
    for (char **entry = environ; entry && *entry; entry++)
        if ((uintptr_t)*entry > first)
            first = (uintptr_t)*entry;
    return first - now;
}

// Touches all pages of a piece in one call, or one by one.
static void take_pages(volatile char *piece)
{
#ifdef MADV_POPULATE_WRITE
    piece[0] = 1; // makes the stack this long
    uintptr_t first = ((uintptr_t)piece + PAGE - 1) / PAGE * PAGE;
    uintptr_t pages = ((uintptr_t)piece + PIECE - first) / PAGE;
    if (madvise((void *)first, pages * PAGE, MADV_POPULATE_WRITE) == 0)
        return;
#endif
    for (int page = 0; page < PIECE; page += PAGE)
        piece[page] = 1;
}

// Recurses down to `end`; a count of pieces would be wrong under sanitizers, whose frames are larger. volatile, so that
// the compiler does not turn it into a loop; never inlined, because several pieces in one frame would overshoot.
__attribute__((noinline)) static bool take(uintptr_t end)
{
    volatile char piece[PIECE];
    take_pages(piece);
    bool deeper = here() <= end + 2 * PIECE || take(end);
    return deeper && piece[0] == 1;
}

bool room_on_stack(Error *err)
{
    struct rlimit limit;
    size_t most = SIZE_MAX, gone = used_already() + MARGIN;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        most = (size_t)limit.rlim_cur;
    if (most < gone + ROOM_STACK_LEAST)
        return error_machine(err, TELL(ROOM_STACK_LIMIT), most / 1024,
                             (gone + ROOM_STACK_LEAST) / 1024);
    size_t bytes = most - gone < STACK_AHEAD ? most - gone : STACK_AHEAD;
    // Touching memory beyond the limit would end the program.
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return error_machine(err, TELL(ROOM_STACK_NONE), bytes / 1024);
    munmap(room, bytes);
    return take(here() - bytes);
}
