// scratch: see scratch.h.
#define _GNU_SOURCE // nftw
#include "scratch.h"

#include "suite.h"
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512];

void scratch_open(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/attnscope_XXXXXX", place && *place ? place : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const struct dirent *next_file(DIR *listing)
{
    const struct dirent *entry = readdir(listing);
    while (entry && entry->d_name[0] == '.' && strspn(entry->d_name, ".") == strlen(entry->d_name))
        entry = readdir(listing);
    return entry;
}

static int forget(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

void scratch_close(void)
{
    nftw(folder, forget, 16, FTW_DEPTH | FTW_PHYS);
}

int scratch_count(void)
{
    int count = 0;
    DIR *listing = opendir(folder);
    ck_assert_ptr_nonnull(listing);
    while (next_file(listing))
        count++;
    closedir(listing);
    return count;
}

const char *scratch_path(const char *name)
{
    static char paths[4][1024];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *scratch_write(const char *name, const void *bytes, size_t length)
{
    const char *path = scratch_path(name);
    FILE *stream = fopen(path, "wb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fwrite(bytes, 1, length, stream), length);
    ck_assert_int_eq(fclose(stream), 0);
    return path;
}

const char *scratch_folder(const char *name)
{
    const char *path = scratch_path(name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    return path;
}

unsigned char *scratch_read(const char *path, size_t *length)
{
    FILE *stream = fopen(path, "rb");
    ck_assert_msg(stream != NULL, "%s cannot be opened", path);
    ck_assert_int_eq(fseek(stream, 0, SEEK_END), 0);
    *length = (size_t)ftell(stream);
    rewind(stream);
    unsigned char *bytes = malloc(*length + 1);
    ck_assert_uint_eq(fread(bytes, 1, *length, stream), *length);
    fclose(stream);
    return bytes;
}
