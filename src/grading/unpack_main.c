// attnscope-unpack: extracts the C files of a submitted archive.
//
//   attnscope-unpack ARCHIVE FOLDER [archives]
//
// Runs as its own process with limits of memory and time, because archives are untrusted. Reads zip, rar, 7z and tar, tar
// also with gzip, bzip2, xz or zstd. Extracts plain C files and hints.txt below FOLDER; with `archives` archives too. For
// each file left out it prints "WHY\tNAME" and a NUL (names may contain anything else); WHY is one of `whys`. Exit status:
// 0 if the archive was read to its end; 1 with a reason on the last line; 2 (UNPACK_NO_MACHINE) with an errno, if the
// machine failed.
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "unpack.h"

enum {
    NAME_LENGTH_MAX = 4096, // as in the archive
    PATH_LENGTH_MAX = 1024,
    PART_LENGTH_MAX = 255,
    DEPTH_MAX = 16,
    ENTRIES_MAX = 20000,
    SECONDS = 20,
    SECONDS_TO_END = 5,       // after SIGXCPU: tells our limit from the machine's SIGKILL
    MEMORY = 128 << 20,       // enough for any level of gzip, bzip2 and xz
    MEMORY_MOST = 1024 << 20, // hard limit
    BLOCK = 1 << 16,          // read at once
};

static const char *const whys[] = {
#define UNPACK_WHY(NAME, word) [UNPACK_##NAME] = word,
#include "unpack.def"
#undef UNPACK_WHY
};

// Reads the archive itself, because libarchive may take an unreadable file for a damaged one.
typedef struct Source {
    int file;
    int lacking; // errno of a failed read, or 0
    char block[BLOCK];
} Source;

typedef struct Unpacking {
    struct archive *from;
    int folder; // descriptor
    bool takes_archives;
    long long bytes; // written so far
    int lacking;     // errno if the machine failed, or 0
} Unpacking;

static void report(UnpackWhy why, const char *name)
{
    printf("%s\t%s%c", whys[why], name, 0);
}

// --- names

// Converts a text to UTF-8; NULL if it is not in this charset, or without memory.
static char *utf8_from(const char *charset, const char *text)
{
    enum { GROWTH = 3 }; // a byte of CP437 may become three
    size_t left = strlen(text), room = GROWTH * left;
    char *in = (char *)text, *made = malloc(room + 1), *out = made;
    iconv_t change = made ? iconv_open("UTF-8", charset) : (iconv_t)-1;
    bool is_whole = change != (iconv_t)-1 && iconv(change, &in, &left, &out, &room) == 0;
    if (change != (iconv_t)-1)
        iconv_close(change);
    if (is_whole)
        *out = '\0';
    else
        free(made);
    return is_whole ? made : NULL;
}

// True if bytes of CP949 are Korean: the syllables of KS X 1001 (both bytes from 0xA1) are usual; two letters of a Western
// charset give the others by chance.
static bool is_korean(const unsigned char *bytes)
{
    enum { HIGH = 0xA1, HANGUL = 0xB0, HANGUL_END = 0xC8 };
    int usual = 0, rare = 0;
    for (; *bytes && bytes[*bytes >= 0x80]; bytes += 1 + (*bytes >= 0x80))
        if (*bytes >= HANGUL && *bytes <= HANGUL_END && bytes[1] >= HIGH)
            usual++;
        else
            rare += *bytes >= 0x80 && (*bytes < HIGH || bytes[1] < HIGH);
    return usual > 0 && usual >= rare;
}

// Writes bytes of unknown charset as %9A.
static char *escaped(const char *bytes)
{
    char *made = malloc(3 * strlen(bytes) + 1), *out = made;
    for (; made && *bytes; bytes++)
        out += sprintf(out, (unsigned char)*bytes < 0x80 ? "%c" : "%%%02X", (unsigned char)*bytes);
    if (made)
        *out = '\0';
    return made;
}

// Nearly all programs write UTF-8, flagged or not; Korean Windows writes CP949 without saying so, others CP437, as zip's
// standard demands.
static char *decoded(const char *bytes, bool is_zip)
{
    char *name = utf8_from("UTF-8", bytes);
    if (!name && is_korean((const unsigned char *)bytes))
        name = utf8_from("CP949", bytes);
    if (!name)
        name = utf8_from(is_zip ? "CP437" : "CP1252", bytes);
    return name ? name : escaped(bytes);
}

