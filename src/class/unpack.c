// unpack: see unpack.h.
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

static const char *const whys[] = {
#define UNPACK_WHY(NAME, word) [UNPACK_##NAME] = word,
#include "unpack.def"
#undef UNPACK_WHY
};

static bool start(char *words[], pid_t *process, FILE **heard, Error *err)
{
    extern char **environ;
    int pipes[2];
    posix_spawn_file_actions_t actions;
    if (pipe(pipes) != 0)
        return error_machine(err, "nothing can be unpacked: %s", error_reason(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    posix_spawn_file_actions_addclose(&actions, pipes[1]);
    int cause = posix_spawn(process, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    *heard = cause == 0 ? fdopen(pipes[0], "r") : NULL;
    if (*heard)
        return true;
    close(pipes[0]);
    return error_machine(err, "nothing can be unpacked: %s", error_reason(cause ? cause : errno));
}

// "WHY\tNAME"; false for what is none.
static bool take_line(char *line, void (*tell)(void *, UnpackWhy, const char *), void *context)
{
    char *tab = strchr(line, '\t');
    if (!tab)
        return false;
    *tab = '\0';
    for (int why = 0; why < UNPACK_WHYS; why++)
        if (strcmp(line, whys[why]) == 0) {
            char *shown = malloc(SHOWN_NAME_GROWTH * strlen(tab + 1) + 1);
            if (shown)
                tell(context, (UnpackWhy)why, shown_name(tab + 1, shown));
            free(shown);
            return true;
        }
    return false;
}

// Why it ended before the end of the archive.
static bool gave_up(const char *said, int status, Error *err)
{
    char shown[SHOWN_NAME_GROWTH * 256 + 1], cut[256];
    snprintf(cut, sizeof cut, "%s", said);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return error_set(err, "it takes longer than 20 s to unpack");
    if (WIFSIGNALED(status))
        return error_set(err, "unpacking it was ended: %s", strsignal(WTERMSIG(status)));
    return error_set(err, "%s", shown_name(cut, shown));
}

bool unpack(const char *archive, const char *folder, bool archives,
            void (*tell)(void *context, UnpackWhy why, const char *name), void *context, Error *err)
{
    char program[PLACE_PATH_MAX], said[256] = "", *line = NULL;
    size_t room = 0;
    int status = 0;
    pid_t process;
    FILE *heard;
    if (!place_find(PLACE_PROGRAMS, "attnscope-unpack", program, err))
        return false;
    char *words[] = {program, (char *)archive, (char *)folder, archives ? (char *)"archives" : NULL,
                     NULL};
    if (!start(words, &process, &heard, err))
        return false;
    while (getline(&line, &room, heard) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!take_line(line, tell, context))
            snprintf(said, sizeof said, "%s", line);
    }
    free(line);
    fclose(heard);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || gave_up(said, status, err);
}
