// progress_mend: what is broken in the file goes into one beside it; see progress.h.
#include "progress_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lesson_words.h"

// A stream that adds to a file, and to nothing else.
static FILE *open_to_add(const char *path)
{
    struct stat about;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    FILE *out = NULL;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode))
        out = fdopen(file, "a");
    else
        errno = file >= 0 ? EINVAL : errno;
    if (!out && file >= 0)
        close(file);
    return out;
}

static void add_broken(const Progress *progress, FILE *out)
{
    for (const ProgressOther *other = progress->others; other; other = other->next)
        if (other->is_broken) {
            fwrite(other->bytes, 1, other->length, out);
            fputc('\n', out);
        }
}

// They are on the disk there before they are gone here.
static bool set_aside(Progress *progress, const void *what, Error *err)
{
    const char *path = arena_format(&progress->arena, err, "%s.broken", (const char *)what);
    FILE *out = path ? open_to_add(path) : NULL;
    if (out)
        add_broken(progress, out);
    bool added = out && fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
    int cause = errno;
    if (out && fclose(out) != 0 && added) {
        cause = errno;
        added = false;
    }
    if (!path || !added)
        return path && error_set(err, TELL(PROGRESS_UNWRITTEN), path, error_reason(cause));
    for (ProgressOther **at = &progress->others; *at;)
        if ((*at)->is_broken)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    return true;
}

bool progress_set_aside(const char *path, Error *err)
{
    return progress_change(path, set_aside, path, err);
}
