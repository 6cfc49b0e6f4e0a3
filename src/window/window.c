// The window, seen from the process with the session: starts the drawing process, sends it display lists, and
// turns its messages into events. Messages use a socket pair (window_wire.h).
#define _GNU_SOURCE // memfd_create
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "error.h"
#include "place.h"
#include "window.h"
#include "window_words.def"
#include "words.h"

// --- messages as bytes

bool window_wire_has(const WindowInbox *inbox)
{
    return inbox->used >= WINDOW_MESSAGE_MAX || memchr(inbox->bytes, '\0', inbox->used);
}

WindowTaken window_wire_take(WindowInbox *inbox, char message[WINDOW_MESSAGE_MAX])
{
    size_t bytes = strnlen(inbox->bytes, inbox->used) + 1;
    if (!window_wire_has(inbox))
        return WINDOW_TAKEN_NOTHING;
    if (bytes > WINDOW_MESSAGE_MAX)
        return WINDOW_TAKEN_BROKEN;
    memcpy(message, inbox->bytes, bytes);
    inbox->used -= bytes;
    memmove(inbox->bytes, inbox->bytes + bytes, inbox->used);
    return WINDOW_TAKEN_MESSAGE;
}

bool window_wire_is_ours(const char *message)
{
    char ours[32];
    snprintf(ours, sizeof ours, "version %d", WINDOW_VERSION);
    return strcmp(message, ours) == 0;
}

// --- the list in shared memory

enum { SIDE_MAX = 1 << 16 };

// True if cells, items and texts are within the memory.
static bool fits(const WindowMemory *head, size_t bytes)
{
    return head->width >= 0 && head->width <= SIDE_MAX && head->height >= 0 &&
           head->height <= SIDE_MAX && head->cell_count <= bytes / sizeof(DisplayCell) &&
           head->item_count <= bytes / sizeof(DisplayItem) && head->text_bytes <= bytes &&
           window_memory_bytes(head) <= bytes;
}

// Reads a bool as a byte: other values than 0 and 1 would be undefined.
static bool is_flag(const bool *flag)
{
    return *(const unsigned char *)flag <= 1;
}

static bool item_is_sound(const DisplayList *list, const DisplayItem *item)
{
    size_t cells;
    if (!is_flag(&item->bold) || !is_flag(&item->upright) || !is_flag(&item->fixed))
        return false;
    switch (item->kind) {
    case DISPLAY_TEXT:
        return item->at < list->text_bytes && (int)item->anchor >= DISPLAY_LEFT &&
               item->anchor <= DISPLAY_RIGHT;
    case DISPLAY_CELLS:
        return item->rows >= 0 && item->columns >= 0 && item->rows <= SIDE_MAX &&
               item->columns <= SIDE_MAX &&
               !__builtin_mul_overflow((size_t)item->rows, (size_t)item->columns, &cells) &&
               cells <= list->cell_count && item->at <= list->cell_count - cells;
    case DISPLAY_RECTANGLE:
    case DISPLAY_FRAME:
    case DISPLAY_CURVE:
        return true;
    }
    return false;
}

bool window_memory_list(const void *memory, size_t bytes, DisplayList *list)
{
    char *start = (char *)(uintptr_t)memory; // a list is writable; this one is not written
    WindowMemory head;
    if (bytes < WINDOW_MEMORY_HEAD)
        return false;
    memcpy(&head, memory, sizeof head);
    if (!fits(&head, bytes))
        return false;
    *list = (DisplayList){
        .width = head.width,
        .height = head.height,
        .background = head.background,
        .items = (DisplayItem *)(void *)(start + window_memory_items(&head)),
        .item_count = head.item_count,
        .texts = start + window_memory_texts(&head),
        .text_bytes = head.text_bytes,
        .cells = (DisplayCell *)(void *)(start + WINDOW_MEMORY_HEAD),
        .cell_count = head.cell_count,
        .cells_version = head.cells_version,
    };
    bool sound = head.text_bytes == 0 || list->texts[head.text_bytes - 1] == '\0';
    for (size_t i = 0; sound && i < list->item_count; i++)
        sound = item_is_sound(list, &list->items[i]);
    return sound;
}

// --- the drawing process

extern char **environ;

enum { CHILD_SOCKET = 3, CHILD_MEMORY = 4, CLOSE_MILLISECONDS = 500, NOT_LOADED = 127 };

// Starts the program arguments[0] with the socket as descriptor 3, the memory as 4, and no terminal.
// `arguments` ends with NULL. Both descriptors must be at least 5.
static bool window_child_start(pid_t *child, char *const arguments[], int socket, int memory,
                               Error *err)
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

// Returns false if the child does not end in time.
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