// Shortens a path component that exceeds the file system's limit (decomposed Korean from macOS) to its beginning and a
// hash, keeping the extension.
static size_t shorten(char *part, size_t length)
{
    enum { BEGINNING = 120, ENDING_MAX = 12 };
    uint64_t hash = 14695981039346656037u; // FNV-1a
    char ending[ENDING_MAX + 1] = "";
    size_t kept = BEGINNING, end = length;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)part[i]) * 1099511628211u;
    while (end > length - ENDING_MAX && part[end - 1] != '.')
        end--;
    if (end > length - ENDING_MAX)
        snprintf(ending, sizeof ending, "%.*s", (int)(length - end + 1), part + end - 1);
    while (kept > 0 && ((unsigned char)part[kept] & 0xC0) == 0x80)
        kept--;
    return kept + (size_t)sprintf(part + kept, "~%016llx%s", (unsigned long long)hash, ending);
}

static void shorten_parts(char *name)
{
    char *to = name;
    for (char *part = name; part;) {
        size_t length = strcspn(part, "/"), now = length;
        char *next = part[length] ? part + length + 1 : NULL;
        if (length > PART_LENGTH_MAX)
            now = shorten(part, length);
        memmove(to, part, now);
        to += now;
        *to = '\0';
        to += next ? 1 : 0;
        if (next)
            to[-1] = '/';
        part = next;
    }
}

// An entry's name as UTF-8, for the caller to free. NULL: unreadable.
static char *name_of(const Unpacking *work, struct archive_entry *entry)
{
    const char *bytes = archive_entry_pathname(entry);
    bytes = bytes ? bytes : archive_entry_pathname_utf8(entry);
    bool is_zip = (archive_format(work->from) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
    char *name = bytes ? decoded(bytes, is_zip) : NULL;
    for (char *at = name; at && *at; at++) // of Windows; real names contain none
        *at = *at == '\\' ? '/' : *at;
    if (name && strlen(name) < NAME_LENGTH_MAX)
        shorten_parts(name);
    return name;
}

// libarchive converts most names to the locale's charset, and fails if it cannot, so a UTF-8 locale is needed; without
// one, only ASCII names are read.
static void choose_locale(void)
{
    static const char *const locales[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
        if (setlocale(LC_CTYPE, locales[i]))
            return;
}

// --- entries

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), less = strlen(ending);
    return length > less && strcasecmp(name + length - less, ending) == 0;
}

// True for a path that no person would use.
static bool is_odd(const char *name)
{
    int depth = 0;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strcspn(part, "/") > PART_LENGTH_MAX || ++depth > DEPTH_MAX)
            return true;
    }
    return strlen(name) >= PATH_LENGTH_MAX || strchr(name, '\n');
}

// True if the path stays below the folder.
static bool is_below(const char *name)
{
    if (!*name || *name == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strcspn(part, "/") == 2 && strncmp(part, "..", 2) == 0)
            return false;
    }
    return true;
}

// Stores an errno that an archive cannot cause.
static void note_machine(Unpacking *work, int number)
{
    Error err;
    error_number(&err, number, "%s", error_reason(number));
    if (err.of_machine)
        work->lacking = number;
}

// Creates a file's folders, refusing links.
static bool make_folders(int folder, const char *name)
{
    char path[PATH_LENGTH_MAX];
    snprintf(path, sizeof path, "%s", name);
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (slash > path && mkdirat(folder, path, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

// Writes an entry's data. Returns false if it is too large or damaged.
static bool copy(Unpacking *work, int file, long long most)
{
    const void *block;
    size_t length;
    la_int64_t at, end = 0;
    int got;
    while ((got = archive_read_data_block(work->from, &block, &length, &at)) == ARCHIVE_OK) {
        end = at + (la_int64_t)length;
        work->bytes += (long long)length;
        if (at < 0 || end > most || work->bytes > UNPACK_BYTES_MAX)
            return false;
        ssize_t written = pwrite(file, block, length, at);
        if (written != (ssize_t)length)
            return note_machine(work, written < 0 ? errno : ENOSPC), false;
    }
    if (got != ARCHIVE_EOF)
        note_machine(work, archive_errno(work->from));
    return got == ARCHIVE_EOF;
}

static bool is_larger(struct archive_entry *entry, long long most)
{
    return archive_entry_size_is_set(entry) && archive_entry_size(entry) > most;
}

static void take(Unpacking *work, struct archive_entry *entry, const char *name)
{
    long long most = unpack_is_archive(name) ? UNPACK_ARCHIVE_BYTES_MAX : UNPACK_FILE_BYTES_MAX;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = archive_entry_mtime(entry)}};
    if (is_larger(entry, most)) {
        report(UNPACK_LARGE, name);
        return;
    }
    int file = make_folders(work->folder, name)
                   ? openat(work->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600)
                   : -1;
    if (file < 0) {
        note_machine(work, errno);
        report(errno == EEXIST ? UNPACK_TWICE : UNPACK_DAMAGED, name);
        return;
    }
    bool whole = copy(work, file, most);
    if (archive_entry_mtime_is_set(entry))
        futimens(file, times);
    close(file);
    if (!whole) {
        unlinkat(work->folder, name, 0);
        report(UNPACK_DAMAGED, name);
    }
}

// A C file, also with another extension appended by an editor or browser (exercise.h).
static bool is_source(const char *name)
{
    static const char *const endings[] = {".c", ".c.txt", ".cpp", ".cc"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, endings[i]))
            return true;
    return false;
}

