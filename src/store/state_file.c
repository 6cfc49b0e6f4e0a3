// Files written whole or not at all (new_file.h); small files kept from one run to the next
// (state_file.h).
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "input_file.h"
#include "new_file.h"
#include "state_file.h"
#include "store_words.def"
#include "utf8.h"

// --- a text file

// Changing a file takes a millisecond, but a stopped program (Ctrl-Z) may hold the lock for ever. A program that writes
// line after line frees the lock only for moments, so others try often.
enum { LOCK_TRIES = 3000, LOCK_NANOSECONDS = 1000 * 1000 };

// Sets attnscope/NAME in the folder of a variable or below the home directory.
static bool path_in(const char *variable, const char *below, const char *name,
                    char path[STATE_PATH_MAX], Error *err)
{
    const char *own = getenv(variable), *home = getenv("HOME");
    int length = 0;
    if (own && own[0] == '/')
        length = snprintf(path, STATE_PATH_MAX, "%s/attnscope/%s", own, name);
    else if (home && home[0] == '/')
        length = snprintf(path, STATE_PATH_MAX, "%s/%s/attnscope/%s", home, below, name);
    if (length >= STATE_PATH_MAX)
        return error_set(err, TELL(STATE_PATH), name, path);
    return length > 0 || error_set(err, TELL(STATE_NOWHERE), name, variable);
}

bool state_file_path(const char *name, char path[STATE_PATH_MAX], Error *err)
{
    return path_in("XDG_STATE_HOME", ".local/state", name, path, err);
}

bool cache_file_path(const char *name, char path[STATE_PATH_MAX], Error *err)
{
    return path_in("XDG_CACHE_HOME", ".cache", name, path, err);
}

bool state_file_make_folders(const char *path, Error *err)
{
    char folder[STATE_PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return error_set(err, TELL(STATE_PATH_LONG), path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int cause = mkdir(folder, 0700) == 0 ? 0 : errno;
        if (cause && access(folder, F_OK) != 0) { // the reason why it cannot be created
            errno = cause;
            return error_set(err, TELL(STATE_NOT_KEPT), folder, error_reason(cause));
        }
        *slash = '/';
    }
    return true;
}

// --- reading

static bool is_text(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)line[i];
        if ((byte < ' ' && byte != '\t') || byte == 127)
            return false;
    }
    return utf8_valid(line, length);
}

// Splits the bytes, which have one more byte after them, at line ends.
static bool cut(char *bytes, size_t length, Arena *arena, StateText *text, Error *err)
{
    size_t most = 1;
    for (size_t i = 0; i < length; i++)
        most += bytes[i] == '\n';
    text->lines = arena_take(arena, most, sizeof *text->lines, err);
    if (!text->lines)
        return false;
    for (char *at = bytes, *end; at < bytes + length; at = end + 1) {
        end = memchr(at, '\n', (size_t)(bytes + length - at));
        end = end ? end : bytes + length;
        *end = '\0';
        size_t count = (size_t)(end - at);
        if (count > 0)
            text->lines[text->count++] = (StateLine){at, count, is_text(at, count)};
    }
    return true;
}

bool state_file_read(const char *path, Arena *arena, StateText *text, Error *err)
{
    size_t length;
    *text = (StateText){NULL, 0};
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return true;
    int file = input_file_open(path, &length, err);
    if (file < 0)
        return false;
    bool good = length <= STATE_BYTES_MAX;
    if (!good)
        error_set(err, TELL(STATE_LARGE), path, length, STATE_BYTES_MAX);
    char *bytes = good ? arena_take(arena, length + 1, 1, err) : NULL;
    good = bytes && input_file_read(file, path, 0, (unsigned char *)bytes, length, err) &&
           cut(bytes, length, arena, text, err);
    close(file);
    return good;
}

// --- changing

