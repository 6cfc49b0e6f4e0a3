// The cache of built programs, and their records; see worker_build.h.
//
// A record:
//   attnscope 2
//   DIGEST                        of the program
//   PARTS FENCE                   what held the compiler
//   read SIZE SECONDS NANO PATH   a line for each system file that it read
//                                 an empty line; then the compiler's words
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "digest.h"
#include "fence.h"
#include "input_file.h"
#include "worker_build.h"
#include "worker_internal.h"

// --- the digest of all inputs

enum { SOURCE_BYTES_MAX = 1 << 20, LIBRARY_BYTES_MAX = 16 << 20 };

// The digest of the previous digest and these bytes.
static void mix(char digest[WORKER_DIGEST_MAX], const void *bytes, size_t count)
{
    char both[2 * DIGEST_TEXT_MAX], text[DIGEST_TEXT_MAX];
    snprintf(both, sizeof both, "%.64s%s", digest, bytes_digest(bytes, count, text));
    snprintf(digest, WORKER_DIGEST_MAX, "%s", bytes_digest(both, strlen(both), text));
}

// The digest of `digest` and a text.
static void worker_digest_text(char digest[WORKER_DIGEST_MAX], const char *text)
{
    mix(digest, text, strlen(text));
}

static bool mix_file(char digest[WORKER_DIGEST_MAX], const char *path, size_t most, Error *err)
{
    Arena arena = {.chunks = NULL};
    unsigned char *bytes;
    size_t count;
    bool read = input_file_all(path, most, &arena, &bytes, &count, err);
    if (read)
        mix(digest, bytes, count);
    arena_finish(&arena);
    return read;
}

// Writes "SIZE SECONDS NANO" of a file.
static bool stamp_of(const char *path, char stamp[96])
{
    struct stat about;
    if (stat(path, &about) != 0)
        return false;
    snprintf(stamp, 96, "%lld %lld %ld", (long long)about.st_size, (long long)about.st_mtim.tv_sec,
             about.st_mtim.tv_nsec);
    return true;
}

// A program by size and date: reading it would take longer than compiling.
static void mix_program(char digest[WORKER_DIGEST_MAX], const char *path)
{
    char stamp[96];
    worker_digest_text(digest, path);
    worker_digest_text(digest, stamp_of(path, stamp) ? stamp : "");
}

bool worker_digest_mix(char digest[WORKER_DIGEST_MAX], const CacheMade *made, Error *err)
{
    const char *header = made->build->header;
    if (!mix_file(digest, made->library, LIBRARY_BYTES_MAX, err) ||
        (header && !mix_file(digest, header, SOURCE_BYTES_MAX, err)))
        return false;
    for (int i = 0; i < made->copy->count; i++) {
        const CopyFile *file = &made->copy->files[i];
        if (!file->belongs)
            continue;
        worker_digest_text(digest, file->path);
        mix(digest, file->bytes, file->length);
    }
    for (int i = 0; i < made->toolchain->count; i++)
        mix_program(digest, made->toolchain->paths[i]);
    char text[WORKER_OPTIONS_MAX], *options[WORKER_OPTIONS];
    int count = worker_place_options(made->build->compiler, text, options);
    worker_digest_text(digest, made->compiler);
    for (int i = 0; i < count; i++)
        worker_digest_text(digest, options[i]);
    // A program built without a full sandbox is not reused with one.
    worker_digest_text(digest, fence_linux_has_files() ? "8 fenced" : "8");
    return true;
}

// --- records

enum { PROGRAM_BYTES_MAX = 64 << 20, RECORD_BYTES_MAX = 1 << 20 };

static const char record_head[] = "attnscope 2\n";

static bool digest_of(const char *path, char digest[DIGEST_TEXT_MAX], Error *err)
{
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    bool read = input_file_all(path, PROGRAM_BYTES_MAX, &arena, &bytes, &length, err);
    if (read)
        bytes_digest(bytes, length, digest);
    arena_finish(&arena);
    return read;
}

// --- writing

// The next path in make's format, with blanks escaped by backslashes. Returns false at the end.
static bool next_path(const char **at, char path[WORKER_PATH_MAX])
{
    size_t used = 0;
    while (isspace((unsigned char)**at) || (**at == '\\' && (*at)[1] == '\n'))
        ++*at;
    for (; **at && !isspace((unsigned char)**at) && used + 1 < WORKER_PATH_MAX; ++*at) {
        bool is_escape = (**at == '\\' && (*at)[1] && strchr(" \t#", (*at)[1])) ||
                         (**at == '$' && (*at)[1] == '$');
        *at += is_escape;
        path[used++] = **at;
    }
    path[used] = '\0';
    return used > 0;
}

