// tree: see tree.h. Names are read in the order in which the folder gives them; nobody depends on it.
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(bool good, const char *path)
{
    if (good)
        return;
    fprintf(stderr, "sweep: %s: %s\n", path, strerror(errno));
    exit(2);
}

static void join(char path[TREE_PATH_MAX], const char *folder, const char *name)
{
    bool fits =
        snprintf(path, TREE_PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", name) < TREE_PATH_MAX;
    must(fits, name);
}

// The next name of a listing; NULL at its end.
static const char *next_name(DIR *listing)
{
    struct dirent *entry = readdir(listing);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0))
        entry = readdir(listing);
    return entry ? entry->d_name : NULL;
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 ? status.st_mode : 0;
}

static bool same_bytes(FILE *one, FILE *other)
{
    char left[8192], right[8192];
    size_t count;
    do {
        count = fread(left, 1, sizeof left, one);
        if (fread(right, 1, sizeof right, other) != count || memcmp(left, right, count) != 0)
            return false;
    } while (count > 0);
    return true;
}

bool tree_same_file(const char *one, const char *other)
{
    mode_t left = mode_of(one), right = mode_of(other);
    if (!S_ISREG(left) || !S_ISREG(right))
        return left == right;
    FILE *first = fopen(one, "rb"), *second = fopen(other, "rb");
    bool same = first && second && same_bytes(first, second);
    if (first)
        fclose(first);
    if (second)
        fclose(second);
    return same;
}

static void copy_file(const char *from, const char *to)
{
    char bytes[8192];
    ssize_t count;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    must(in >= 0, from);
    unlink(to);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_of(from) & 0777);
    must(out >= 0, to);
    while ((count = read(in, bytes, sizeof bytes)) > 0)
        must(write(out, bytes, (size_t)count) == count, to);
    close(in);
    must(close(out) == 0, to);
}

void tree_forget(const char *path)
{
    if (S_ISDIR(mode_of(path))) {
        DIR *listing = opendir(path);
        char inside[TREE_PATH_MAX];
        const char *name;
        must(listing != NULL, path);
        while ((name = next_name(listing)) != NULL) {
            join(inside, path, name);
            tree_forget(inside);
        }
        closedir(listing);
    }
    must(remove(path) == 0, path);
}

static void mirror_one(const char *from, const char *to)
{
    if ((mode_of(from) & S_IFMT) != (mode_of(to) & S_IFMT) && mode_of(to) != 0)
        tree_forget(to);
    if (S_ISDIR(mode_of(from)))
        tree_mirror(from, to);
    else if (!tree_same_file(from, to))
        copy_file(from, to);
}

void tree_mirror(const char *from, const char *to)
{
    char here[TREE_PATH_MAX], there[TREE_PATH_MAX];
    const char *name;
    must(mkdir(to, 0755) == 0 || errno == EEXIST, to);
    DIR *listing = opendir(to);
    must(listing != NULL, to);
    while ((name = next_name(listing)) != NULL) {
        join(here, from, name);
        join(there, to, name);
        if (mode_of(here) == 0)
            tree_forget(there);
    }
    closedir(listing);
    listing = opendir(from);
    must(listing != NULL, from);
    while ((name = next_name(listing)) != NULL) {
        join(here, from, name);
        join(there, to, name);
        mirror_one(here, there);
    }
    closedir(listing);
}

typedef struct Comparison {
    const char *one, *other;
    TreeVisit *visit;
    void *context;
} Comparison;

// Below `inside`; what is in the other folder only when `only_other`.
static void compare_below(const Comparison *pair, const char *inside, bool only_other)
{
    char listed[TREE_PATH_MAX], path[TREE_PATH_MAX], one[TREE_PATH_MAX], other[TREE_PATH_MAX];
    const char *name;
    join(listed, only_other ? pair->other : pair->one, inside);
    DIR *listing = opendir(listed);
    while (listing && (name = next_name(listing)) != NULL) {
        join(path, inside, name);
        join(one, pair->one, path);
        join(other, pair->other, path);
        if (S_ISDIR(mode_of(only_other ? other : one)))
            compare_below(pair, path, only_other);
        else if (only_other ? mode_of(one) == 0 : !tree_same_file(one, other))
            pair->visit(path, pair->context);
    }
    if (listing)
        closedir(listing);
}

void tree_compare(const char *one, const char *other, TreeVisit *visit, void *context)
{
    Comparison pair = {one, other, visit, context};
    compare_below(&pair, "", false);
    compare_below(&pair, "", true);
}
