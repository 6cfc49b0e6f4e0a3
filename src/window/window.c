// window: the side of the process that has the session; see window.h. No SDL here.
//
// Both ways, messages go over a socket pair (window_wire.h). Lists themselves lie in shared memory,
// which the child reads only between "frame" and its answer "shown".
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "window_child.h"
#include "window_memory.h"
#include "window_words.h"

enum { OPEN_MILLISECONDS = 20000 }; // a remote display may take long

// The programs that draw: see canvas_main.c and paper_main.c.
static char window_program[] = "attnscope-window", paper_program[] = "attnscope-paper";

static int open_memory(void)
{
#ifdef __linux__
    return memfd_create("attnscope", MFD_CLOEXEC);
#else
    char name[64];
    snprintf(name, sizeof name, "/attnscope.%ld", (long)getpid());
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    shm_unlink(name);
    return fd;
#endif
}

// Descriptors that do not collide with those the child will find its own under; -1 with errno.
static int above(int fd)
{
    if (fd < 0)
        return -1;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    int cause = errno == EINVAL ? EMFILE : errno; // there are no numbers above
    close(fd);
    errno = cause;
    return moved;
}

static bool start(Window *window, char *const arguments[], Error *err)
{
    int pair[2] = {-1, -1};
    bool seen = arguments[0] == window_program && arguments[1];
    *window = (Window){.fd = -1,
                       .memory_fd = -1,
                       .scale = 1.0,
                       .program = arguments[0],
                       .seen = seen,
                       .under_x11 = seen && arguments[4]};
    window->memory_fd = above(open_memory());
    if (window->memory_fd < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return error_set(err, TELL(NO_SHARED_MEMORY), error_reason(errno));
    window->fd = above(pair[0]);
    int socket = above(pair[1]);
    bool good = window->fd >= 0 && socket >= 0;
    if (!good)
        error_set(err, TELL(NO_SHARED_MEMORY), error_reason(errno));
    else
        fcntl(window->fd, F_SETFL, O_NONBLOCK);
    good = good && window_child_start(&window->child, arguments, socket, window->memory_fd, err);
    if (socket >= 0)
        close(socket);
    return good;
}

// Sends a message. False when the child is gone.
static bool say(Window *window, const char *message)
{
    char frame[WINDOW_FRAME_MAX];
    size_t left = window_wire_frame(message, frame);
    for (const char *at = frame; left > 0;) {
        ssize_t sent = send(window->fd, at, left, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            poll(&(struct pollfd){.fd = window->fd, .events = POLLOUT}, 1, 1000);
            continue;
        }
        if (sent <= 0)
            return false;
        at += sent;
        left -= (size_t)sent;
    }
    return true;
}

// The child says its fonts and its size, or why it cannot.
static bool wait_for_start(Window *window, Error *err)
{
    WindowEvent event;
    while (window_wait(window, OPEN_MILLISECONDS))
        while (window_next(window, &event)) {
            if (event.kind == WINDOW_READY)
                return true;
            if (event.kind == WINDOW_FAILED || event.kind == WINDOW_LOST)
                return error_set(err, "%s", event.word);
        }
    if (errno != ETIMEDOUT)
        return error_set(err, TELL(WINDOW_NOT_AWAITED), error_reason(errno));
    return error_set(err, TELL(DISPLAY_SILENT));
}

static bool open_with(Window *window, char *const arguments[], Error *err)
{
    char version[32];
    snprintf(version, sizeof version, "version %d", WINDOW_VERSION);
    if (!start(window, arguments, err))
        return false;
    say(window, version); // a child that has gone already is told of by what it said last
    return wait_for_start(window, err);
}

// What the child has not said, but window_next will tell.
static void add_message(Window *window, const char *message)
{
    char frame[WINDOW_FRAME_MAX];
    size_t bytes = window_wire_frame(message, frame);
    if (window->inbox.used + bytes > sizeof window->inbox.bytes)
        return;
    memcpy(window->inbox.bytes + window->inbox.used, frame, bytes);
    window->inbox.used += bytes;
}

// As the child says that something has failed.
static void add_failure(Window *window, const char *sentence)
{
    char message[WINDOW_MESSAGE_MAX];
    snprintf(message, sizeof message, "failed %s", sentence);
    add_message(window, message);
}

// SDL crashes under a Wayland that has neither keyboard nor pointer: X11 is tried, once.
static bool open_under_x11(Window *window, char *arguments[], Error *err)
{
    char ended[64], note[512];
    window_child_signal_text(window->ended_by, ended);
    window_close(window);
    arguments[4] = (char[]){"x11"};
    if (!open_with(window, arguments, err)) {
        Error under_x11 = *err;
        return error_set(err, TELL(UNDER_X11_TOO), ended, under_x11.text);
    }
    snprintf(note, sizeof note, "note ");
    words_format(note + strlen(note), sizeof note - strlen(note), TELL(UNDER_X11_NOW), ended);
    add_message(window, note);
    return true;
}

bool window_open(Window *window, const char *title, int width, int height, Error *err)
{
    char across[16], down[16], name[256];
    snprintf(across, sizeof across, "%d", width);
    snprintf(down, sizeof down, "%d", height);
    snprintf(name, sizeof name, "%s", title);
    char *arguments[6] = {window_program, name, across, down};
    bool opened = open_with(window, arguments, err);
    if (!opened && window->ended_by != 0 && window_child_has_x11(false))
        opened = open_under_x11(window, arguments, err);
    if (!opened)
        window_close(window);
    return opened;
}

bool window_open_unseen(Window *window, Error *err)
{
    bool opened = open_with(window, (char *const[]){window_program, NULL}, err);
    if (!opened)
        window_close(window);
    return opened;
}

bool window_open_paper(Window *window, char *title, char *about, Error *err)
{
    bool opened = open_with(window, (char *const[]){paper_program, title, about, NULL}, err);
    if (!opened)
        window_close(window);
    return opened;
}

bool window_is_ready(const Window *window)
{
    return window->fd >= 0 && !window->busy && !window->ended;
}

// --- to the child

// False with errno.
static bool make_room(Window *window, size_t bytes)
{
    if (bytes <= window->memory_bytes)
        return true;
    bytes += bytes / 2;
    if (ftruncate(window->memory_fd, (off_t)bytes) != 0)
        return false;
    void *bigger = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, window->memory_fd, 0);
    if (bigger == MAP_FAILED)
        return false;
    if (window->memory)
        munmap(window->memory, window->memory_bytes);
    window->memory = bigger;
    window->memory_bytes = bytes;
    return true;
}

