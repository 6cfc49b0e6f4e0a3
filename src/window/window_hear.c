// window_hear: what the window's process says, as events; see window.h.
#include "window.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include "window_child.h"
#include "window_words.h"

static void read_fonts(FontMetrics *metrics, char *words)
{
    *metrics = font_metrics_usual;
    for (int i = 0; i < 95; i++)
        metrics->ascii[i] = (float)strtol(words, &words, 10) / 1000.0f;
    metrics->wide = (float)strtol(words, &words, 10) / 1000.0f;
    metrics->other = (float)strtol(words, &words, 10) / 1000.0f;
}

// Numbers are written in thousandths where they have a fraction: no locale reads them otherwise.
static void read_numbers(Window *window, WindowEvent *event, char *words)
{
    int number[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        number[i] = (int)strtol(words, &words, 10);
    event->x = number[0];
    event->y = number[1];
    event->number = number[2];
    if (event->kind == WINDOW_SIZE) {
        window->width = number[0];
        window->height = number[1];
        window->scale = number[2] / 1000.0;
    }
}

// A message as an event: the words are in the order of WindowEventKind.
static void read_message(Window *window, WindowEvent *event, char *message)
{
    static const char *const words[] = {"key",    "move",   "press", "drag", "wheel",
                                        "leave",  "size",   "shown", "note", "saved",
                                        "failed", "closed", "lost"};
    char *rest = strchr(message, ' ');
    if (rest)
        *rest++ = '\0';
    else
        rest = message + strlen(message);
    event->kind = WINDOW_NOTE;
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        if (strcmp(message, words[i]) == 0)
            event->kind = (WindowEventKind)i;
    snprintf(event->word, sizeof event->word, "%s", rest);
    if (event->kind >= WINDOW_MOVE && event->kind <= WINDOW_SIZE)
        read_numbers(window, event, rest);
    if (event->kind == WINDOW_READY || event->kind == WINDOW_SAVED || event->kind == WINDOW_FAILED)
        window->busy = false;
    if (event->kind == WINDOW_CLOSED || event->kind == WINDOW_LOST)
        window->ended = true;
}

// Moves what has arrived into the inbox. False at the end: the child is gone.
static bool receive(Window *window)
{
    WindowInbox *inbox = &window->inbox;
    size_t room = sizeof inbox->bytes - inbox->used;
    if (room == 0)
        return true;
    ssize_t got = recv(window->fd, inbox->bytes + inbox->used, room, 0);
    if (got > 0)
        inbox->used += (size_t)got;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// The child has gone without a word: how it ended, and what else there is.
static void tell_end(Window *window, char word[WINDOW_MESSAGE_MAX])
{
    char text[64], how[256] = "";
    window->ended = true;
    bool loaded;
    window->ended_by = window_child_signal(&window->child, &loaded);
    bool crashed = window->ended_by != 0;
    if (crashed)
        snprintf(how, sizeof how, ", %s", window_child_signal_text(window->ended_by, text));
    else if (!loaded)
        snprintf(how, sizeof how, "%s", TELL(CHILD_NOT_LOADED));
    else if (window->seen)
        snprintf(how, sizeof how, "%s", TELL(DISPLAY_GONE));
    bool x11 = crashed && !window->under_x11 && window_child_has_x11(true);
    if (window->seen)
        words_format(word, WINDOW_MESSAGE_MAX, TELL(WINDOW_ENDED), how,
                     x11 ? TELL(X11_MAY_HELP) : "");
    else
        words_format(word, WINDOW_MESSAGE_MAX, TELL(PAINTER_ENDED), window->program, how);
}

// The child says what nobody here understands: it is another program, or of another time.
static void tell_stranger(Window *window, char word[WINDOW_MESSAGE_MAX])
{
    window->ended = true;
    words_format(word, WINDOW_MESSAGE_MAX, TELL(PAINTER_STRANGE), window->program);
}

// What is no event is kept here: the version, and how wide letters are.
static bool is_event(Window *window, char *message)
{
    if (strncmp(message, "version ", 8) == 0)
        window->understood = window_wire_is_ours(message);
    else if (strncmp(message, "fonts ", 6) == 0)
        read_fonts(&window->metrics, message + 6);
    else
        return true;
    return false;
}

bool window_next(Window *window, WindowEvent *event)
{
    char message[WINDOW_MESSAGE_MAX];
    WindowTaken taken;
    *event = (WindowEvent){.kind = WINDOW_LOST};
    if (window->fd < 0 || window->ended)
        return false;
    bool alive = receive(window);
    while ((taken = window_wire_take(&window->inbox, message)) == WINDOW_TAKEN_MESSAGE) {
        bool is_told = is_event(window, message);
        if (!window->understood)
            break;
        if (is_told) {
            read_message(window, event, message);
            if (event->kind == WINDOW_LOST && !event->word[0])
                tell_end(window, event->word);
            if (event->kind == WINDOW_FAILED && !event->word[0])
                words_format(event->word, sizeof event->word, TELL(PAINTER_SILENT),
                             window->program);
            return true;
        }
    }
    if (alive && taken == WINDOW_TAKEN_NOTHING)
        return false;
    if (taken == WINDOW_TAKEN_NOTHING)
        tell_end(window, event->word);
    else
        tell_stranger(window, event->word);
    return true;
}

static long milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// A signal (a terminal that is resized) or a moment without memory for waiting is no end of it.
bool window_wait(const Window *window, int milliseconds)
{
    enum { FAILURES_MAX = 1000 };
    errno = ECHILD;
    if (window->fd < 0 || window->ended)
        return false;
    if (window_wire_has(&window->inbox))
        return true;
    long end = milliseconds_now() + milliseconds;
    for (int failures = 0;;) {
        long left = milliseconds < 0 ? -1 : end - milliseconds_now();
        struct pollfd socket = {.fd = window->fd, .events = POLLIN};
        int came = poll(&socket, 1, milliseconds >= 0 && left < 0 ? 0 : (int)left);
        if (came > 0)
            return true;
        if (came == 0)
            errno = ETIMEDOUT;
        if (came == 0 || (errno != EINTR && ++failures == FAILURES_MAX))
            return false;
        if (errno != EINTR)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}
