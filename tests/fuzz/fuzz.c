// fuzz: see fuzz.h.
#define _GNU_SOURCE // nftw
#include "fuzz.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "utf8.h"

static char folder[64];

void fuzz_must(bool holds, const char *format, ...)
{
    va_list arguments;
    if (holds)
        return;
    va_start(arguments, format);
    fputs("does not hold: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

void fuzz_refused(const Error *err)
{
    fuzz_must(err->text[0] != '\0', "what is refused is refused in words");
    fuzz_must(utf8_valid(err->text, strlen(err->text)), "a sentence is UTF-8: %s", err->text);
    for (const char *byte = err->text; *byte; byte++)
        fuzz_must((unsigned char)*byte >= ' ' && *byte != 127, "a sentence steers no terminal: %s",
                  err->text);
}

static int forget(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

static void forget_folder(void)
{
    nftw(folder, forget, 16, FTW_DEPTH | FTW_PHYS);
}

// In memory where there is such a folder: files are written for every input.
static void make_folder(void)
{
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/attnscope_fuzz_XXXXXX", place);
    fuzz_must(mkdtemp(folder) != NULL, "there is a folder for files: %s", folder);
    atexit(forget_folder);
}

const char *fuzz_path(const char *name)
{
    static char paths[4][256];
    static int turn;
    char *path = paths[turn++ % 4];
    if (!folder[0])
        make_folder();
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

bool fuzz_is_ours(const char *path)
{
    size_t length = strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/' &&
           !strstr(path, "/../");
}

const char *fuzz_write(const char *name, const void *bytes, size_t size)
{
    const char *path = fuzz_path(name);
    FILE *stream = fopen(path, "wb");
    fuzz_must(stream && fwrite(bytes, 1, size, stream) == size, "%s can be written", path);
    fclose(stream);
    return path;
}

char *fuzz_read(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    fuzz_must(stream && fseek(stream, 0, SEEK_END) == 0, "%s can be read", path);
    *size = (size_t)ftell(stream);
    rewind(stream);
    char *bytes = calloc(1, *size + 1);
    fuzz_must(bytes && fread(bytes, 1, *size, stream) == *size, "%s can be read", path);
    fclose(stream);
    return bytes;
}

void fuzz_same_files(const char *path, const char *other)
{
    size_t size, other_size;
    char *bytes = fuzz_read(path, &size), *other_bytes = fuzz_read(other, &other_size);
    fuzz_must(size == other_size && memcmp(bytes, other_bytes, size) == 0,
              "what was written, read and written again is the same\n--- %s\n%s\n--- %s\n%s", path,
              bytes, other, other_bytes);
    free(bytes);
    free(other_bytes);
}

bool fuzz_line(const uint8_t **data, size_t *size, char *text, size_t room)
{
    if (*size == 0)
        return false;
    const uint8_t *end = memchr(*data, '\n', *size);
    size_t length = end ? (size_t)(end - *data) : *size;
    snprintf(text, room, "%.*s", (int)length, (const char *)*data);
    *size -= length + (end != NULL);
    *data += length + (end != NULL);
    return true;
}
