// Where things are: the keeper, the libraries, the cache, the compiler, and the files that it needs.
//
// A sandboxed compiler never sees whole program folders: attnscope may be installed in one, with the source of every
// stage.
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "place.h"
#include "state_file.h"
#include "worker_build.h"
#include "worker_internal.h"

bool worker_place_keeper(char path[WORKER_PATH_MAX], Error *err)
{
    return place_program("attnscope-keeper", path, err);
}

bool worker_place_library(const char *exercise, char path[WORKER_PATH_MAX], Error *err)
{
    char name[96];
    snprintf(name, sizeof name, "libworker-%s.a", exercise);
    return place_find(PLACE_LIBRARIES, name, path, err);
}

bool worker_place_cache(char path[WORKER_PATH_MAX], Error *err)
{
    if (!cache_file_path("workers/", path, err))
        return false;
    bool made = state_file_make_folders(path, err);
    path[strlen(path) - 1] = '\0';
    if (!made)
        return error_set(err, TELL(CACHE_NOT_MADE), path, error_reason(errno));
    return access(path, W_OK | X_OK) == 0 ||
           error_set(err, TELL(CACHE_NOT_WRITTEN), path, error_reason(errno));
}

// ccache keeps its files in a folder outside the sandbox; our own cache does its job.
static bool is_ccache(const char *path)
{
    char whole[PATH_MAX];
    return realpath(path, whole) && strcmp(path_name(whole), "ccache") == 0;
}

bool worker_place_program(const char *name, char path[WORKER_PATH_MAX])
{
    if (strchr(name, '/')) {
        snprintf(path, WORKER_PATH_MAX, "%s", name);
        return access(path, X_OK) == 0;
    }
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        int length = (int)strcspn(folder, ":");
        snprintf(path, WORKER_PATH_MAX, "%.*s/%s", length, folder, name);
        if (length > 0 && access(path, X_OK) == 0 && !is_ccache(path))
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

// The compiler in $CC, followed by options: "gcc -m64". Splits `text`; `rest` is strtok_r's state.
static bool own_compiler(char text[WORKER_OPTIONS_MAX], char **rest, char path[WORKER_PATH_MAX])
{
    const char *own = getenv("CC");
    if (!own || strlen(own) >= WORKER_OPTIONS_MAX)
        return false;
    strcpy(text, own);
    const char *name = strtok_r(text, " ", rest);
    return name && worker_place_program(name, path);
}

int worker_place_options(const char *named, char text[WORKER_OPTIONS_MAX],
                         char *words[WORKER_OPTIONS])
{
    char path[WORKER_PATH_MAX], *rest, *word;
    int count = 0;
    if (named || !own_compiler(text, &rest, path))
        return 0;
    while (count < WORKER_OPTIONS && (word = strtok_r(NULL, " ", &rest)) != NULL)
        words[count++] = word;
    return count;
}

bool worker_place_compiler(const char *named, char path[WORKER_PATH_MAX], Error *err)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    char text[WORKER_OPTIONS_MAX], *rest;
    if (named)
        return worker_place_program(named, path) || error_set(err, TELL(NO_COMPILER_CALLED), named);
    if (own_compiler(text, &rest, path))
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (worker_place_program(usual[i], path))
            return true;
    return error_set(err, TELL(NO_COMPILER));
}

// --- toolchain

// The programs that a compiler starts, or a script in its place, and common prefixes.
static const char *const programs[] = {"as",  "ld",   "ld.bfd", "ld.gold", "ld.lld",
                                       "lld", "mold", "cc",     "gcc",     "clang",
                                       "c99", "sh",   "env",    "bash",    "ccache"};

// Subfolders of a compiler's own installation.
static const char *const parts[] = {"lib", "lib32", "lib64", "include", "libexec/gcc"};

// The system's folders that compilers read; the fence opens the same (fence_files.c).
static const char *const systems[] = {"/usr/include/",  "/usr/local/include/", "/usr/lib",
                                      "/usr/local/lib", "/usr/libexec/gcc/",   "/lib",
                                      "/nix/store/",    "/gnu/store/"};

static bool add(Toolchain *toolchain, const char *path, Error *err)
{
    bool is_done = access(path, R_OK) != 0 || toolchain->count == TOOLCHAIN_MAX;
    for (int i = 0; i < toolchain->count && !is_done; i++)
        is_done = strcmp(toolchain->paths[i], path) == 0;
    if (is_done)
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

static bool add_machines(Toolchain *toolchain, const char *prefix, Error *err)
{
    DIR *folder = opendir(prefix);
    bool good = true;
    for (struct dirent *entry; good && folder && (entry = readdir(folder)) != NULL;) {
        // "x86_64-linux-gnu" has the programs of one kind of machine.
        const char *name = entry->d_name, *hyphen = strchr(name, '-');
        const char *linker = arena_format(&toolchain->arena, err, "%s/%s/bin/ld", prefix, name);
        if (hyphen && strchr(hyphen + 1, '-') && linker && access(linker, X_OK) == 0)
            good = add_below(toolchain, prefix, name, err);
    }
    if (folder)
        closedir(folder);
    return good;
}

// The compiler's folder and its siblings: "/opt/gcc/bin/gcc" brings "/opt/gcc/lib".
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
                (!realpath(compiler, whole) || add_home(toolchain, whole, err)) &&
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
