// temporary_tree: see temporary_tree.h. readdir takes memory, which a handler must not; where the
// system has no other way (only Linux lets one ask directly), it is used all the same.
#include "temporary_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH_MAX = 16, LIST_BYTES = 2048 };

static void empty(int folder, int depth);

static void remove_entry(int folder, const char *name, int depth)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(folder, name, 0) == 0)
        return;
    int inner = depth < DEPTH_MAX
                    ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                    : -1;
    if (inner < 0)
        return;
    empty(inner, depth + 1);
    close(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

#ifdef __linux__

// An entry as the kernel writes it.
typedef struct Entry {
    uint64_t number;
    int64_t next;
    uint16_t bytes;
    unsigned char kind;
    char name[];
} Entry;

static void empty(int folder, int depth)
{
    _Alignas(Entry) char list[LIST_BYTES];
    long got;
    while ((got = syscall(SYS_getdents64, folder, list, sizeof list)) > 0)
        for (long at = 0; at < got;) {
            const Entry *entry = (const Entry *)(const void *)(list + at);
            remove_entry(folder, entry->name, depth);
            at += entry->bytes;
        }
}

#else

static void empty(int folder, int depth)
{
    int again = dup(folder);
    DIR *listing = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;)
        remove_entry(folder, entry->d_name, depth);
    if (listing)
        closedir(listing);
}

#endif

void temporary_tree_empty(int folder)
{
    empty(folder, 0);
}

void temporary_tree_remove(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        empty(folder, 0);
        close(folder);
    }
    rmdir(path);
}