static bool wait_for_lock(int file)
{
    const struct timespec moment = {.tv_nsec = LOCK_NANOSECONDS};
    for (int tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; tries++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || tries == LOCK_TRIES)
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

int state_file_lock(const char *path, Error *err)
{
    char name[STATE_PATH_MAX + 8];
    struct stat about;
    if (!state_file_make_folders(path, err))
        return -1;
    snprintf(name, sizeof name, "%s.lock", path);
    int file = open(name, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file < 0)
        error_set(err, TELL(STATE_NOT_KEPT), name, error_reason(errno));
    else if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        error_set(err, TELL(STATE_NOT_PLAIN), name);
    else if (!wait_for_lock(file))
        error_set(err, "%s: %s", name,
                  errno == EWOULDBLOCK ? TELL(STATE_HELD) : error_reason(errno));
    else
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

void state_file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

// --- the lines typed at the prompt

static const char version_mark[] = "\thistory\t";

// The version in a version line; 0: another line.
static int version_in(const StateLine *line)
{
    size_t mark = strlen(version_mark);
    return strncmp(line->text, version_mark, mark) == 0 ? atoi(line->text + mark) : 0;
}

static bool is_newer(const StateLine *line)
{
    return line->is_text && line->text[0] == '\t' && version_in(line) == 0;
}

static bool can_be_typed(const StateLine *line)
{
    return line->is_text && line->length < LINE_EDIT_ROOM && !strchr(line->text, '\t');
}

// Collects the newest lines from the end, without duplicates, until there is no more room.
static void take_typed(const StateText *text, History *history)
{
    char *newest[HISTORY_MAX];
    int count = 0;
    for (int i = text->count - 1; i >= 0 && count < HISTORY_MAX; i--) {
        int same = 0;
        while (same < count && strcmp(newest[same], text->lines[i].text) != 0)
            same++;
        if (can_be_typed(&text->lines[i]) && same == count)
            newest[count++] = text->lines[i].text;
    }
    *history = (History){.count = 0};
    while (count > 0)
        history_add(history, newest[--count]);
}

void history_file_read(const char *path, History *history)
{
    Arena arena = {0};
    StateText text;
    Error unread;
    *history = (History){.count = 0};
    if (state_file_read(path, &arena, &text, &unread))
        take_typed(&text, history);
    arena_finish(&arena);
}

bool history_file_look(const char *path, HistoryState *state, Error *err)
{
    Arena arena = {0};
    StateText text;
    *state = (HistoryState){.version = 0};
    bool good = state_file_read(path, &arena, &text, err);
    for (int i = 0; good && i < text.count; i++) {
        const StateLine *line = &text.lines[i];
        if (version_in(line) > 0)
            state->version = version_in(line);
        else if (can_be_typed(line))
            state->typed++;
        else if (is_newer(line))
            state->others++;
        else
            state->not_typed++;
    }
    arena_finish(&arena);
    return good;
}

// --- writing

typedef struct Change {
    StateText text; // as read
    History history;
} Change;

// First the lines of newer versions, then typed ones.
static bool write_history(const void *what, FILE *out, Error *err)
{
    (void)err;
    const Change *change = what;
    const StateText *text = &change->text;
    int version = HISTORY_VERSION;
    for (int i = 0; i < text->count; i++)
        version = version_in(&text->lines[i]) > version ? version_in(&text->lines[i]) : version;
    fprintf(out, "%s%d\n", version_mark, version);
    for (int i = 0; i < text->count; i++)
        if (is_newer(&text->lines[i]))
            fprintf(out, "%s\n", text->lines[i].text);
    for (int i = 0; i < change->history.count; i++)
        fprintf(out, "%s\n", change->history.lines[i]);
    return true;
}

bool history_file_add(const char *path, const char *line, Error *err)
{
    Arena arena = {0};
    int lock = state_file_lock(path, err);
    Change *change = lock >= 0 ? arena_take(&arena, 1, sizeof *change, err) : NULL;
    bool good = change && state_file_read(path, &arena, &change->text, err);
    if (good) {
        take_typed(&change->text, &change->history);
        history_add(&change->history, line);
        good = new_file_write(path, write_history, change, err);
    }
    state_file_unlock(lock);
    arena_finish(&arena);
    return good;
}

// --- writing in place

bool file_write_all(int to, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t wrote = write(to, bytes, count);
        if (wrote < 0 && errno != EINTR)
            return false;
        bytes += wrote > 0 ? wrote : 0;
        count -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

static bool copy_bytes(int from, int to)
{
    char bytes[32768];
    ssize_t got;
    while ((got = read(from, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !file_write_all(to, bytes, (size_t)got))
            return false;
    }
    return true;
}

static void close_both(int one, int other)
{
    int cause = errno;
    if (one >= 0)
        close(one);
    if (other >= 0)
        close(other);
    errno = cause;
}

// The descriptor that a path names (/dev/stdout, /dev/fd/3), whether or not the system has such files; -1: none.
static int new_file_copy_number(const char *path)
{
    int number = -1;
    if (strcmp(path, "/dev/stdout") == 0)
        number = STDOUT_FILENO;
    else if (strcmp(path, "/dev/stderr") == 0)
        number = STDERR_FILENO;
    else if (sscanf(path, "/dev/fd/%d", &number) != 1)
        sscanf(path, "/proc/self/fd/%d", &number);
    return number;
}

// Shares an open file (/dev/stdout, /dev/fd/3) and its position, so that later output follows.
static bool new_file_copy_into_stream(const char *path, const char *stream)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int number = new_file_copy_number(stream);
    int to = from < 0      ? -1
             : number >= 0 ? dup(number)
                           : open(stream, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool copied = to >= 0 && copy_bytes(from, to);
    close_both(from, to);
    return copied;
}

// Reserves disk space before any byte changes, so that a full disk leaves the old file intact.
static bool make_room(int to, off_t old, off_t new)
{
    int failure = new > old ? posix_fallocate(to, old, new - old) : 0;
    if (failure == 0)
        return true;
    int shrunk = ftruncate(to, old); // releases what was reserved
    (void)shrunk;
    errno = failure;
    return false;
}

// Overwrites a file's bytes; restores them if the new ones do not fit. Signals are blocked.
static bool new_file_copy_over(const char *path, const char *file)
{
    sigset_t all, before;
    struct stat old, new;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool copied = to >= 0 && fstat(from, &new) == 0 && fstat(to, &old) == 0 &&
                  make_room(to, old.st_size, new.st_size) && copy_bytes(from, to) &&
                  ftruncate(to, new.st_size) == 0 && fsync(to) == 0;
    int cause = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = cause;
    close_both(from, to);
    return copied;
}

// --- a new file

static bool begins_with(const char *path, const char *beginning)
{
    return strncmp(path, beginning, strlen(beginning)) == 0;
}

// /dev/stdout may be a plain file that others write to, or missing in a minimal /dev; /dev/shm has plain files.
bool new_file_is_stream(const char *path)
{
    struct stat status;
    if (new_file_copy_number(path) >= 0)
        return true;
    if ((begins_with(path, "/dev/") && !begins_with(path, "/dev/shm/")) ||
        begins_with(path, "/proc/"))
        return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// --- beginning

// An unnamed file, which disappears with the program. Used only if its path in /proc can be opened by the writer.
static bool begin_nameless(NewFile *file, const char *folder, mode_t mode)
{
#ifdef O_TMPFILE
    file->nameless = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (file->nameless < 0)
        return false;
    Error unsaid;
    file->temporary = arena_format(file->arena, &unsaid, "/proc/self/fd/%d", file->nameless);
    if (file->temporary && access(file->temporary, R_OK | W_OK) == 0)
        return true;
    close(file->nameless);
    file->nameless = -1;
#else
    (void)file, (void)folder, (void)mode;
#endif
    return false;
}

static bool begin_named(NewFile *file, const char *folder, mode_t mode)
{
    bool made = temporary_file(&file->named, folder, mode);
    file->temporary = file->named.path;
    return made;
}

static bool begin_beside(NewFile *file)
{
    mode_t mode = file->is_there ? 0600 : 0666; // the replacement of a private file is never public
    if (begin_nameless(file, file->folder, mode) || begin_named(file, file->folder, mode))
        return true;
    bool may_write = file->is_there && S_ISREG(file->old.st_mode) &&
                     (errno == EACCES || errno == EPERM || errno == EROFS);
    int cause = errno;
    if (may_write && access(file->target, W_OK) == 0) {
        file->in_place = true;
        return begin_named(file, temporary_place(), mode);
    }
    errno = cause;
    return false;
}

bool new_file_begin(NewFile *file, const char *path, Arena *arena, Error *err)
{
    *file = (NewFile){.path = path, .target = path, .nameless = -1, .arena = arena};
    file->is_stream = new_file_is_stream(path);
    char *real = file->is_stream ? NULL : realpath(path, NULL);
    if (real)
        file->target = arena_text(arena, real, err);
    free(real);
    char *copy = file->target ? arena_text(arena, file->target, err) : NULL;
    if (!copy)
        return false;
    file->folder = file->is_stream ? temporary_place() : dirname(copy);
    file->is_there = !file->is_stream && stat(file->target, &file->old) == 0;
    file->in_place = file->is_there && S_ISREG(file->old.st_mode) && file->old.st_nlink > 1;
    temporary_sweep(file->folder, true);
    bool begun = file->is_stream ? begin_named(file, file->folder, 0600) : begin_beside(file);
    return begun || error_unwritten(err, errno, path);
}

bool new_file_begin_new(NewFile *file, const char *path, Arena *arena, Error *err)
{
    struct stat about;
    *file = (NewFile){.nameless = -1};
    if (lstat(path, &about) == 0)
        return error_unwritten(err, EEXIST, path);
    bool begun = new_file_begin(file, path, arena, err);
    file->only_new = true;
    return begun;
}

// --- keeping

static bool sync_path(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool good = fsync(descriptor) == 0;
    int cause = errno;
    close(descriptor);
    errno = cause;
    return good;
}

// Keeps the permissions. Someone else's file in a shared folder becomes the user's if the system does not allow giving
// files away.
static void take_on_rights(const NewFile *file)
{
    int descriptor = file->nameless >= 0 ? file->nameless : file->named.descriptor;
    const struct stat *old = &file->old;
    if (!file->is_there)
        return;
    bool owned = fchown(descriptor, old->st_uid, old->st_gid) == 0 ||
                 fchown(descriptor, (uid_t)-1, old->st_gid) == 0;
    (void)owned;
    fchmod(descriptor, old->st_mode & 0777);
}

// Links the file under a second name; some file systems do not support that.
static bool take_new_place(NewFile *file)
{
    const char *from = file->nameless >= 0 ? file->temporary : file->named.path;
    if (linkat(AT_FDCWD, from, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno == EEXIST || file->nameless >= 0 || access(file->target, F_OK) == 0 ||
        rename(file->named.path, file->target) != 0)
        return false;
    temporary_forget(&file->named);
    return true;
}

static bool take_place(NewFile *file)
{
    if (file->only_new)
        return take_new_place(file);
    if (!file->is_there && file->nameless >= 0 &&
        linkat(AT_FDCWD, file->temporary, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (file->nameless >= 0 && !temporary_name(&file->named, file->nameless, file->folder))
        return false;
    if (rename(file->named.path, file->target) != 0)
        return false;
    temporary_forget(&file->named);
    return true;
}

// A mount point (a file bound into a container) can only be written in place.
static bool put(NewFile *file)
{
    if (file->in_place)
        return new_file_copy_over(file->temporary, file->target);
    take_on_rights(file);
    if (take_place(file))
        return true;
    return errno == EBUSY && file->is_there && new_file_copy_over(file->temporary, file->target);
}

bool new_file_keep(NewFile *file, Error *err)
{
    bool kept = file->is_stream ? new_file_copy_into_stream(file->temporary, file->path)
                                : sync_path(file->temporary) && put(file);
    if (!kept)
        error_unwritten(err, errno, file->path);
    // A rename survives a power cut only if the folder is synced too. Some file systems cannot; the file is complete
    // either way.
    else if (!file->is_stream)
        sync_path(file->folder);
    new_file_drop(file);
    return kept;
}

void new_file_drop(NewFile *file)
{
    if (file->nameless >= 0)
        close(file->nameless);
    file->nameless = -1;
    temporary_drop(&file->named);
}

// --- all of it

static bool fill(const NewFile *file, NewFileWrite *write, const void *what, Error *err)
{
    errno = 0;
    FILE *out = fopen(file->temporary, "we");
    if (out && !write(what, out, err)) {
        fclose(out);
        return false;
    }
    bool written = out && !ferror(out);
    int cause = errno; // of the first failure
    if (out && fclose(out) != 0 && written) {
        written = false;
        cause = errno;
    }
    return written || error_unwritten(err, cause, file->path);
}

static bool write_anew(const char *path, bool only_new, NewFileWrite *write, const void *what,
                       Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool begun = only_new ? new_file_begin_new(&file, path, &arena, err)
                          : new_file_begin(&file, path, &arena, err);
    bool filled = begun && fill(&file, write, what, err);
    if (begun && !filled)
        new_file_drop(&file);
    bool kept = filled && new_file_keep(&file, err);
    arena_finish(&arena);
    return kept;
}

bool new_file_write(const char *path, NewFileWrite *write, const void *what, Error *err)
{
    return write_anew(path, false, write, what, err);
}

typedef struct Bytes {
    const void *bytes;
    size_t length;
} Bytes;

static bool write_bytes(const void *what, FILE *out, Error *err)
{
    const Bytes *bytes = what;
    (void)err;
    fwrite(bytes->bytes, 1, bytes->length, out);
    return true;
}

bool new_file_write_bytes(const char *path, bool only_new, const void *bytes, size_t length,
                          Error *err)
{
    return write_anew(path, only_new, write_bytes, &(Bytes){bytes, length}, err);
}