// What the compiler read, and where that is recorded.
typedef struct Reading {
    FILE *record;
    const WorkerCache *cache;
    const CacheMade *made;
    WorkerProgram *program;
    char own[PATH_MAX + 1]; // cache->build, canonical, with a slash
} Reading;

// Records a file that the compiler read, or refuses it. Files in our own folder are part of the name.
static bool note_read(const Reading *reading, const char *path, Error *err)
{
    // Uses arrays: resolving a path must not fail for lack of memory.
    char below[2 * WORKER_PATH_MAX], whole[PATH_MAX], stamp[96];
    const WorkerCopy *copy = reading->made->copy;
    snprintf(below, sizeof below, "%s/%s", *path == '/' ? "" : reading->cache->build, path);
    bool found = realpath(below, whole) != NULL;
    bool is_own = found && strncmp(whole, reading->own, strlen(reading->own)) == 0;
    bool good = is_own || (found && toolchain_owns(reading->made->toolchain, whole));
    if (!good) {
        WorkerProgram *program = reading->program;
        program->end = WORKER_BUILD_REFUSED;
        error_set(err, TELL(READ_OUTSIDE), copy->shown, copy->files[0].path, path);
        words_format(program->said, sizeof program->said, TELL(READ_OUTSIDE_LINE), copy->shown,
                     copy->files[0].path, path);
        worker_words_printable(program->said);
    } else if (!is_own && stamp_of(whole, stamp)) {
        fprintf(reading->record, "read %s %s\n", stamp, whole);
    }
    return good;
}

// All paths after the colon of "program: a.c b.h".
static bool note_all_read(Reading *reading, Error *err)
{
    Arena arena = {0};
    char list[WORKER_PATH_MAX + 64], path[WORKER_PATH_MAX];
    unsigned char *bytes;
    size_t length;
    snprintf(list, sizeof list, "%s/" CACHE_READ, reading->cache->build);
    if (!realpath(reading->cache->build, reading->own))
        return error_number(err, errno, TELL(CANNOT_OPEN), reading->cache->build,
                            error_reason(errno));
    strcat(reading->own, "/");
    bool good = input_file_all(list, RECORD_BYTES_MAX, &arena, &bytes, &length, err);
    const char *text =
        good ? arena_format(&arena, err, "%.*s", (int)length, (const char *)bytes) : NULL;
    const char *at = text ? strstr(text, ": ") : NULL;
    good = text != NULL;
    for (at = at ? at + 2 : ""; good && next_path(&at, path);)
        good = note_read(reading, path, err);
    arena_finish(&arena);
    return good;
}

// Writes a program's record. Returns false on failure; refuses as worker_cache_keep.
static bool worker_record_write(const char *path, const WorkerCache *cache, const CacheMade *made,
                                WorkerProgram *program, Error *err)
{
    char temporary[WORKER_PATH_MAX + 64], built[WORKER_PATH_MAX + 64], digest[DIGEST_TEXT_MAX];
    char place[WORKER_PATH_MAX + 104];
    snprintf(temporary, sizeof temporary, "%s/record", cache->build);
    snprintf(built, sizeof built, "%s/" CACHE_PROGRAM, cache->build);
    snprintf(place, sizeof place, "%s" WORKER_RECORD, path);
    if (!digest_of(built, digest, err))
        return !err->of_machine && error_set(err, TELL(NO_PROGRAM), made->compiler);
    FILE *record = fopen(temporary, "w");
    bool good = record != NULL;
    if (record) {
        fprintf(record, "%s%s\n%d %s\n", record_head, digest, program->fence_parts, program->fence);
        Reading reading = {record, cache, made, program, ""};
        if (!note_all_read(&reading, err)) {
            fclose(record);
            return false;
        }
        fprintf(record, "\n%s", program->said);
        good = !ferror(record);
        good = fclose(record) == 0 && good;
    }
    return (good && rename(temporary, place) == 0) ||
           error_set(err, TELL(CACHE_NOT_KEPT), cache->folder, error_reason(errno));
}

// --- reading

// Cuts off a line; NULL at the end.
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return line;
}

// "read SIZE SECONDS NANO PATH"
static bool is_as_it_was(const char *line)
{
    char stamp[96];
    const char *path = line;
    for (int word = 0; word < 4 && path; word++)
        path = strchr(path + 1, ' ');
    return path && strncmp(line, "read ", 5) == 0 && stamp_of(path + 1, stamp) &&
           strlen(stamp) == (size_t)(path - line - 5) &&
           strncmp(line + 5, stamp, strlen(stamp)) == 0;
}

static bool take_record(char *text, const char *digest, WorkerProgram *program)
{
    char *line = next_line(&text), *fence = NULL;
    if (!line || strncmp(line, record_head, strlen(line)) != 0 || !(line = next_line(&text)) ||
        strcmp(line, digest) != 0 || !(line = next_line(&text)))
        return false;
    program->fence_parts = (int)strtol(line, &fence, 10);
    snprintf(program->fence, sizeof program->fence, "%s", fence + (*fence == ' '));
    while ((line = next_line(&text)) != NULL && *line)
        if (!is_as_it_was(line))
            return false;
    snprintf(program->said, sizeof program->said, "%s", text);
    return line != NULL;
}

