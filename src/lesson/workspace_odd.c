// workspace_odd: what stands under an exercise's name and is no text; see workspace.h.
#include "workspace.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

ExerciseWord workspace_odd(const Workspace *workspace, int number)
{
    Arena arena = {0};
    Error err;
    struct stat what;
    const char *path = workspace_path(workspace, number, &arena, &err);
    ExerciseWord odd = EXERCISE_SAYS_COUNT;
    if (!path || lstat(path, &what) != 0)
        odd = path && (errno == EACCES || errno == ELOOP) ? EXERCISE_SAYS_FILE_CLOSED : odd;
    else if (stat(path, &what) != 0)
        odd = EXERCISE_SAYS_FILE_LINK_NOWHERE;
    else if (S_ISDIR(what.st_mode))
        odd = EXERCISE_SAYS_FILE_FOLDER;
    else if (!S_ISREG(what.st_mode))
        odd = EXERCISE_SAYS_FILE_NO_TEXT;
    else if (what.st_size > WORKSPACE_BYTES_MAX)
        odd = EXERCISE_SAYS_FILE_LARGE;
    else if (access(path, R_OK) != 0 && errno == EACCES)
        odd = EXERCISE_SAYS_FILE_CLOSED;
    arena_finish(&arena);
    return odd;
}
