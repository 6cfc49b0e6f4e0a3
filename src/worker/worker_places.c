// worker_place: where the keeper, the libraries, the cache and the compiler are.
#include "worker_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "place.h"
#include "worker_words.h"

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

// Makes a folder and those above it.
static bool make_folders(char *path, Error *err)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        int cause = mkdir(path, 0700) == 0 ? 0 : errno;
        bool made = !cause || access(path, F_OK) == 0; // a disk that is only read has it, perhaps
        if (!made)
            error_set(err, TELL(CACHE_NOT_MADE), path, error_reason(cause));
        if (slash)
            *slash = '/';
        if (!made || !slash)
            return made;
    }
}

bool worker_place_cache(char path[WORKER_PATH_MAX], Error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        snprintf(path, WORKER_PATH_MAX, "%s/attnscope/workers", cache);
    else if (home && home[0] == '/')
        snprintf(path, WORKER_PATH_MAX, "%s/.cache/attnscope/workers", home);
    else
        return error_set(err, TELL(CACHE_NONE));
    if (!make_folders(path, err))
        return false;
    return access(path, W_OK | X_OK) == 0 ||
           error_set(err, TELL(CACHE_NOT_WRITTEN), path, error_reason(errno));
}

// ccache keeps what it compiled in a folder of the person's, out of a fenced compiler's reach; what
// has been built once is found in our own cache.
static bool is_cache(const char *path)
{
    char whole[PATH_MAX], *slash = realpath(path, whole) ? strrchr(whole, '/') : NULL;
    return slash && strcmp(slash, "/ccache") == 0;
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
        if (length > 0 && access(path, X_OK) == 0 && !is_cache(path))
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

// The compiler that $CC names, with its options after it: "gcc -m64". `text` is cut into its words;
// `rest` is where strtok_r goes on.
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

bool worker_program_is_sanitized(const char *program)
{
    size_t length = strlen(program), ending = strlen(WORKER_SANITIZED);
    return length > ending && strcmp(program + length - ending, WORKER_SANITIZED) == 0;
}