// Reads the record. Returns false if the program or one of its inputs has changed.
static bool worker_record_read(const char *path, WorkerProgram *program)
{
    Arena arena = {0};
    char place[WORKER_PATH_MAX + 104], digest[DIGEST_TEXT_MAX];
    unsigned char *bytes;
    size_t length;
    Error unread;
    snprintf(place, sizeof place, "%s" WORKER_RECORD, path);
    bool good = digest_of(path, digest, &unread) &&
                input_file_all(place, RECORD_BYTES_MAX, &arena, &bytes, &length, &unread);
    char *text =
        good ? arena_format(&arena, &unread, "%.*s", (int)length, (const char *)bytes) : NULL;
    good = text && take_record(text, digest, program);
    arena_finish(&arena);
    return good;
}

// --- the name

const char *worker_cache_root(const CacheMade *made)
{
    return made->build->optimisation == 0 ? made->copy->root : ".";
}

bool worker_cache_open(WorkerCache *cache, const CacheMade *made, Error *err)
{
    char used[64];
    *cache = (WorkerCache){.name = "attnscope"};
    if (!worker_place_cache(cache->folder, err) || !worker_digest_mix(cache->name, made, err))
        return false;
    snprintf(used, sizeof used, "%d %d", made->build->sanitize, made->build->optimisation);
    worker_digest_text(cache->name, worker_cache_root(made));
    worker_digest_text(cache->name, used);
    return true;
}

// --- lookup

static const char *const kinds[] = {WORKER_SANITIZED, WORKER_PLAIN};

bool worker_cache_find(const WorkerCache *cache, WorkerProgram *program)
{
    for (int i = 0; i < 2; i++) {
        char path[WORKER_PATH_MAX + 96];
        snprintf(path, sizeof path, "%s/%s%s", cache->folder, cache->name, kinds[i]);
        if (strlen(path) >= sizeof program->path || !worker_record_read(path, program))
            continue;
        strcpy(program->path, path);
        utimensat(AT_FDCWD, path, NULL, 0); // now recently used
        program->sanitized = i == 0;
        program->was_built = true;
        program->end = WORKER_BUILD_DONE;
        return true;
    }
    return false;
}

// --- linkers that fail

// What made one fail, a library or memory, may have come since.
enum { LINK_NOTE_SECONDS = 24 * 3600 };

static void link_note(const WorkerCache *cache, const CacheMade *made, const char *linker,
                      char path[WORKER_PATH_MAX + 96])
{
    char name[WORKER_DIGEST_MAX] = "attnscope";
    mix_program(name, made->compiler);
    mix_program(name, linker);
    worker_digest_text(name, made->build->sanitize ? "sanitized" : "plain");
    snprintf(path, WORKER_PATH_MAX + 96, "%s/%s.link-fails", cache->folder, name);
}

bool worker_cache_link_fails(const WorkerCache *cache, const CacheMade *made, const char *linker)
{
    char path[WORKER_PATH_MAX + 96];
    struct stat about;
    link_note(cache, made, linker, path);
    if (stat(path, &about) != 0)
        return false;
    bool holds = time(NULL) - about.st_mtime < LINK_NOTE_SECONDS;
    if (!holds)
        unlink(path);
    return holds;
}

void worker_cache_note_link_fails(const WorkerCache *cache, const CacheMade *made,
                                  const char *linker)
{
    char path[WORKER_PATH_MAX + 96];
    link_note(cache, made, linker, path);
    FILE *note = fopen(path, "w"); // without a note, the next one finds out again
    if (note)
        fclose(note);
}

// --- building

void worker_cache_end(WorkerCache *cache)
{
    temporary_drop(&cache->own);
    cache->build[0] = '\0';
}

static bool copy_header(const WorkerCache *cache, const CacheMade *made, Error *err)
{
    char to[WORKER_PATH_MAX + 64];
    const char *from = made->build->header;
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    if (!from)
        return true;
    snprintf(to, sizeof to, "%s/" CACHE_HEADER "/attnscope.h", cache->build);
    bool good = input_file_all(from, SOURCE_BYTES_MAX, &arena, &bytes, &length, err) &&
                worker_write_file(to, bytes, length, err);
    arena_finish(&arena);
    return good;
}

