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
#include "input_file.h"
#include "worker_internal.h"
#include "worker_words.h"

enum {
    SOURCE_BYTES_MAX = 1 << 20,
    PROGRAMS_MAX = 64,
};

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

// --- what is there

static const char *const kinds[] = {WORKER_SANITIZED, WORKER_PLAIN};

bool worker_cache_find(const WorkerCache *cache, WorkerProgram *program)
{
    for (int i = 0; i < 2; i++) {
        char path[WORKER_PATH_MAX + 96];
        snprintf(path, sizeof path, "%s/%s%s", cache->folder, cache->name, kinds[i]);
        if (strlen(path) >= sizeof program->path || !worker_record_read(path, program))
            continue;
        strcpy(program->path, path);
        utimensat(AT_FDCWD, path, NULL, 0); // used just now: not among the oldest
        program->sanitized = i == 0;
        program->was_built = true;
        program->end = WORKER_BUILD_DONE;
        return true;
    }
    return false;
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
    bool good = input_file_all(from, SOURCE_BYTES_MAX, &arena, &bytes, &length, err);
    FILE *file = good ? fopen(to, "wb") : NULL;
    bool written = file && fwrite(bytes, 1, length, file) == length;
    if (file && fclose(file) != 0)
        written = false;
    arena_finish(&arena);
    return good && (written || error_set(err, TELL(CANNOT_WRITE), to, error_reason(errno)));
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
        if (strstr(entries[i]->d_name, WORKER_RECORD) || stat(path, &about) != 0)
            continue;
        if (!oldest[0] || about.st_mtime < since) {
            since = about.st_mtime;
            strcpy(oldest, path);
        }
    }
    unlink(oldest);
    strcat(oldest, WORKER_RECORD);
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
