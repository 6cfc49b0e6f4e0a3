// The program's files and its temporaries; see place.h.
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base_words.def"

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

// PLACE_BINDIR and others are relative to the prefix: "bin", "lib/x86_64-linux-gnu".
typedef struct PlaceRow {
    const char *variable; // environment variable, or NULL
    const char *built;    // in a build folder; "": itself
    const char *installed;
} PlaceRow;

static const PlaceRow rows[] = {
    [PLACE_PROGRAMS] = {NULL, "", PLACE_LIBEXECDIR "/attnscope"},
    [PLACE_LIBRARIES] = {"ATTNSCOPE_WORKERS", "lessons/exercises", PLACE_LIBDIR "/attnscope"},
    [PLACE_LESSONS] = {"ATTNSCOPE_LESSONS", "source/lessons", PLACE_DATADIR "/attnscope/lessons"},
};

// --- the running program

static char started_as[PLACE_PATH_MAX]; // set by place_begin

// Searches PATH for a name without slashes, as the shell did.
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
    char reported[PLACE_PATH_MAX];
    uint32_t room = sizeof reported;
    return _NSGetExecutablePath(reported, &room) == 0 && realpath(reported, path);
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

// Removes the folders `ending` from the end of a path; false if it ends otherwise.
static bool take_off(char *path, const char *ending)
{
    size_t length = strlen(path), less = strlen(ending);
    if (length <= less || path[length - less - 1] != '/' ||
        strcmp(path + length - less, ending) != 0)
        return false;
    path[length - less - 1] = '\0';
    return true;
}

// The root of the program's tree; false if it is not in one.
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

// The variable that overrides this program's path, or NULL.
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

// --- temporaries: removing a folder
//
// readdir allocates, which a signal handler must not; only Linux offers an alternative.

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

// A directory entry, as the kernel writes it.
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

static void temporary_tree_remove(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        empty(folder, 0);
        close(folder);
    }
    rmdir(path);
}

// --- names, locks and signals

enum { SLOTS = 16, NAMES_TRIED = 100, NAME_BYTES = 64 };

// All that a signal handler needs. `owner` is written last, so that what it finds is complete.
static struct Slot {
    volatile pid_t owner; // 0: free; a forked child ignores its parent's
    bool is_folder;
    int lock; // a folder's descriptor; -1: a file's own has the lock
    char path[TEMPORARY_PATH_MAX];
} slots[SLOTS];

const char *temporary_place(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] == '/' ? folder : "/tmp";
}

// --- creating

static int free_slot(void)
{
    for (int slot = 0; slot < SLOTS; slot++)
        if (slots[slot].owner == 0)
            return slot;
    errno = EMFILE;
    return -1;
}

