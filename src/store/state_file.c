// What is kept from one run to the next: small text files, and the lines typed at the prompt; see
// state_file.h.
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "input_file.h"
#include "new_file.h"
#include "store_words.def"
#include "utf8.h"

// --- a text file

// Noting something takes a millisecond; a program that was stopped while it did so (Ctrl-Z) may hold
// the lock for ever.
enum { LOCK_TRIES = 100, LOCK_NANOSECONDS = 30 * 1000 * 1000 };

bool state_file_path(const char *name, char path[STATE_PATH_MAX], Error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (state && state[0] == '/')
        length = snprintf(path, STATE_PATH_MAX, "%s/attnscope/%s", state, name);
    else if (home && home[0] == '/')
        length = snprintf(path, STATE_PATH_MAX, "%s/.local/state/attnscope/%s", home, name);
    if (length >= STATE_PATH_MAX)
        return error_set(err, TELL(STATE_PATH), name, path);
    return length > 0 || error_set(err, TELL(STATE_NOWHERE), name);
}

bool state_file_make_folders(const char *path, Error *err)
{
    char folder[STATE_PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return error_set(err, TELL(STATE_PATH_LONG), path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int cause = mkdir(folder, 0700) == 0 ? 0 : errno;
        if (cause && access(folder, F_OK) != 0) // not why it is not there, but why it cannot be
            return error_set(err, TELL(STATE_NOT_KEPT), folder, error_reason(cause));
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

// Cuts the bytes at the ends of lines; there is one more byte behind them.
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

static bool is_plain(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

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
    if (!state_file_make_folders(path, err))
        return -1;
    snprintf(name, sizeof name, "%s.lock", path);
    int file = open(name, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file < 0)
        error_set(err, TELL(STATE_NOT_KEPT), name, error_reason(errno));
    else if (!is_plain(file))
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

bool state_file_write(const char *path, StateWrite *write, const void *what, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &arena, err);
    errno = 0;
    FILE *out = good ? fopen(file.temporary, "we") : NULL;
    if (out)
        write(what, out);
    bool written = out && !ferror(out);
    int cause = errno; // of the first that failed: closing may fail for less
    if (out && fclose(out) != 0 && written) {
        written = false;
        cause = errno;
    }
    if (written) {
        good = new_file_keep(&file, err);
    } else if (good) {
        new_file_drop(&file);
        good = error_number(err, cause, TELL(STATE_UNWRITTEN), path, error_reason(cause));
    }
    arena_finish(&arena);
    return good;
}

// --- the lines typed at the prompt

static const char version_mark[] = "\thistory\t";

// The version in a line that tells it; 0: it is another line.
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

static bool is_among(char *const lines[], int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (strcmp(lines[i], text) == 0)
            return true;
    return false;
}

// The newest lines, each once. From the end, and no further than there is room for: a file may be
// long.
static void take_typed(const StateText *text, History *history)
{
    char *newest[HISTORY_MAX];
    int count = 0;
    for (int i = text->count - 1; i >= 0 && count < HISTORY_MAX; i--)
        if (can_be_typed(&text->lines[i]) && !is_among(newest, count, text->lines[i].text))
            newest[count++] = text->lines[i].text;
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
    StateText text; // as it was read
    History history;
} Change;

// What newer versions wrote comes first, then what was typed.
static void write_all(const void *what, FILE *out)
{
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
        good = state_file_write(path, write_all, change, err);
    }
    state_file_unlock(lock);
    arena_finish(&arena);
    return good;
}
