// What the window's process says, as the program hears it: a stranger at the other end, who says
// anything. An input is the bytes as they are after a '!', or else messages, a line each.
#include "fuzz.h"
#include "utf8.h"
#include "window.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGE_MAX = 2048, SENT_MAX = 4096, EVENTS_MAX = 10000 };

static void hear(Window *window)
{
    WindowEvent event;
    for (int events = 0; window_next(window, &event); events++) {
        fuzz_must(events < EVENTS_MAX, "it ends");
        fuzz_must(event.kind != WINDOW_LOST || event.word[0], "an end is told in words");
        fuzz_must(memchr(event.word, '\0', sizeof event.word) != NULL, "an event has a text");
        fuzz_must(!isnan(window->scale), "a scale is a number");
    }
}

static void say(Window *window, int end, const char *bytes, size_t size)
{
    for (size_t sent = 0; sent < size && !window->ended; sent += SENT_MAX) {
        size_t left = size - sent < SENT_MAX ? size - sent : SENT_MAX;
        if (send(end, bytes + sent, left, MSG_NOSIGNAL) < 0)
            return;
        hear(window);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Window window;
    char message[MESSAGE_MAX];
    int pair[2];
    window = (Window){.memory_fd = -1, .program = "attnscope-window", .seen = true, .scale = 1.0};
    fuzz_must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "there are sockets");
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    window.fd = pair[0];
    if (size > 0 && data[0] == '!')
        say(&window, pair[1], (const char *)data + 1, size - 1);
    else
        while (fuzz_line(&data, &size, message, sizeof message))
            say(&window, pair[1], message, strlen(message) + 1);
    close(pair[1]);
    hear(&window);
    window_close(&window);
    return 0;
}