bool worker_cache_begin(WorkerCache *cache, const CacheMade *made, Error *err)
{
    static const char *const below[] = {CACHE_COPY, CACHE_HEADER, CACHE_SCRATCH};
    char path[WORKER_PATH_MAX + 64];
    temporary_sweep(cache->folder, true);
    bool made_all = temporary_folder(&cache->own, cache->folder);
    snprintf(cache->build, sizeof cache->build, "%s", made_all ? cache->own.path : "");
    for (int i = 0; i < 3 && made_all; i++) {
        snprintf(path, sizeof path, "%s/%s", cache->build, below[i]);
        made_all = mkdir(path, 0700) == 0;
    }
    if (!made_all)
        return error_set(err, TELL(NO_BUILD_FOLDER), cache->folder, error_reason(errno));
    snprintf(path, sizeof path, "%s/" CACHE_COPY, cache->build);
    return worker_copy_write(made->copy, path, err) && copy_header(cache, made, err);
}

enum {
    PROGRAMS_MAX = 64,
    IN_USE_SECONDS = 120 // longer than any program runs; others may be running theirs now
};

typedef struct Kept {
    time_t used;
    const char *name;
} Kept;

static int is_program(const struct dirent *entry)
{
    bool is_kept = strstr(entry->d_name, WORKER_SANITIZED) || strstr(entry->d_name, WORKER_PLAIN);
    return is_kept && !strstr(entry->d_name, WORKER_RECORD);
}

static int newest_first(const void *a, const void *b)
{
    time_t one = ((const Kept *)a)->used, other = ((const Kept *)b)->used;
    return (one < other) - (one > other);
}

static void drop_program(const char *folder, const char *name)
{
    char path[WORKER_PATH_MAX + 264];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    strcat(path, WORKER_RECORD);
    unlink(path);
}

// Deletes the programs, with their records, that were used before the last PROGRAMS_MAX and cannot be running.
static void prune(const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_program, NULL);
    Kept *kept = count > PROGRAMS_MAX ? calloc((size_t)count, sizeof *kept) : NULL;
    for (int i = 0; i < count && kept; i++) {
        char path[WORKER_PATH_MAX + 256];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        kept[i] = (Kept){stat(path, &about) == 0 ? about.st_mtime : 0, entries[i]->d_name};
    }
    if (kept)
        qsort(kept, (size_t)count, sizeof *kept, newest_first);
    for (int i = PROGRAMS_MAX; i < count && kept; i++)
        if (time(NULL) - kept[i].used > IN_USE_SECONDS)
            drop_program(folder, kept[i].name);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(kept);
}

bool worker_cache_keep(WorkerCache *cache, const CacheMade *made, WorkerProgram *program,
                       Error *err)
{
    char built[WORKER_PATH_MAX + 16], path[WORKER_PATH_MAX + 96];
    snprintf(built, sizeof built, "%s/" CACHE_PROGRAM, cache->build);
    snprintf(path, sizeof path, "%s/%s%s", cache->folder, cache->name, kinds[!program->sanitized]);
    program->end = WORKER_BUILD_FAILED;
    if (strlen(path) >= sizeof program->path)
        return error_set(err, TELL(CACHE_NAME_LONG), cache->folder);
    if (!worker_record_write(path, cache, made, program, err))
        return false;
    if (rename(built, path) != 0)
        return error_set(err, TELL(CACHE_NOT_KEPT), cache->folder, error_reason(errno));
    strcpy(program->path, path);
    program->end = WORKER_BUILD_DONE;
    prune(cache->folder);
    return true;
}

// --- doctor

#ifdef __linux__
#include <elf.h>

// An ELF file ends with its section table, which a truncated or empty file lacks.
static bool is_whole(int file, off_t bytes)
{
    Elf64_Ehdr head;
    if (pread(file, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    if (head.e_ident[EI_CLASS] != ELFCLASS64)
        return true; // an unknown kind of machine
    return head.e_shoff + (Elf64_Off)head.e_shnum * head.e_shentsize <= (Elf64_Off)bytes;
}
#else
static bool is_whole(int file, off_t bytes)
{
    (void)file;
    return bytes > 0;
}
#endif

static void look_at(WorkerCacheState *state, int folder, const char *name, bool removes)
{
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
        return;
    state->bytes += (size_t)about.st_size;
    if (!text_ends(name, WORKER_SANITIZED) && !text_ends(name, WORKER_PLAIN))
        return;
    state->programs++;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool is_damaged = file < 0 || !is_whole(file, about.st_size);
    if (file >= 0)
        close(file);
    state->damaged += is_damaged;
    if (is_damaged && removes)
        unlinkat(folder, name, 0);
}

bool worker_cache_look(WorkerCacheState *state, bool removes, Error *err)
{
    *state = (WorkerCacheState){.programs = 0};
    if (!worker_place_cache(state->folder, err))
        return false;
    DIR *listing = opendir(state->folder);
    if (!listing)
        return error_set(err, "%s: %s", state->folder, error_reason(errno));
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        look_at(state, dirfd(listing), entry->d_name, removes);
    closedir(listing);
    return true;
}