static DisplayCell *cells_of(const Window *window)
{
    return (DisplayCell *)(void *)((char *)window->memory + WINDOW_MEMORY_HEAD);
}

static DisplayCell *lend(void *lender, size_t count)
{
    Window *window = lender;
    return make_room(window, WINDOW_MEMORY_HEAD + count * sizeof(DisplayCell)) ? cells_of(window)
                                                                               : NULL;
}

void window_lend(Window *window, DisplayList *list)
{
    list->lend = lend;
    list->lender = window;
    list->cells = NULL;
}

// Copies the list into shared memory; cells only when they have changed and do not lie there already.
static bool put(Window *window, const DisplayList *list)
{
    WindowMemory head = {list->width,      list->height,     list->background,   list->item_count,
                         list->text_bytes, list->cell_count, list->cells_version};
    if (!make_room(window, window_memory_bytes(&head)))
        return false;
    char *memory = window->memory;
    memcpy(memory, &head, sizeof head);
    bool same_cells =
        window->cells_version == list->cells_version && window->cells_there == list->cell_count;
    if (list->lender != window && !same_cells && list->cell_count > 0)
        memcpy(cells_of(window), list->cells, list->cell_count * sizeof *list->cells);
    window->cells_version = list->cells_version;
    window->cells_there = list->cell_count;
    if (list->item_count > 0)
        memcpy(memory + window_memory_items(&head), list->items,
               list->item_count * sizeof *list->items);
    if (list->text_bytes > 0)
        memcpy(memory + window_memory_texts(&head), list->texts, list->text_bytes);
    return true;
}

static bool send_list(Window *window, const DisplayList *list, const char *what, const char *path)
{
    char message[WINDOW_MESSAGE_MAX];
    window->busy = true;
    if (!put(window, list)) {
        Error err;
        error_set(&err, TELL(NO_MEMORY_TO_DRAW), error_reason(errno));
        add_failure(window, err.text);
        return true;
    }
    int bytes = snprintf(message, sizeof message, "%s %zu %s", what, window->memory_bytes, path);
    if (bytes >= (int)sizeof message) {
        add_failure(window, TELL(PICTURE_NAME_LONG));
        return true;
    }
    return say(window, message);
}

bool window_show(Window *window, const DisplayList *list)
{
    return send_list(window, list, "frame", "");
}

bool window_call(Window *window, const char *title)
{
    char message[WINDOW_MESSAGE_MAX];
    snprintf(message, sizeof message, "title %s", title);
    return say(window, message);
}

bool window_save(Window *window, const DisplayList *list, const char *path)
{
    return send_list(window, list, "picture", path);
}

bool window_film(Window *window, const DisplayList *list, WindowFilm film, const char *path)
{
    char words[WINDOW_MESSAGE_MAX];
    snprintf(words, sizeof words, "%u %u %u %s", film.number, film.count, film.rate, path);
    return send_list(window, list, "film", words);
}

// Closing the socket asks the child to end; one that does not is ended.
void window_close(Window *window)
{
    if (window->fd > 0)
        close(window->fd);
    window_child_close(&window->child);
    if (window->memory)
        munmap(window->memory, window->memory_bytes);
    if (window->memory_fd > 0)
        close(window->memory_fd);
    *window = (Window){.fd = -1, .memory_fd = -1};
}
