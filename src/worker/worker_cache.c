// worker_cache: see worker_cache.h.
#include "worker_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "digest.h"
#include "input_file.h"
#include "worker_internal.h"

enum {
    SOURCE_BYTES_MAX = 1 << 20,
    LIBRARY_BYTES_MAX = 16 << 20,
    PROGRAMS_MAX = 64,
    LEFT_SECONDS = 600
};

// --- the name

// One digest of what came before and of these bytes.
static void mix(char name[72], const void *bytes, size_t count)
{
    char both[DIGEST_TEXT_MAX + DIGEST_TEXT_MAX], text[DIGEST_TEXT_MAX];
    Tensor tensor = tensor_over((void *)bytes, DTYPE_BOOL, 1, (ptrdiff_t[]){(ptrdiff_t)count});
    snprintf(both, sizeof both, "%s%s", name, tensor_digest(&tensor, text));
    tensor = tensor_over(both, DTYPE_BOOL, 1, (ptrdiff_t[]){(ptrdiff_t)strlen(both)});
    snprintf(name, 72, "%s", tensor_digest(&tensor, text));
}

static bool mix_file(char name[72], const char *path, size_t most, Error *err)
{
    Arena arena = {.chunks = NULL};
    unsigned char *bytes;
    size_t count;
    bool read = input_file_all(path, most, &arena, &bytes, &count, err);
    if (read)
        mix(name, bytes, count);
    arena_finish(&arena);
    return read;
}

static int is_header(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0;
}

// The headers of a folder. One that cannot be read is the compiler's to complain about.
static void mix_headers(char name[72], const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_header, alphasort);
    for (int i = 0; i < count; i++) {
        char path[WORKER_PATH_MAX + 256];
        Error unread;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        mix(name, entries[i]->d_name, strlen(entries[i]->d_name));
        mix_file(name, path, SOURCE_BYTES_MAX, &unread);
        free(entries[i]);
    }
    free(entries);
}

static void mix_compiler(char name[72], const char *compiler)
{
    struct stat about;
    char text[96] = "";
    if (stat(compiler, &about) == 0)
        snprintf(text, sizeof text, "%lld %lld", (long long)about.st_size,
                 (long long)about.st_mtime);
    mix(name, compiler, strlen(compiler));
    mix(name, text, strlen(text));
}

bool worker_cache_open(WorkerCache *cache, const WorkerBuild *build, const char *compiler,
                       const char *library, const char *flags, Error *err)
{
    char folder[WORKER_PATH_MAX];
    *cache = (WorkerCache){.name = "attnscope"};
    snprintf(folder, sizeof folder, "%s", build->source);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, "%s", slash ? "" : ".");
    if (!worker_place_cache(cache->folder, err) ||
        !mix_file(cache->name, build->source, SOURCE_BYTES_MAX, err) ||
        !mix_file(cache->name, library, LIBRARY_BYTES_MAX, err))
        return false;
    mix_headers(cache->name, folder);
    if (build->header_folder)
        mix_headers(cache->name, build->header_folder);
    mix_compiler(cache->name, compiler);
    mix(cache->name, build->source, strlen(build->source)); // it stands in the compiler's words
    mix(cache->name, flags, strlen(flags));
    return true;
}

// --- what is there

static const char *const kinds[] = {WORKER_SANITIZED, WORKER_PLAIN};

static void read_said(const char *path, WorkerProgram *program)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, program->said, sizeof program->said - 1);
    program->said[got > 0 ? got : 0] = '\0';
    if (file >= 0)
        close(file);
}

bool worker_cache_find(const WorkerCache *cache, WorkerProgram *program)
{
    for (int i = 0; i < 2; i++) {
        char said[WORKER_PATH_MAX + 96];
        snprintf(said, sizeof said, "%s/%s%s", cache->folder, cache->name, kinds[i]);
        if (strlen(said) >= sizeof program->path || access(said, X_OK) != 0)
            continue;
        strcpy(program->path, said);
        utimensat(AT_FDCWD, said, NULL, 0); // used just now: not among the oldest
        strcat(said, ".said");
        read_said(said, program);
        program->sanitized = i == 0;
        program->was_built = true;
        return true;
    }
    return false;
}

// --- building

void worker_cache_end(WorkerCache *cache)
{
    DIR *folder = cache->build[0] ? opendir(cache->build) : NULL;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    if (cache->build[0])
        rmdir(cache->build);
    cache->build[0] = '\0';
}

static int is_build(const struct dirent *entry)
{
    return strncmp(entry->d_name, "build-", 6) == 0;
}

// Takes away what a program that was ended in the middle of a build has left there.
static void sweep(const char *folder)
{
    struct dirent **entries = NULL;
    struct stat about;
    int count = scandir(folder, &entries, is_build, NULL);
    for (int i = 0; i < count; i++) {
        WorkerCache left = {.name = ""};
        int length = snprintf(left.build, sizeof left.build, "%s/%s", folder, entries[i]->d_name);
        if (length < (int)sizeof left.build && stat(left.build, &about) == 0 &&
            time(NULL) - about.st_mtime > LEFT_SECONDS)
            worker_cache_end(&left);
        free(entries[i]);
    }
    free(entries);
}

bool worker_cache_begin(WorkerCache *cache, Error *err)
{
    sweep(cache->folder);
    int length = snprintf(cache->build, sizeof cache->build, "%s/build-XXXXXX", cache->folder);
    if (length < (int)sizeof cache->build && mkdtemp(cache->build))
        return true;
    cache->build[0] = '\0';
    return error_set(err, "no folder for building can be made in %s: %s", cache->folder,
                     strerror(errno));
}

static bool write_said(const char *path, const char *said)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t length = strlen(said);
    bool written = file >= 0 && write(file, said, length) == (ssize_t)length;
    return (file < 0 || close(file) == 0) && written;
}

static int is_program(const struct dirent *entry)
{
    return strstr(entry->d_name, WORKER_SANITIZED) || strstr(entry->d_name, WORKER_PLAIN);
}

// Throws the program away that was not used for longest, with its words.
static void drop_oldest(const char *folder, struct dirent **entries, int count)
{
    char path[WORKER_PATH_MAX + 256], oldest[WORKER_PATH_MAX + 264] = "";
    struct stat about;
    time_t since = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (strstr(entries[i]->d_name, ".said") || stat(path, &about) != 0)
            continue;
        if (!oldest[0] || about.st_mtime < since) {
            since = about.st_mtime;
            strcpy(oldest, path);
        }
    }
    unlink(oldest);
    strcat(oldest, ".said");
    unlink(oldest);
}

static void prune(const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_program, NULL);
    if (count > 2 * PROGRAMS_MAX)
        drop_oldest(folder, entries, count);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

bool worker_cache_keep(WorkerCache *cache, WorkerProgram *program, Error *err)
{
    char built[WORKER_PATH_MAX + 16], path[WORKER_PATH_MAX + 96], said[WORKER_PATH_MAX + 104];
    snprintf(built, sizeof built, "%s/program", cache->build);
    snprintf(path, sizeof path, "%s/%s%s", cache->folder, cache->name, kinds[!program->sanitized]);
    snprintf(said, sizeof said, "%s.said", path);
    if (strlen(path) >= sizeof program->path)
        return error_set(err, "the folder for built programs has too long a name: %s",
                         cache->folder);
    if (!write_said(said, program->said) || rename(built, path) != 0)
        return error_set(err, "the built program cannot be kept in %s: %s", cache->folder,
                         strerror(errno));
    strcpy(program->path, path);
    prune(cache->folder);
    return true;
}