// The signal that ended a child whose socket is closed; 0: none, or it still runs. Forgets an ended child.
// *loaded is false if the dynamic loader gave up, which has its own exit code.
static int window_child_signal(pid_t *child, bool *loaded)
{
    int status;
    *loaded = true;
    if (*child <= 0 || !wait_for_end(*child, &status))
        return 0;
    *child = 0;
    *loaded = !WIFEXITED(status) || WEXITSTATUS(status) != NOT_LOADED;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// "by signal 11 (Segmentation fault)"
static const char *window_child_signal_text(int signal, char text[64])
{
    snprintf(text, 64, TELL(BY_SIGNAL), signal, signal_text(signal, language_now()));
    return text;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0';
}

// True if a window that a signal ended may work under X11: Wayland, which SDL prefers, and X11 both exist.
// `named`: even if the environment names a driver, unless that is x11.
static bool window_child_has_x11(bool named)
{
    if (!is_set("WAYLAND_DISPLAY") || !is_set("DISPLAY"))
        return false;
    return !is_set("SDL_VIDEODRIVER") || (named && strcmp(getenv("SDL_VIDEODRIVER"), "x11") != 0);
}

// Kills a child that does not end within half a second.
static void window_child_close(pid_t *child)
{
    int status;
    if (*child > 0 && !wait_for_end(*child, &status)) {
        kill(*child, SIGKILL);
        waitpid(*child, &status, 0);
    }
    *child = 0;
}

// --- its messages as events

static void read_fonts(FontMetrics *metrics, char *words)
{
    *metrics = font_metrics_usual;
    for (int i = 0; i < 95; i++)
        metrics->ascii[i] = (float)strtol(words, &words, 10) / 1000.0f;
    metrics->wide = (float)strtol(words, &words, 10) / 1000.0f;
    metrics->other = (float)strtol(words, &words, 10) / 1000.0f;
}

// Fractions are sent in thousandths, which every locale reads.
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

// Parses a message; the words are in the order of WindowEventKind.
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

// Receives into the inbox. Returns false if the child is gone.
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

// Describes how a silent child ended, and an alternative.
static void describe_end(Window *window, char word[WINDOW_MESSAGE_MAX])
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

// The child speaks another protocol: it is another program or version.
static void refuse_stranger(Window *window, char word[WINDOW_MESSAGE_MAX])
{
    window->ended = true;
    words_format(word, WINDOW_MESSAGE_MAX, TELL(PAINTER_STRANGE), window->program);
}

// Handles messages that are not events: the version, and font widths.
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
        bool is_event_message = is_event(window, message);
        if (!window->understood)
            break;
        if (is_event_message) {
            read_message(window, event, message);
            if (event->kind == WINDOW_LOST && !event->word[0])
                describe_end(window, event->word);
            if (event->kind == WINDOW_FAILED && !event->word[0])
                words_format(event->word, sizeof event->word, TELL(PAINTER_SILENT),
                             window->program);
            return true;
        }
    }
    if (alive && taken == WINDOW_TAKEN_NOTHING)
        return false;
    if (taken == WINDOW_TAKEN_NOTHING && window->inbox.used == 0)
        describe_end(window, event->word);
    else
        refuse_stranger(window, event->word);
    return true;
}

// A signal (a resized terminal) or a moment without memory does not end the wait.
bool window_wait(const Window *window, int milliseconds)
{
    enum { FAILURES_MAX = 1000 };
    errno = ECHILD;
    if (window->fd < 0 || window->ended)
        return false;
    if (window_wire_has(&window->inbox))
        return true;
    long end = clock_milliseconds() + milliseconds;
    for (int failures = 0;;) {
        long left = milliseconds < 0 ? -1 : end - clock_milliseconds();
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

// --- the window

enum { OPEN_MILLISECONDS = 20000 }; // a remote display may take long

// The drawing programs: canvas_main.c and paper_main.c.
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

// Moves a descriptor above those that the child uses; -1 and errno on failure.
static int above(int fd)
{
    if (fd < 0)
        return -1;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    int cause = errno == EINVAL ? EMFILE : errno; // no numbers above
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

// Sends a message. Returns false if the child is gone.
static bool say(Window *window, const char *message)
{
    size_t left = strlen(message) + 1;
    for (const char *at = message; left > 0;) {
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

// Waits until the child reports its fonts and size, or an error.
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
    say(window, version); // if the child is gone, its last message tells why
    return wait_for_start(window, err);
}

// Adds a message to the inbox as if the child had sent it.
static void add_message(Window *window, const char *message)
{
    size_t bytes = strlen(message) + 1;
    if (window->inbox.used + bytes > sizeof window->inbox.bytes)
        return;
    memcpy(window->inbox.bytes + window->inbox.used, message, bytes);
    window->inbox.used += bytes;
}

static void add_failure(Window *window, const char *sentence)
{
    char message[WINDOW_MESSAGE_MAX];
    snprintf(message, sizeof message, "failed %s", sentence);
    add_message(window, message);
}

// Tries X11 once: SDL crashes under a Wayland without keyboard and pointer.
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

// --- lists to the child

// Returns false and sets errno on failure.
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

// Copies the list into shared memory; cells only if they changed and are not there already.
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

// Closing the socket asks the child to end.
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
