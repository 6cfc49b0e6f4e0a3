// worker_record: what is known of a built program, in a file beside it; see worker_cache.h.
//
//   attnscope 2
//   DIGEST                        of the program
//   PARTS FENCE                   what held the compiler
//   read SIZE SECONDS NANO PATH   a file of the system's that it has read, a line each
//                                 an empty line; then the compiler's words
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "digest.h"
#include "input_file.h"
#include "worker_cache.h"
#include "worker_internal.h"
#include "worker_words.h"

enum { PROGRAM_BYTES_MAX = 64 << 20, RECORD_BYTES_MAX = 1 << 20 };

static const char head[] = "attnscope 2\n";

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

// "SIZE SECONDS NANO" of a file; false where it is not.
static bool stamp_of(const char *path, char stamp[96])
{
    struct stat about;
    if (stat(path, &about) != 0)
        return false;
    snprintf(stamp, 96, "%lld %lld %ld", (long long)about.st_size, (long long)about.st_mtim.tv_sec,
             about.st_mtim.tv_nsec);
    return true;
}

// --- writing

// The next path of a list as make reads it; false at the end. Blanks in a path stand after a backslash.
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

// Notes a file that the compiler has read, or refuses it. What lies in our own folder is in the name.
static bool note_read(FILE *record, const char *path, const WorkerCache *cache,
                      const CacheMade *made, WorkerProgram *program, Error *err)
{
    // In arrays: where a path leads is found out without memory that could be missing.
    char below[2 * WORKER_PATH_MAX], whole[PATH_MAX], folder[PATH_MAX], stamp[96];
    snprintf(below, sizeof below, "%s/%s", *path == '/' ? "" : cache->build, path);
    bool found = realpath(below, whole) != NULL;
    size_t length = realpath(cache->build, folder) ? strlen(folder) : 0;
    bool is_own =
        found && length > 0 && strncmp(whole, folder, length) == 0 && whole[length] == '/';
    bool good = is_own || (found && toolchain_owns(made->toolchain, whole));
    if (!good) {
        program->end = WORKER_BUILD_REFUSED;
        error_set(err, TELL(READ_OUTSIDE), made->copy->shown, made->copy->files[0].path, path);
        words_format(program->said, sizeof program->said, TELL(READ_OUTSIDE_LINE),
                     made->copy->shown, made->copy->files[0].path, path);
        worker_words_printable(program->said);
    } else if (!is_own && stamp_of(whole, stamp)) {
        fprintf(record, "read %s %s\n", stamp, whole);
    }
    return good;
}

// All of them, behind the colon of "program: a.c b.h".
static bool note_all_read(FILE *record, const WorkerCache *cache, const CacheMade *made,
                          WorkerProgram *program, Error *err)
{
    Arena arena = {0};
    char list[WORKER_PATH_MAX + 64], path[WORKER_PATH_MAX];
    unsigned char *bytes;
    size_t length;
    snprintf(list, sizeof list, "%s/" CACHE_READ, cache->build);
    bool good = input_file_all(list, RECORD_BYTES_MAX, &arena, &bytes, &length, err);
    const char *text =
        good ? arena_format(&arena, err, "%.*s", (int)length, (const char *)bytes) : NULL;
    const char *at = text ? strstr(text, ": ") : NULL;
    good = text != NULL;
    for (at = at ? at + 2 : ""; good && next_path(&at, path);)
        good = note_read(record, path, cache, made, program, err);
    arena_finish(&arena);
    return good;
}

bool worker_record_write(const char *path, const WorkerCache *cache, const CacheMade *made,
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
        fprintf(record, "%s%s\n%d %s\n", head, digest, program->fence_parts, program->fence);
        if (!note_all_read(record, cache, made, program, err)) {
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

// Cuts a line off; NULL at the end.
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
           strncmp(line + 5, stamp, strlen(stamp)) == 0;
}

static bool take_record(char *text, const char *digest, WorkerProgram *program)
{
    char *line = next_line(&text), *fence = NULL;
    if (!line || strncmp(line, head, strlen(line)) != 0 || !(line = next_line(&text)) ||
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

bool worker_record_read(const char *path, WorkerProgram *program)
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