// Files that macOS and Windows add to archives.
static bool is_clutter(const char *name)
{
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    return strncmp(name, "__MACOSX/", 9) == 0 || file[0] == '.' || !*file;
}

static void look_at(Unpacking *work, struct archive_entry *entry, const char *name)
{
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    const char *slash = strrchr(name, '/');
    bool is_hints = strcmp(slash ? slash + 1 : name, "hints.txt") == 0; // see workspace.h
    bool is_wanted = is_source(name) || ends_with(name, ".h") || is_hints ||
                     (work->takes_archives && unpack_is_archive(name));
    if (archive_entry_filetype(entry) == AE_IFDIR || is_clutter(name))
        return;
    if (!is_below(name))
        report(UNPACK_OUTSIDE, name);
    else if (is_odd(name))
        report(UNPACK_ODD, name);
    else if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) != AE_IFREG)
        report(UNPACK_LINK, name);
    else if (archive_entry_is_encrypted(entry))
        report(UNPACK_LOCKED, name);
    else if (is_wanted)
        take(work, entry, name);
    else if (unpack_is_archive(name))
        report(UNPACK_NESTED, name);
    else
        report(is_larger(entry, UNPACK_FILE_BYTES_MAX) ? UNPACK_LARGE : UNPACK_OTHER, name);
}

static void look_at_next(Unpacking *work, struct archive_entry *entry, int number)
{
    char *name = name_of(work, entry), nameless[16];
    snprintf(nameless, sizeof nameless, "%d", number);
    if (name)
        look_at(work, entry, name);
    else if (archive_entry_pathname(entry))
        work->lacking = ENOMEM;
    else
        report(UNPACK_NAMELESS, nameless);
    free(name);
}

// Never above the limit of the parent.
static void limit(int what, rlim_t most, rlim_t at_last)
{
    struct rlimit now = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(what, &now);
    now.rlim_cur = now.rlim_cur < most ? now.rlim_cur : most;
    now.rlim_max = now.rlim_max < at_last ? now.rlim_max : at_last;
    setrlimit(what, &now);
}

static void limit_all(void)
{
    limit(RLIMIT_CPU, SECONDS, SECONDS + SECONDS_TO_END);
    limit(RLIMIT_FSIZE, UNPACK_ARCHIVE_BYTES_MAX, UNPACK_ARCHIVE_BYTES_MAX);
    limit(RLIMIT_CORE, 0, 0);
#ifndef FORBIDDEN_IS_WATCHED // sanitizers map terabytes
    limit(RLIMIT_AS, MEMORY_MOST, MEMORY_MOST);
#endif
}

static la_ssize_t read_block(struct archive *from, void *context, const void **block)
{
    Source *source = context;
    ssize_t count = read(source->file, source->block, sizeof source->block);
    *block = source->block;
    if (count < 0)
        archive_set_error(from, source->lacking = errno, "%s", strerror(errno));
    return count;
}

static la_int64_t seek_to(struct archive *from, void *context, la_int64_t at, int whence)
{
    off_t came = lseek(((Source *)context)->file, (off_t)at, whence);
    if (came < 0)
        archive_set_error(from, errno, "%s", strerror(errno));
    return came < 0 ? ARCHIVE_FATAL : came;
}