static bool name_slot(int slot, const char *folder, int number)
{
    struct Slot *at = &slots[slot];
    int length = snprintf(at->path, sizeof at->path, "%s/.attnscope-%ld-%d.%s", folder,
                          (long)getpid(), number, at->is_folder ? "dir" : "new");
    if (length < (int)sizeof at->path)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

// If a sweep came between creating and locking, tries the next name. Works without locks on file systems that lack them;
// nothing is swept there.
static bool hold(int descriptor)
{
    struct stat about;
    bool is_held = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    return is_held && fstat(descriptor, &about) == 0 && about.st_nlink > 0;
}

static int make_one(const char *path, bool is_folder, mode_t mode)
{
    if (!is_folder)
        return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (mkdir(path, mode) != 0)
        return -1;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int cause = errno;
    if (folder < 0)
        rmdir(path);
    errno = cause;
    return folder;
}

// Creates it under the first free name. Returns its descriptor; -1 and errno on failure.
static int make_under_free_name(int slot, const char *folder, mode_t mode)
{
    for (int number = 0; number < NAMES_TRIED; number++) {
        if (!name_slot(slot, folder, number))
            return -1;
        int descriptor = make_one(slots[slot].path, slots[slot].is_folder, mode);
        if (descriptor >= 0 && hold(descriptor))
            return descriptor;
        if (descriptor >= 0)
            close(descriptor);
        else if (errno != EEXIST)
            return -1;
    }
    errno = EEXIST;
    return -1;
}

static bool link_under_free_name(int slot, int nameless, const char *folder)
{
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", nameless);
    for (int number = 0; number < NAMES_TRIED; number++) {
        if (!name_slot(slot, folder, number))
            return false;
        if (linkat(AT_FDCWD, source, AT_FDCWD, slots[slot].path, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

// Creates a file or folder, or if `nameless` is a descriptor gives that file a name.
static bool make(Temporary *temporary, const char *folder, bool is_folder, mode_t mode,
                 int nameless)
{
    sigset_t all, before;
    int slot = free_slot();
    *temporary = (Temporary){.descriptor = -1, .slot = slot};
    if (slot < 0)
        return false;
    slots[slot].is_folder = is_folder;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // created and registered, or neither
    int descriptor = nameless < 0 ? make_under_free_name(slot, folder, mode) : -1;
    bool made = nameless < 0 ? descriptor >= 0 : link_under_free_name(slot, nameless, folder);
    if (made) {
        temporary->path = slots[slot].path;
        temporary->descriptor = is_folder ? -1 : descriptor;
        slots[slot].lock = is_folder ? descriptor : -1;
        slots[slot].owner = getpid();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

bool temporary_file(Temporary *temporary, const char *folder, mode_t mode)
{
    return make(temporary, folder, false, mode, -1);
}

bool temporary_folder(Temporary *temporary, const char *folder)
{
    return make(temporary, folder, true, 0700, -1);
}

bool temporary_name(Temporary *temporary, int nameless, const char *folder)
{
    return make(temporary, folder, false, 0, nameless);
}

void temporary_forget(Temporary *temporary)
{
    if (!temporary->path)
        return;
    struct Slot *at = &slots[temporary->slot];
    at->owner = 0;
    if (at->lock >= 0)
        close(at->lock);
    if (temporary->descriptor >= 0)
        close(temporary->descriptor);
    *temporary = (Temporary){.descriptor = -1};
}

void temporary_drop(Temporary *temporary)
{
    int cause = errno;
    if (temporary->path && slots[temporary->slot].is_folder)
        temporary_tree_remove(temporary->path);
    else if (temporary->path)
        unlink(temporary->path);
    temporary_forget(temporary);
    errno = cause;
}

// --- sweeping

// The process in a name made by this file (strict format: no leading zero, no other letters). 0: another name.
static pid_t process_of(const char *name, bool *is_folder)
{
    char again[NAME_BYTES];
    long process = 0;
    int number = 0;
    if (sscanf(name, ".attnscope-%ld-%d.", &process, &number) != 2 || process <= 0 || number < 0)
        return 0;
    *is_folder = strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".dir") == 0;
    snprintf(again, sizeof again, ".attnscope-%ld-%d.%s", process, number,
             *is_folder ? "dir" : "new");
    return strcmp(again, name) == 0 ? (pid_t)process : 0;
}

static bool is_gone(pid_t process)
{
    return process == getpid() || (kill(process, 0) != 0 && errno == ESRCH);
}

// Locks what has this name. Returns a descriptor; -1: not ours to remove.
static int take_over(int folder, const char *name, bool is_folder, struct stat *about)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (is_folder ? O_DIRECTORY : 0);
    struct stat now;
    int descriptor = openat(folder, name, flags);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, about) == 0 && about->st_uid == geteuid() &&
        (is_folder || S_ISREG(about->st_mode)) && flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == about->st_ino)
        return descriptor;
    close(descriptor);
    return -1;
}

static void look_at(int folder, const char *name, bool removes, TemporaryLeft *left)
{
    struct stat about;
    bool is_folder = false;
    pid_t process = process_of(name, &is_folder);
    int held = process > 0 && is_gone(process) ? take_over(folder, name, is_folder, &about) : -1;
    if (held < 0)
        return;
    left->count++;
    left->bytes += is_folder ? 0 : (size_t)about.st_size;
    if (removes && is_folder)
        empty(held, 0);
    if (removes)
        unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0);
    close(held);
}

TemporaryLeft temporary_sweep(const char *folder, bool removes)
{
    TemporaryLeft left = {.count = 0};
    int cause = errno;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;)
        if (entry->d_name[0] == '.')
            look_at(dirfd(listing), entry->d_name, removes, &left);
    if (listing)
        closedir(listing);
    errno = cause;
    return left;
}

// --- signals

enum { WAITS_MAX = 500, WAIT_NANOSECONDS = 4 * 1000 * 1000 };

static struct {
    volatile pid_t owner, process; // owner: the parent's process; 0: none
    volatile int lifeline;
} helper;

void temporary_helper(pid_t process, int lifeline)
{
    helper.owner = 0;
    helper.process = process;
    helper.lifeline = lifeline;
    helper.owner = process > 0 ? getpid() : 0;
}

static void end_helper(void)
{
    const struct timespec moment = {.tv_nsec = WAIT_NANOSECONDS};
    close(helper.lifeline);
    for (int i = 0; i < WAITS_MAX && waitpid(helper.process, NULL, WNOHANG) == 0; i++)
        nanosleep(&moment, NULL);
}

// Async-signal-safe.
static void on_end(int number)
{
    pid_t own = getpid();
    if (helper.owner == own)
        end_helper();
    for (int slot = 0; slot < SLOTS; slot++)
        if (slots[slot].owner == own) {
            if (slots[slot].is_folder)
                temporary_tree_remove(slots[slot].path);
            else
                unlink(slots[slot].path);
        }
    signal(number, SIG_DFL);
    raise(number); // blocked in its own handler; delivered on return
}

static void on_limit(int number)
{
    (void)number; // the write fails and is reported
}

void temporary_watch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before, action = {.sa_handler = on_end};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &action, NULL);
    action.sa_handler = on_limit;
    sigaction(SIGXFSZ, &action, NULL);
}
