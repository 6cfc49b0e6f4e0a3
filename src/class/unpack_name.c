// unpack_name: what an archive is called; see unpack.h. Both programs ask.
#include "unpack.h"

#include <string.h>
#include <strings.h>

bool unpack_is_archive(const char *name)
{
    static const char *const endings[] = {".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t less = strlen(endings[i]);
        if (length > less && strcasecmp(name + length - less, endings[i]) == 0)
            return true;
    }
    return false;
}
