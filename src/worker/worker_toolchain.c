// toolchain: see worker_toolchain.h.
//
// A folder of programs is never opened as a whole: this program may be installed there too, with every
// stage in it.
#include "worker_toolchain.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "worker_internal.h"

// What a compiler starts, what a script that stands for one starts, and what they begin with.
static const char *const programs[] = {"as",  "ld",   "ld.bfd", "ld.gold", "ld.lld",
                                       "lld", "mold", "cc",     "gcc",     "clang",
                                       "c99", "sh",   "env",    "bash",    "ccache"};

// Below the folder that a compiler from elsewhere is installed in.
static const char *const parts[] = {"lib", "lib32", "lib64", "include", "libexec/gcc"};

// Where the system keeps what every compiler reads; the fence opens the same (fence_files.c).
static const char *const systems[] = {"/usr/include/",  "/usr/local/include/", "/usr/lib",
                                      "/usr/local/lib", "/usr/libexec/gcc/",   "/lib",
                                      "/nix/store/",    "/gnu/store/"};

static bool add(Toolchain *toolchain, const char *path, Error *err)
{
    if (access(path, R_OK) != 0 || toolchain->count == TOOLCHAIN_MAX)
        return true;
    char *kept = arena_text(&toolchain->arena, path, err);
    if (kept)
        toolchain->paths[toolchain->count++] = kept;
    return kept != NULL;
}

static bool add_below(Toolchain *toolchain, const char *folder, const char *name, Error *err)
{
    const char *path = arena_format(&toolchain->arena, err, "%s/%s", folder, name);
    return path && add(toolchain, path, err);
}

// "x86_64-linux-gnu" is a folder for one kind of machine, with programs of its own.
static bool is_machine(const char *prefix, const char *name, Arena *arena, Error *err)
{
    const char *hyphen = strchr(name, '-');
    const char *linker = arena_format(arena, err, "%s/%s/bin/ld", prefix, name);
    return hyphen && strchr(hyphen + 1, '-') && linker && access(linker, X_OK) == 0;
}

static bool add_machines(Toolchain *toolchain, const char *prefix, Error *err)
{
    DIR *folder = opendir(prefix);
    bool good = true;
    for (struct dirent *entry; good && folder && (entry = readdir(folder)) != NULL;)
        if (is_machine(prefix, entry->d_name, &toolchain->arena, err))
            good = add_below(toolchain, prefix, entry->d_name, err);
    if (folder)
        closedir(folder);
    return good;
}

// The compiler's own folder, and what lies beside it: "/opt/gcc/bin/gcc" brings "/opt/gcc/lib".
static bool add_home(Toolchain *toolchain, const char *compiler, Error *err)
{
    char *folder = arena_text(&toolchain->arena, compiler, err);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (!slash)
        return folder != NULL;
    *slash = '\0';
    bool good = true;
    for (size_t i = 0; good && i < sizeof programs / sizeof *programs; i++)
        good = add_below(toolchain, folder, programs[i], err);
    slash = strrchr(folder, '/');
    if (!good || !slash || slash == folder || strcmp(slash, "/bin") != 0)
        return good;
    *slash = '\0';
    for (size_t i = 0; good && i < sizeof parts / sizeof *parts; i++)
        good = add_below(toolchain, folder, parts[i], err);
    return good && add_machines(toolchain, folder, err);
}

static bool add_named(Toolchain *toolchain, Error *err)
{
    const char *named = getenv("ATTNSCOPE_TOOLCHAIN");
    char *rest = NULL, *paths = named ? arena_text(&toolchain->arena, named, err) : NULL;
    bool good = !named || paths;
    for (char *path = paths ? strtok_r(paths, ":", &rest) : NULL; path && good;
         path = strtok_r(NULL, ":", &rest))
        good = add(toolchain, path, err);
    return good;
}

bool toolchain_open(Toolchain *toolchain, const char *compiler, Error *err)
{
    char path[WORKER_PATH_MAX], whole[PATH_MAX];
    *toolchain = (Toolchain){.count = 0};
    bool good = add(toolchain, compiler, err) && add_home(toolchain, compiler, err) &&
                (!realpath(compiler, whole) || strcmp(whole, compiler) == 0 ||
                 add_home(toolchain, whole, err)) &&
                add_named(toolchain, err);
    for (size_t i = 0; good && i < sizeof programs / sizeof *programs; i++)
        if (worker_place_program(programs[i], path))
            good = add(toolchain, path, err);
    return good;
}

void toolchain_close(Toolchain *toolchain)
{
    arena_finish(&toolchain->arena);
    toolchain->count = 0;
}

bool toolchain_owns(const Toolchain *toolchain, const char *path)
{
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (strncmp(path, systems[i], strlen(systems[i])) == 0)
            return true;
    for (int i = 0; i < toolchain->count; i++) {
        char whole[PATH_MAX];
        size_t length = realpath(toolchain->paths[i], whole) ? strlen(whole) : 0;
        if (length > 0 && strncmp(path, whole, length) == 0 &&
            (path[length] == '/' || path[length] == '\0'))
            return true;
    }
    return false;
}
