// window_child: see window_child.h.
#include "window_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "place.h"
#include "signal_text.h"
#include "window_words.h"

extern char **environ;

enum { CHILD_SOCKET = 3, CHILD_MEMORY = 4, CLOSE_MILLISECONDS = 500, NOT_LOADED = 127 };

bool window_child_start(pid_t *child, char *const arguments[], int socket, int memory, Error *err)
{
    char path[PLACE_PATH_MAX];
    *child = 0;
    if (!place_program(arguments[0], path, err))
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, CHILD_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, memory, CHILD_MEMORY);
    int failed = posix_spawn(child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == 0)
        return true;
    *child = 0;
    return error_set(err, TELL(CHILD_NOT_STARTED), path, error_reason(failed));
}

// False when it goes on for longer than a child that is asked to end does.
static bool wait_for_end(pid_t child, int *status)
{
    *status = 0;
    for (int waited = 0; waitpid(child, status, WNOHANG) == 0; waited++) {
        if (waited == CLOSE_MILLISECONDS)
            return false;
        poll(NULL, 0, 1);
    }
    return true;
}

int window_child_signal(pid_t *child, bool *loaded)
{
    int status;
    *loaded = true;
    if (*child <= 0 || !wait_for_end(*child, &status))
        return 0;
    *child = 0;
    *loaded = !WIFEXITED(status) || WEXITSTATUS(status) != NOT_LOADED;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

const char *window_child_signal_text(int signal, char text[64])
{
    snprintf(text, 64, TELL(BY_SIGNAL), signal, signal_text(signal, language_now()));
    return text;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0';
}

bool window_child_has_x11(bool named)
{
    if (!is_set("WAYLAND_DISPLAY") || !is_set("DISPLAY"))
        return false;
    return !is_set("SDL_VIDEODRIVER") || (named && strcmp(getenv("SDL_VIDEODRIVER"), "x11") != 0);
}

void window_child_close(pid_t *child)
{
    int status;
    if (*child > 0 && !wait_for_end(*child, &status)) {
        kill(*child, SIGKILL);
        waitpid(*child, &status, 0);
    }
    *child = 0;
}
