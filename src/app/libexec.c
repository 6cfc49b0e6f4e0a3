// libexec: see libexec.h.
#include "libexec.h"

#include <string.h>
#include <unistd.h>

const char *libexec_find(const char *name, Arena *arena, Error *err)
{
    char folder[4096];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    const char *const folders[] = {
        folder, arena_format(arena, err, "%s/%s", folder, "../libexec/attnscope"),
        LIBEXEC_INSTALLED};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *path = folders[i] ? arena_format(arena, err, "%s/%s", folders[i], name) : NULL;
        if (path && access(path, X_OK) == 0)
            return path;
    }
    error_set(err, "the program %s is neither in %s nor in %s; build or install it", name, folder,
              LIBEXEC_INSTALLED);
    return NULL;
}
