// How a program that draws talks to the one that started it: the socket and the shared memory; see
// canvas_messages.h.
#include "canvas_messages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "window_wire.h"

// --- memory given back while its addresses stay

void pages_forget(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (page - (uintptr_t)memory % page) % page;
    if (bytes < before + page)
        return;
    char *start = (char *)memory + before;
    size_t whole = (bytes - before) / page * page;
#ifdef MADV_REMOVE
    if (madvise(start, whole, MADV_REMOVE) == 0) // memory shared with the display
        return;
#endif
    madvise(start, whole, MADV_DONTNEED);
}

void pages_leave(void *memory, size_t bytes)
{
    madvise(memory, bytes, MADV_DONTNEED);
}

// --- messages

enum { SOCKET = 3, MEMORY = 4 }; // descriptors

int canvas_greet(const char *lost)
{
    char hello[WINDOW_MESSAGE_MAX];
    if (fcntl(SOCKET, F_GETFD) < 0 || fcntl(MEMORY, F_GETFD) < 0) {
        fputs(lost, stderr);
        return 2;
    }
    tell("version %d", WINDOW_VERSION);
    return hear(hello) && window_wire_is_ours(hello) ? 0 : 1;
}

void tell(const char *format, ...)
{
    char message[WINDOW_MESSAGE_MAX], frame[WINDOW_FRAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t left = window_wire_frame(message, frame);
    for (const char *at = frame; left > 0;) {
        ssize_t sent = send(SOCKET, at, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            exit(0); // nobody is there any more
        at += sent;
        left -= (size_t)sent;
    }
}

void tell_metrics(const int metrics[FONT_METRICS])
{
    char words[1024] = "";
    size_t used = 0;
    for (int i = 0; i < FONT_METRICS; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, " %d", metrics[i]);
    tell("fonts%s", words);
}

bool hear(char message[WINDOW_MESSAGE_MAX])
{
    static WindowInbox inbox;
    WindowTaken taken;
    while ((taken = window_wire_take(&inbox, message)) == WINDOW_TAKEN_NOTHING) {
        ssize_t got = recv(SOCKET, inbox.bytes + inbox.used, sizeof inbox.bytes - inbox.used, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        inbox.used += (size_t)got;
    }
    return taken == WINDOW_TAKEN_MESSAGE;
}

// The shared memory as far as it is mapped.
static char *memory;
static size_t memory_bytes;

bool canvas_list(size_t bytes, DisplayList *list)
{
    struct stat about;
    if (fstat(MEMORY, &about) != 0 || bytes > (size_t)about.st_size)
        return false;
    if (bytes > memory_bytes) {
        void *bigger = mmap(NULL, bytes, PROT_READ, MAP_SHARED, MEMORY, 0);
        if (bigger == MAP_FAILED)
            return false;
        if (memory)
            munmap(memory, memory_bytes);
        memory = bigger;
        memory_bytes = bytes;
    }
    return window_memory_list(memory, memory_bytes, list);
}

void canvas_list_leave(void)
{
    if (memory_bytes > PAGES_KEPT)
        pages_leave(memory, memory_bytes);
}
