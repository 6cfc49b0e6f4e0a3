// worker_place: where the keeper, the libraries, the cache and the compiler are.
#include "worker_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The folder that the running program lies in; "" where the system does not tell.
static const char *own_folder(char path[2048])
{
    ssize_t length = readlink("/proc/self/exe", path, 2047);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return path;
}

bool worker_place_keeper(char path[WORKER_PATH_MAX], Error *err)
{
    static const char *const places[] = {"attnscope-keeper", "../attnscope-keeper",
                                         "../libexec/attnscope/attnscope-keeper"};
    const char *named = getenv("ATTNSCOPE_KEEPER");
    char folder[2048];
    own_folder(folder);
    snprintf(path, WORKER_PATH_MAX, "%s", named ? named : "");
    for (int i = 0; i < 3 && !named && folder[0]; i++) {
        snprintf(path, WORKER_PATH_MAX, "%s/%s", folder, places[i]);
        if (access(path, X_OK) == 0)
            return true;
    }
    if (!named)
        snprintf(path, WORKER_PATH_MAX, "%s", WORKER_KEEPER_INSTALLED);
    return access(path, X_OK) == 0 ||
           error_set(err,
                     "the program attnscope-keeper, which runs your functions, is not at %s; build "
                     "or install it, or name it in ATTNSCOPE_KEEPER",
                     path);
}

bool worker_place_library(const char *exercise, char path[WORKER_PATH_MAX], Error *err)
{
    const char *const folders[] = {getenv("ATTNSCOPE_WORKERS"), WORKER_LIBRARIES_BUILT,
                                   WORKER_LIBRARIES_INSTALLED};
    for (int i = 0; i < 3; i++) {
        if (!folders[i])
            continue;
        snprintf(path, WORKER_PATH_MAX, "%s/libworker-%s.a", folders[i], exercise);
        if (access(path, R_OK) == 0)
            return true;
    }
    return error_set(
        err,
        "libworker-%s.a, which calls the function of exercise %s, is neither in %s nor "
        "in %s; build or install attnscope, or name the folder in ATTNSCOPE_WORKERS",
        exercise, exercise, WORKER_LIBRARIES_BUILT, WORKER_LIBRARIES_INSTALLED);
}

// Makes a folder and those above it.
static bool make_folders(char *path, Error *err)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EROFS;
        if (!made)
            error_set(
                err,
                "%s cannot be made: %s; built programs are kept there: name another folder in "
                "XDG_CACHE_HOME",
                path, strerror(errno));
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
        return error_set(err,
                         "there is no place for built programs: neither XDG_CACHE_HOME nor HOME "
                         "is set to a folder");
    if (!make_folders(path, err))
        return false;
    return access(path, W_OK | X_OK) == 0 ||
           error_set(err,
                     "cannot write to %s: %s; built programs are kept there: name another folder "
                     "in XDG_CACHE_HOME",
                     path, strerror(errno));
}

// A command's path, looked up in PATH unless it is one.
static bool look_up(const char *name, char path[WORKER_PATH_MAX])
{
    if (strchr(name, '/')) {
        snprintf(path, WORKER_PATH_MAX, "%s", name);
        return access(path, X_OK) == 0;
    }
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        int length = (int)strcspn(folder, ":");
        snprintf(path, WORKER_PATH_MAX, "%.*s/%s", length, folder, name);
        if (length > 0 && access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

bool worker_place_compiler(const char *named, char path[WORKER_PATH_MAX], Error *err)
{
    const char *own = getenv("CC");
    const char *const usual[] = {own && own[0] && !strchr(own, ' ') ? own : "cc", "cc", "gcc",
                                 "clang"};
    if (named)
        return look_up(named, path) ||
               error_set(err, "there is no compiler called %s; name one that is in PATH, or a path",
                         named);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (look_up(usual[i], path))
            return true;
    return error_set(err, "there is no C compiler: neither cc, gcc nor clang is in PATH. Install "
                          "one (on Debian and Ubuntu: apt-get install gcc libc6-dev), or name one "
                          "in CC");
}

bool worker_program_is_sanitized(const char *program)
{
    size_t length = strlen(program), ending = strlen(WORKER_SANITIZED);
    return length > ending && strcmp(program + length - ending, WORKER_SANITIZED) == 0;
}
