// place: see place.h.
#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base_words.def"
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

// PLACE_BINDIR and its like are relative to the prefix: "bin", "lib/x86_64-linux-gnu".
typedef struct PlaceRow {
    const char *variable; // of the environment; NULL: none
    const char *built;    // in a build folder; "": itself
    const char *installed;
} PlaceRow;

static const PlaceRow rows[] = {
    [PLACE_PROGRAMS] = {NULL, "", PLACE_LIBEXECDIR "/attnscope"},
    [PLACE_LIBRARIES] = {"ATTNSCOPE_WORKERS", "lessons/exercises", PLACE_LIBDIR "/attnscope"},
    [PLACE_LESSONS] = {"ATTNSCOPE_LESSONS", "source/lessons", PLACE_DATADIR "/attnscope/lessons"},
};

// --- the running program

static char started_as[PLACE_PATH_MAX]; // what place_begin found out

// A name without folders is looked for as the shell did that started it.
static bool look_up(const char *name, char path[PLACE_PATH_MAX])
{
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        char found[PLACE_PATH_MAX];
        int length = (int)strcspn(folder, ":");
        snprintf(found, sizeof found, "%.*s/%s", length, folder, name);
        if (length > 0 && access(found, X_OK) == 0)
            return realpath(found, path) != NULL;
        folder += length + (folder[length] == ':');
    }
    return false;
}

void place_begin(const char *argument)
{
    bool found = false;
    if (argument && *argument)
        found = strchr(argument, '/') ? realpath(argument, started_as) != NULL
                                      : look_up(argument, started_as);
    if (!found)
        started_as[0] = '\0';
}

static bool ask_system(char path[PLACE_PATH_MAX])
{
#ifdef __APPLE__
    char told[PLACE_PATH_MAX];
    uint32_t room = sizeof told;
    return _NSGetExecutablePath(told, &room) == 0 && realpath(told, path);
#else
    ssize_t length = readlink("/proc/self/exe", path, PLACE_PATH_MAX);
    bool whole = length > 0 && length < PLACE_PATH_MAX;
    path[whole ? length : 0] = '\0';
    return whole;
#endif
}

const char *place_self(char path[PLACE_PATH_MAX])
{
    if (!ask_system(path))
        snprintf(path, PLACE_PATH_MAX, "%s", started_as);
    return path;
}

// --- its tree

// Takes the folders `ending` off the end of a path; false when it does not end so.
static bool take_off(char *path, const char *ending)
{
    size_t length = strlen(path), less = strlen(ending);
    if (length <= less || path[length - less - 1] != '/' ||
        strcmp(path + length - less, ending) != 0)
        return false;
    path[length - less - 1] = '\0';
    return true;
}

// The root of the tree that the program belongs to; false when it lies alone.
static bool find_tree(char root[PLACE_PATH_MAX], bool *is_built)
{
    char link[PLACE_PATH_MAX + 8];
    struct stat about;
    char *slash = strrchr(place_self(root), '/');
    if (!slash)
        return false;
    *slash = '\0';
    snprintf(link, sizeof link, "%s/source", root);
    *is_built = lstat(link, &about) == 0 && S_ISLNK(about.st_mode);
    return *is_built || take_off(root, PLACE_BINDIR) ||
           take_off(root, PLACE_LIBEXECDIR "/attnscope");
}

bool place_folder(Place place, int number, char path[PLACE_PATH_MAX])
{
    const PlaceRow *row = &rows[place];
    const char *named = row->variable ? getenv(row->variable) : NULL;
    char root[PLACE_PATH_MAX];
    bool is_built;
    if (named && number == 0)
        return snprintf(path, PLACE_PATH_MAX, "%s", named) < PLACE_PATH_MAX;
    if (number != (named ? 1 : 0) || !find_tree(root, &is_built))
        return false;
    const char *below = is_built ? row->built : row->installed;
    return snprintf(path, PLACE_PATH_MAX, "%s%s%s", root, *below ? "/" : "", below) <
           PLACE_PATH_MAX;
}

bool place_missing(Place place, const char *what, Error *err)
{
    const char *variable = rows[place].variable;
    char first[PLACE_PATH_MAX], second[PLACE_PATH_MAX], self[PLACE_PATH_MAX], otherwise[64] = "";
    if (variable)
        snprintf(otherwise, sizeof otherwise, TELL(PLACE_NAME), variable);
    if (!place_folder(place, 0, first))
        return error_set(err, TELL(PLACE_ALONE), what, place_self(self), otherwise);
    bool two = place_folder(place, 1, second);
    return error_set(err, TELL(PLACE_NONE), what, first, two ? TELL(PLACE_AND) : "",
                     two ? second : "", otherwise);
}

bool place_find(Place place, const char *name, char path[PLACE_PATH_MAX], Error *err)
{
    char folder[PLACE_PATH_MAX];
    for (int i = 0; place_folder(place, i, folder); i++)
        if (snprintf(path, PLACE_PATH_MAX, "%s/%s", folder, name) < PLACE_PATH_MAX &&
            access(path, F_OK) == 0)
            return true;
    return place_missing(place, name, err);
}

// The variable that can name another program in the place of this one; NULL: none can.
static const char *variable_of(const char *name)
{
#define PLACE_PROGRAM(program, variable) {program, variable},
    static const char *const programs[][2] = {
#include "place_programs.def"
    };
#undef PLACE_PROGRAM
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i][0], name) == 0)
            return programs[i][1];
    return NULL;
}

bool place_program(const char *name, char path[PLACE_PATH_MAX], Error *err)
{
    const char *variable = variable_of(name), *named = variable ? getenv(variable) : NULL;
    if (!named)
        return place_find(PLACE_PROGRAMS, name, path, err);
    snprintf(path, PLACE_PATH_MAX, "%s", named);
    return access(path, X_OK) == 0 || error_set(err, TELL(PLACE_NO_PROGRAM), variable, path);
}
