// worker_cache_look: see worker_cache_look.h.
#include "worker_cache_look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "worker_internal.h"

#ifdef __linux__
#include <elf.h>

// A program ends with the table of its sections: one that is cut off, or that a power cut has left
// empty, lacks it.
static bool is_whole(int file, off_t bytes)
{
    Elf64_Ehdr head;
    if (pread(file, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    if (head.e_ident[EI_CLASS] != ELFCLASS64)
        return true; // of a machine that this file knows nothing of
    return head.e_shoff + (Elf64_Off)head.e_shnum * head.e_shentsize <= (Elf64_Off)bytes;
}
#else
static bool is_whole(int file, off_t bytes)
{
    (void)file;
    return bytes > 0;
}
#endif

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

static void look_at(WorkerCacheState *state, int folder, const char *name, bool removes)
{
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
        return;
    state->bytes += (size_t)about.st_size;
    if (!ends_with(name, WORKER_SANITIZED) && !ends_with(name, WORKER_PLAIN))
        return;
    state->programs++;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool is_damaged = file < 0 || !is_whole(file, about.st_size);
    if (file >= 0)
        close(file);
    state->damaged += is_damaged;
    if (is_damaged && removes)
        unlinkat(folder, name, 0);
}

bool worker_cache_look(WorkerCacheState *state, bool removes, Error *err)
{
    *state = (WorkerCacheState){.programs = 0};
    if (!worker_place_cache(state->folder, err))
        return false;
    DIR *listing = opendir(state->folder);
    if (!listing)
        return error_set(err, "%s: %s", state->folder, error_reason(errno));
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        look_at(state, dirfd(listing), entry->d_name, removes);
    closedir(listing);
    return true;
}
