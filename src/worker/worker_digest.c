// worker_digest: one digest of everything that a learner's program is made from; see worker_cache.h.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "digest.h"
#include "fence_linux.h"
#include "input_file.h"
#include "worker_cache.h"
#include "worker_internal.h"

enum { SOURCE_BYTES_MAX = 1 << 20, LIBRARY_BYTES_MAX = 16 << 20 };

// One digest of what came before and of these bytes.
static void mix(char digest[WORKER_DIGEST_MAX], const void *bytes, size_t count)
{
    char both[2 * DIGEST_TEXT_MAX], text[DIGEST_TEXT_MAX];
    snprintf(both, sizeof both, "%.64s%s", digest, bytes_digest(bytes, count, text));
    snprintf(digest, WORKER_DIGEST_MAX, "%s", bytes_digest(both, strlen(both), text));
}

void worker_digest_text(char digest[WORKER_DIGEST_MAX], const char *text)
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

// A program by its size and date: to read it would take longer than to compile.
static void mix_program(char digest[WORKER_DIGEST_MAX], const char *path)
{
    struct stat about;
    char text[96] = "";
    if (stat(path, &about) == 0)
        snprintf(text, sizeof text, "%lld %lld %ld", (long long)about.st_size,
                 (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    worker_digest_text(digest, path);
    worker_digest_text(digest, text);
}

static void mix_compiler(char digest[WORKER_DIGEST_MAX], const CacheMade *made)
{
    char text[WORKER_OPTIONS_MAX], *options[WORKER_OPTIONS];
    int count = worker_place_options(made->build->compiler, text, options);
    worker_digest_text(digest, made->compiler);
    for (int i = 0; i < count; i++)
        worker_digest_text(digest, options[i]);
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
    mix_compiler(digest, made);
    // What was built where the compiler could read everything is not used where it cannot.
    worker_digest_text(digest, fence_linux_has_files() ? "5 fenced" : "5");
    return true;
}