// Opens the archive. On failure source->lacking, or libarchive, has the reason. An unknown format may be lack of memory.
static bool begin(struct archive **from, Source *source, const char *path)
{
    *from = archive_read_new();
    if (!*from || archive_read_support_format_zip(*from) < ARCHIVE_WARN ||
        archive_read_support_format_rar(*from) < ARCHIVE_WARN ||
        archive_read_support_format_rar5(*from) < ARCHIVE_WARN ||
        archive_read_support_format_7zip(*from) < ARCHIVE_WARN ||
        archive_read_support_format_tar(*from) < ARCHIVE_WARN ||
        archive_read_support_filter_gzip(*from) < ARCHIVE_WARN ||
        archive_read_support_filter_bzip2(*from) < ARCHIVE_WARN ||
        archive_read_support_filter_xz(*from) < ARCHIVE_WARN ||
        archive_read_support_filter_zstd(*from) < ARCHIVE_WARN)
        return source->lacking = ENOMEM, false;
    source->lacking = 0;
    source->file = open(path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0) {
        source->lacking = errno;
        return false;
    }
    archive_read_set_read_callback(*from, read_block);
    archive_read_set_seek_callback(*from, seek_to);
    archive_read_set_callback_data(*from, source);
    return archive_read_open1(*from) == ARCHIVE_OK;
}

// libarchive does not always set a message.
static bool lacks_memory(struct archive *from)
{
    return archive_errno(from) == ENOMEM || !archive_error_string(from);
}

// An archive can demand any amount of memory: if an honest one's share is available and it fails twice, the archive is at
// fault.
static bool asks_for_too_much(const char *path)
{
    static Source source;
    struct archive *from;
    struct archive_entry *entry;
    void *room = malloc(MEMORY);
    bool has_room = room && room_in_memory() > MEMORY;
    free(room);
    int got = begin(&from, &source, path) ? ARCHIVE_OK : ARCHIVE_FATAL;
    while (got >= ARCHIVE_WARN && got != ARCHIVE_EOF)
        if ((got = archive_read_next_header(from, &entry)) >= ARCHIVE_WARN && got != ARCHIVE_EOF)
            got = archive_read_data_skip(from);
    bool lacks = source.lacking == 0 && got < ARCHIVE_WARN && lacks_memory(from);
    archive_read_free(from);
    return has_room && lacks;
}

// Exits with the line that says why the archive was not read to its end.
static int give_up(Unpacking *work, const char *path, const char *why)
{
    if (!work->lacking && !why && work->from)
        note_machine(work, lacks_memory(work->from) ? ENOMEM : archive_errno(work->from));
    if (work->lacking == ENOMEM && work->from && asks_for_too_much(path)) {
        work->lacking = 0;
        why = archive_errno(work->from) == ENOMEM ? UNPACK_GREEDY : UNPACK_UNREADABLE;
    }
    if (!why && work->from)
        why = archive_error_string(work->from);
    if (work->lacking)
        printf("%d%c", work->lacking, 0);
    else
        printf("%s%c", why ? why : UNPACK_UNREADABLE, 0);
    archive_read_free(work->from);
    return work->lacking || fflush(stdout) != 0 ? UNPACK_NO_MACHINE : 1;
}

static int read_all(Unpacking *work, const char *path)
{
    static Source source;
    struct archive_entry *entry;
    bool begun = begin(&work->from, &source, path);
    int entries = 0, got = begun ? ARCHIVE_OK : ARCHIVE_FATAL;
    while (begun && (got = archive_read_next_header(work->from, &entry)) >= ARCHIVE_WARN &&
           got != ARCHIVE_EOF) {
        if (++entries > ENTRIES_MAX || work->bytes > UNPACK_BYTES_MAX)
            return give_up(work, path, UNPACK_TOO_MUCH);
        look_at_next(work, entry, entries);
        if (work->lacking)
            break;
    }
    if (source.lacking)
        note_machine(work, source.lacking);
    if (source.lacking && !work->lacking)
        return give_up(work, path, strerror(source.lacking));
    if (work->lacking || got != ARCHIVE_EOF)
        return give_up(work, path, NULL);
    archive_read_free(work->from);
    return fflush(stdout) == 0 ? 0 : UNPACK_NO_MACHINE;
}

int main(int count, char *words[])
{
    Unpacking work = {.folder = -1, .takes_archives = count > 3};
    limit_all();
    choose_locale();
    work.folder = count > 2 ? open(words[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (work.folder < 0)
        work.lacking = count > 2 ? errno : EINVAL;
    else if (!room_ahead(ROOM_AHEAD_MOST))
        work.lacking = ENOMEM; // libarchive may take a lack of memory for damage
    return work.lacking ? give_up(&work, NULL, NULL) : read_all(&work, words[1]);
}
