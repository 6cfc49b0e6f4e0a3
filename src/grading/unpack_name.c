// Recognises archives by name; used by both programs, see unpack.h.
#include "unpack.h"

#include <string.h>
#include <strings.h>

// NULL-terminated; the first match counts.
static const char *const read[] = {
    ".tar.bz2", ".tar.gz", ".tar.xz", ".tar.zst", ".tbz2", ".tzst", ".tbz",
    ".tgz",     ".txz",    ".zip",    ".tar",     ".rar",  ".7z",   NULL,
};

static const char *const unread[] = {
    ".alz",  ".egg", ".lzh", ".lha", ".cab", ".arj", ".ace",
    ".zipx", ".gz",  ".bz2", ".xz",  ".zst", NULL,
};

// The length of the first ending that matches; 0: none.
static size_t ending_in(const char *name, const char *const endings[])
{
    size_t length = strlen(name);
    for (; *endings; endings++) {
        size_t less = strlen(*endings);
        if (length > less && strcasecmp(name + length - less, *endings) == 0)
            return less;
    }
    return 0;
}

size_t unpack_ending(const char *name)
{
    return ending_in(name, read);
}

bool unpack_is_archive(const char *name)
{
    return unpack_ending(name) > 0;
}

bool unpack_is_unread(const char *name)
{
    return !unpack_is_archive(name) && ending_in(name, unread) > 0;
}
