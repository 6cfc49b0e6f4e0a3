// How much memory and stack the system has left; see arena.h.
#define _GNU_SOURCE // environ
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
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

// --- memory

// The number behind `name` in a file of the system (behind nothing: the first); SIZE_MAX: none.
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

// Without O_TMPFILE it has a name for a moment.
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
    // Taken at once: a disk that fills up later would end the program without a word.
    int failure = posix_fallocate(file, 0, (off_t)bytes);
    void *block =
        failure ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (block == MAP_FAILED)
        error_set(err, TELL(ROOM_NO_SPACE), folder, room_text(bytes, text),
                  error_reason(failure ? failure : errno));
    close(file);
    return block == MAP_FAILED ? NULL : block;
}

// --- the stack, taken before it is needed

enum {
    PAGE = 4096,        // no system has smaller ones
    PIECE = 4 * PAGE,   // of one frame
    MARGIN = 16 * 1024, // for the function that takes it, and what lies above the environment
    AHEAD = 512 * 1024  // twice what is asked for: other compilers use more of it
};

// Where the stack is now. Not the address of a variable, which sanitizers put elsewhere.
static uintptr_t here(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

// Bytes between here and the end of the environment, which lies at the beginning of the stack.
static size_t used_already(void)
{
    uintptr_t now = here(), first = now;
    for (char **entry = environ; entry && *entry; entry++)
        if ((uintptr_t)*entry > first)
            first = (uintptr_t)*entry;
    return first - now;
}

// One call takes all pages of a piece; systems that do not know it fault on each page.
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

// volatile: else a compiler makes a loop of it, which takes one piece again and again.
// Down to `end`, and not by a count of pieces: sanitizers make each frame larger. Never inlined into itself:
// several pieces in one frame would go too far down.
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
    size_t bytes = most - gone < AHEAD ? most - gone : AHEAD;
    // Where there is no room, taking it would end the program.
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return error_machine(err, TELL(ROOM_STACK_NONE), bytes / 1024);
    munmap(room, bytes);
    return take(here() - bytes);
}
