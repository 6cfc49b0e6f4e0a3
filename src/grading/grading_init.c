// grading_init: see grading.h.
#include "grading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_file.h"
#include "place.h"
#include "grading_internal.h"

enum { FILE_BYTES_MAX = 1 << 20 };

// Makes the folders that lead to a file.
static bool make_folders(char *path, Error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!made)
            error_number(err, errno, TELL(INIT_UNMADE), path, error_reason(errno));
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_file(const char *path, mode_t mode, const void *bytes, size_t length, Error *err)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool good = file >= 0 && write(file, bytes, length) == (ssize_t)length;
    if (!good && errno == EEXIST)
        error_set(err, TELL(INIT_THERE), path);
    else if (!good)
        error_number(err, errno, TELL(INIT_UNWRITTEN), path, error_reason(errno));
    if (file >= 0 && close(file) != 0 && good)
        good = error_number(err, errno, TELL(INIT_UNWRITTEN), path, error_reason(errno));
    return good;
}

// "755 setup.sh", "644 .github/workflows/classroom.yml classroom.yml"
static bool write_listed(const char *line, const char *from, const char *folder, Error *err)
{
    char name[256], source[256] = "";
    unsigned mode;
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    if (sscanf(line, "%o %255s %255s", &mode, name, source) < 2)
        return true;
    const char *path = arena_format(&arena, err, "%s/%s", from, *source ? source : name);
    char *to = arena_format(&arena, err, "%s/%s", folder, name);
    bool good = path && to && input_file_all(path, FILE_BYTES_MAX, &arena, &bytes, &length, err) &&
                make_folders(to, err) && write_file(to, (mode_t)mode, bytes, length, err);
    if (good)
        printf("%s\n", to);
    arena_finish(&arena);
    return good;
}

static const char *const platforms[] = {
#define GRADING_PLATFORM(x, ...) #x,
#include "grading_platforms.def"
#undef GRADING_PLATFORM
};

static const char all_platforms[] =
#define GRADING_PLATFORM(x, ...) #x " "
#include "grading_platforms.def"
#undef GRADING_PLATFORM
    ;

static bool is_platform(const char *name)
{
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (strcmp(platforms[i], name) == 0)
            return true;
    return false;
}

bool grading_init(const char *platform, const char *folder, Error *err)
{
    char from[PLACE_PATH_MAX], name[64];
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    snprintf(name, sizeof name, "platforms/%s", platform);
    if (!is_platform(platform))
        return error_set(err, TELL(INIT_PLATFORM), all_platforms, platform);
    if (!place_find(PLACE_LESSONS, name, from, err))
        return false;
    const char *list = arena_format(&arena, err, "%s/files.txt", from);
    bool good = list && input_file_all(list, FILE_BYTES_MAX, &arena, &bytes, &length, err);
    char *text = good ? arena_format(&arena, err, "%.*s", (int)length, (const char *)bytes) : NULL;
    char *rest = NULL;
    good = text != NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && good;
         line = strtok_r(NULL, "\n", &rest))
        good = write_listed(line, from, folder, err);
    arena_finish(&arena);
    return good;
}
