// journal: see class.h.
#include "class.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "class_words.def"
#include "digest.h"
#include "json.h"
#include "place.h"
#include "state_file.h"

enum { JOURNAL_BYTES_MAX = 1 << 30 };

bool journal_place(const char *folder, char path[JOURNAL_PATH_MAX], Error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char digest[DIGEST_TEXT_MAX], *whole = realpath(folder, NULL);
    bool good = whole != NULL;
    if (!good)
        return error_set(err, "%s: %s", folder, error_reason(errno));
    bytes_digest(whole, strlen(whole), digest);
    free(whole);
    if (cache && cache[0] == '/')
        snprintf(path, JOURNAL_PATH_MAX, "%s/attnscope/grades/%s.jsonl", cache, digest);
    else if (home && home[0] == '/')
        snprintf(path, JOURNAL_PATH_MAX, "%s/.cache/attnscope/grades/%s.jsonl", home, digest);
    else
        good = error_set(err, TELL(JOURNAL_NOWHERE));
    return good && state_file_make_folders(path, err);
}

// --- reading

// What is no line of ours is passed over. False with a sentence: no memory for it.
static bool take_line(Journal *journal, const char *line, size_t length, bool is_new, Error *err)
{
    json_t *entry = json_whole_read(line, length, 0, NULL, err);
    bool good = entry || !err->of_machine;
    json_t *what = json_object_get(entry, "what");
    const char *key = json_string_value(json_object_get(entry, "key"));
    if (key && json_is_object(what) && (is_new || !json_is_true(json_object_get(what, "again"))))
        good = json_object_set(journal->known, key, what) == 0 ||
               error_machine(err, "%s", error_reason(ENOMEM));
    json_decref(entry);
    return good;
}

// Takes all whole lines behind what is known.
static bool read_on(Journal *journal, bool is_new, Error *err)
{
    struct stat about;
    if (fstat(journal->file, &about) != 0)
        return error_number(err, errno, TELL(JOURNAL_UNREAD), error_reason(errno));
    if (about.st_size > JOURNAL_BYTES_MAX)
        return error_set(err, TELL(JOURNAL_LARGE));
    size_t length =
        (size_t)about.st_size > journal->read ? (size_t)about.st_size - journal->read : 0;
    char *text = malloc(length + 1);
    if (!text)
        return error_machine(err, TELL(JOURNAL_MEMORY), length);
    ssize_t got = pread(journal->file, text, length, (off_t)journal->read);
    bool good = got >= 0 || error_number(err, errno, TELL(JOURNAL_UNREAD), error_reason(errno));
    const char *at = text, *end = text + (good ? got : 0);
    for (const char *stop; good && (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1)
        good = take_line(journal, at, (size_t)(stop - at), is_new, err);
    journal->read += (size_t)(at - text);
    free(text);
    return good;
}

// A pipe in its place would be waited for.
static bool is_plain(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

// Lines are only ever added, so the first one tells whose file it is: as much of it as there is, since
// somebody may have been killed in the middle of it.
static const char begins[] = "{\"key\":\"";

static bool is_ours(int file)
{
    char found[sizeof begins];
    ssize_t got = pread(file, found, sizeof begins - 1, 0);
    return got < 0 || memcmp(found, begins, (size_t)got) == 0; // what cannot be read is told later
}

bool journal_open(Journal *journal, const char *path, Error *err)
{
    *journal =
        (Journal){.file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600),
                  .known = json_object()};
    bool good = journal->file >= 0 && journal->known;
    if (!good)
        error_number(err, errno, TELL(JOURNAL_UNOPENED), path, error_reason(errno));
    else if (!is_plain(journal->file))
        good = error_set(err, TELL(JOURNAL_NOT_PLAIN), path);
    else if (!is_ours(journal->file))
        good = error_set(err, TELL(JOURNAL_OTHER), path);
    else
        good = read_on(journal, false, err);
    if (!good)
        journal_close(journal);
    return good;
}

bool journal_open_unnamed(Journal *journal, Error *err)
{
    Temporary folder = {.path = NULL};
    char path[JOURNAL_PATH_MAX];
    *journal = (Journal){.file = -1};
    if (!temporary_folder(&folder, temporary_place()))
        return error_number(err, errno, TELL(JOURNAL_UNOPENED), temporary_place(),
                            error_reason(errno));
    snprintf(path, sizeof path, "%s/journal", folder.path);
    bool good = journal_open(journal, path, err);
    temporary_drop(&folder);
    return good;
}

bool journal_refresh(Journal *journal, Error *err)
{
    return journal->file < 0 || read_on(journal, true, err);
}

const json_t *journal_find(const Journal *journal, const char *key)
{
    return journal->known ? json_object_get(journal->known, key) : NULL;
}

// --- adding

static bool write_all(int file, const char *text, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t wrote = write(file, text + done, length - done);
        if (wrote < 0 && errno != EINTR)
            return false;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

// Ends the line in the middle of which somebody was killed, who held the lock as its caller does now. The
// first line gets as much as tells whose file it is.
static bool end_torn(int file)
{
    struct stat about;
    char last = '\n';
    size_t whole = sizeof begins - 1;
    if (fstat(file, &about) != 0 || about.st_size == 0 ||
        pread(file, &last, 1, about.st_size - 1) != 1 || last == '\n')
        return true;
    size_t there = about.st_size < (off_t)whole ? (size_t)about.st_size : whole;
    return write_all(file, begins + there, whole - there) && write_all(file, "\n", 1);
}

// A process's own lock, which a fork does not share, as it would one of flock's.
static int lock(int file, short kind)
{
    struct flock whole = {.l_type = kind, .l_whence = SEEK_SET};
    int locked;
    while ((locked = fcntl(file, F_SETLKW, &whole)) != 0 && errno == EINTR)
        continue;
    return locked;
}

bool journal_add(const Journal *journal, const char *key, json_t *what, Error *err)
{
    if (journal->file < 0)
        return true;
    json_t *entry = json_pack("{s:s, s:O}", "key", key, "what", what);
    char *text = entry ? json_dumps(entry, JSON_COMPACT) : NULL;
    size_t length = text ? strlen(text) : 0;
    json_decref(entry);
    if (!text)
        return error_machine(err, TELL(JOURNAL_LINE));
    text[length] = '\n'; // in the place of the NUL: one write, one line
    // Where locks are not to be had, lines are added all the same.
    bool locked = lock(journal->file, F_WRLCK) == 0;
    bool good = end_torn(journal->file) && write_all(journal->file, text, length + 1);
    if (!good)
        error_number(err, errno, TELL(JOURNAL_UNWRITTEN), error_reason(errno));
    if (locked)
        lock(journal->file, F_UNLCK);
    free(text);
    return good;
}

void journal_close(Journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    json_decref(journal->known);
    *journal = (Journal){.file = -1};
}
