// attnscope-unpack: takes the C files out of an archive that somebody handed in.
//
//   attnscope-unpack ARCHIVE FOLDER [archives]
//
// A process of its own, within limits of memory and time: an archive may do its worst. Zip and tar are
// read, tar also packed by gzip, bzip2 or xz; with `archives` what is taken out are C files and archives.
// Only plain files come out, under their own names below FOLDER; a line of standard output tells of each
// that did not: "WHY\tNAME\n", WHY being a word of `whys`. Ends with 0 when the archive was read to its
// end, with 1 otherwise, and then with one line that says why.
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unpack.h"

enum {
    PATH_LENGTH_MAX = 1024,
    DEPTH_MAX = 16,
    ENTRIES_MAX = 20000,
    SECONDS = 20,
};

static const char *const whys[] = {
#define UNPACK_WHY(NAME, word) [UNPACK_##NAME] = word,
#include "unpack.def"
#undef UNPACK_WHY
};

typedef struct Unpacking {
    struct archive *from;
    int folder; // descriptor
    bool takes_archives;
    long long bytes; // written so far
} Unpacking;

static void tell(UnpackWhy why, const char *name)
{
    printf("%s\t%s\n", whys[why], name);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), less = strlen(ending);
    return length > less && strcasecmp(name + length - less, ending) == 0;
}

// Whether a path stays below the folder that it is meant for, and is one that a person gives.
static bool is_below(const char *name)
{
    int depth = 0;
    if (!*name || *name == '/' || strlen(name) >= PATH_LENGTH_MAX || strchr(name, '\\') ||
        strchr(name, '\n'))
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t length = strcspn(part, "/");
        if ((length == 2 && strncmp(part, "..", 2) == 0) || length > 255 || ++depth > DEPTH_MAX)
            return false;
    }
    return true;
}

// Makes the folders that lead to a file, none of which is a link.
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

// Writes the data of an entry. False when it is more than it may be, or damaged.
static bool copy(Unpacking *work, int file, long long most)
{
    const void *block;
    size_t length;
    la_int64_t at, end = 0;
    int got;
    while ((got = archive_read_data_block(work->from, &block, &length, &at)) == ARCHIVE_OK) {
        end = at + (la_int64_t)length;
        work->bytes += (long long)length;
        if (at < 0 || end > most || work->bytes > UNPACK_BYTES_MAX ||
            pwrite(file, block, length, at) != (ssize_t)length)
            return false;
    }
    return got == ARCHIVE_EOF;
}

static void take(Unpacking *work, struct archive_entry *entry, const char *name)
{
    long long most = unpack_is_archive(name) ? UNPACK_ARCHIVE_BYTES_MAX : UNPACK_FILE_BYTES_MAX;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = archive_entry_mtime(entry)}};
    if (archive_entry_size_is_set(entry) && archive_entry_size(entry) > most) {
        tell(UNPACK_LARGE, name);
        return;
    }
    int file = make_folders(work->folder, name)
                   ? openat(work->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600)
                   : -1;
    if (file < 0) {
        tell(errno == EEXIST ? UNPACK_TWICE : UNPACK_DAMAGED, name);
        return;
    }
    bool whole = copy(work, file, most);
    if (archive_entry_mtime_is_set(entry))
        futimens(file, times);
    close(file);
    if (!whole) {
        unlinkat(work->folder, name, 0);
        tell(UNPACK_DAMAGED, name);
    }
}

// What macOS and Windows leave in archives is nobody's work.
static bool is_clutter(const char *name)
{
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    return strncmp(name, "__MACOSX/", 9) == 0 || file[0] == '.' || !*file;
}

static void look_at(Unpacking *work, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    while (name && strncmp(name, "./", 2) == 0)
        name += 2;
    bool is_wanted = name && (ends_with(name, ".c") || ends_with(name, ".h") ||
                              (work->takes_archives && unpack_is_archive(name)));
    if (!name || archive_entry_filetype(entry) == AE_IFDIR || is_clutter(name))
        return;
    if (!is_below(name))
        tell(UNPACK_OUTSIDE, name);
    else if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) != AE_IFREG)
        tell(UNPACK_LINK, name);
    else if (archive_entry_is_encrypted(entry))
        tell(UNPACK_LOCKED, name);
    else if (is_wanted)
        take(work, entry, name);
    else
        tell(unpack_is_archive(name) ? UNPACK_NESTED : UNPACK_OTHER, name);
}

static void limit(int what, rlim_t most)
{
    setrlimit(what, &(struct rlimit){most, most});
}

// `why` may belong to the archive, which ends here.
static int give_up(struct archive *from, const char *why)
{
    printf("%s\n", why ? why : "it cannot be read");
    archive_read_free(from);
    return 1;
}

int main(int count, char *words[])
{
    struct archive_entry *entry;
    Unpacking work = {.from = archive_read_new(), .takes_archives = count > 3};
    limit(RLIMIT_CPU, SECONDS);
    limit(RLIMIT_FSIZE, UNPACK_ARCHIVE_BYTES_MAX);
    limit(RLIMIT_CORE, 0);
    work.folder = count > 2 ? open(words[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (work.folder < 0 || !work.from)
        return give_up(work.from, "there is no folder for it");
    archive_read_support_format_zip(work.from);
    archive_read_support_format_tar(work.from);
    archive_read_support_filter_gzip(work.from);
    archive_read_support_filter_bzip2(work.from);
    archive_read_support_filter_xz(work.from);
    if (archive_read_open_filename(work.from, words[1], 1 << 16) != ARCHIVE_OK)
        return give_up(work.from, archive_error_string(work.from));
    int entries = 0, got;
    while ((got = archive_read_next_header(work.from, &entry)) >= ARCHIVE_WARN &&
           got != ARCHIVE_EOF) {
        if (++entries > ENTRIES_MAX || work.bytes > UNPACK_BYTES_MAX)
            return give_up(work.from, "it holds more than anybody writes for this course");
        look_at(&work, entry);
    }
    if (got != ARCHIVE_EOF)
        return give_up(work.from, archive_error_string(work.from));
    archive_read_free(work.from);
    return 0;
}
