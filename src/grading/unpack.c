// Runs attnscope-unpack; see unpack.h.
#include "unpack.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "place.h"
#include "shown_name.h"
#include "class_words.def"
#include "grading_internal.h"
#include "words.h"

static const char *const whys[] = {
#define UNPACK_WHY(NAME, word) [UNPACK_##NAME] = word,
#include "unpack.def"
#undef UNPACK_WHY
};

static bool cannot(Error *err, int number)
{
    return error_machine(err, TELL(UNPACK_NOT), error_reason(number));
}

int grading_spawn(char *const words[], bool with_errors, pid_t *process, FILE **heard)
{
    extern char **environ;
    int pipes[2];
    posix_spawn_file_actions_t actions;
    if (pipe(pipes) != 0)
        return errno;
    *heard = fdopen(pipes[0], "r"); // first: it may fail, and then no process is waiting
    int cause = *heard ? posix_spawn_file_actions_init(&actions) : errno;
    if (cause == 0) {
        cause = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
        cause = cause ? cause : posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
        if (with_errors && cause == 0)
            cause = posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
        cause = cause ? cause : posix_spawn_file_actions_addclose(&actions, pipes[0]);
        cause = cause ? cause : posix_spawn_file_actions_addclose(&actions, pipes[1]);
        cause = cause ? cause : posix_spawn(process, words[0], &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(pipes[1]);
    if (cause != 0 && *heard)
        fclose(*heard);
    else if (cause != 0)
        close(pipes[0]);
    return cause;
}

// Parses "WHY\tNAME"; any other line is the last one, and goes to `last`.
static void take_line(char *line, void (*tell)(void *, UnpackWhy, const char *), void *context,
                      char last[256])
{
    char *tab = strchr(line, '\t');
    size_t word = tab ? (size_t)(tab - line) : 0;
    for (int why = 0; tab && why < UNPACK_WHYS; why++)
        if (strlen(whys[why]) == word && strncmp(line, whys[why], word) == 0) {
            tell(context, (UnpackWhy)why, tab + 1);
            return;
        }
    snprintf(last, 256, "%s", line);
}

// The message for its last line; NULL: the line is libarchive's message.
static const char *end_told(const char *said)
{
    return strcmp(said, UNPACK_UNREADABLE) == 0 ? TELL(UNREADABLE)
           : strcmp(said, UNPACK_GREEDY) == 0   ? TELL(GREEDY)
           : strcmp(said, UNPACK_TOO_MUCH) == 0 ? TELL(TOO_MUCH)
                                                : NULL;
}

// Why it ended early. Its own limits never cause SIGKILL; a machine without memory does. libarchive aborts silently
// without memory for a name.
static bool gave_up(const char *said, int status, Error *err)
{
    char shown[SHOWN_NAME_GROWTH * 256 + 1];
    if (WIFEXITED(status) && WEXITSTATUS(status) != 1)
        return cannot(err, atoi(said) > 0 ? atoi(said) : EIO);
    bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (was_killed || (WIFEXITED(status) && !*said))
        return cannot(err, ENOMEM);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return error_set(err, TELL(UNPACK_LONG));
    if (WIFSIGNALED(status))
        return error_set(err, TELL(UNPACK_ENDED), signal_text(WTERMSIG(status), language_now()));
    return error_set(err, "%s",
                     end_told(said) ? end_told(said)
                                    : library_text("libarchive", shown_name(said, shown)));
}

bool unpack(const char *archive, const char *folder, bool archives,
            void (*tell)(void *context, UnpackWhy why, const char *name), void *context, Error *err)
{
    char program[PLACE_PATH_MAX], said[256] = "", *line = NULL;
    size_t room = 0;
    int status = 0;
    pid_t process;
    FILE *heard = NULL;
    if (!place_program("attnscope-unpack", program, err)) {
        err->of_machine = true; // the program's own file is missing
        return false;
    }
    char *words[] = {program, (char *)archive, (char *)folder, archives ? (char *)"archives" : NULL,
                     NULL};
    int cause = grading_spawn(words, false, &process, &heard);
    if (cause != 0)
        return cannot(err, cause);
    while (getdelim(&line, &room, '\0', heard) > 0)
        take_line(line, tell, context, said);
    if (!feof(heard))
        cause = errno;
    free(line);
    fclose(heard);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (cause != 0)
        return cannot(err, cause);
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || gave_up(said, status, err);
}
