// terminal_signals: see terminal_signals.h.
#include "terminal_signals.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "tui_words.h"

static const int gentle[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGTRAP, SIGSYS};

enum {
    GENTLE = sizeof gentle / sizeof *gentle,
    DEADLY = sizeof deadly / sizeof *deadly,
    STACK_BYTES = 64 * 1024,
};

// A handler can reach nothing else.
static struct {
    int pipe[2];
    volatile sig_atomic_t ending;                    // SIGINT, SIGTERM or SIGHUP has come; 0: none
    struct sigaction gentle[GENTLE], deadly[DEADLY]; // as they were before
    bool owns_stack;

    int terminal; // -1: there is nothing to put back
    char text[SIGNALS_TEXT_MAX];
    size_t length;
    struct termios modes;
} state;

static char handler_stack[STACK_BYTES];

// Calls only what POSIX lists as safe in a handler.
static void put_terminal_back(void)
{
    if (state.terminal < 0)
        return;
    ssize_t written = write(state.terminal, state.text, state.length);
    (void)written; // the terminal may be gone; there is nothing left to do about it here
    tcsetattr(state.terminal, TCSANOW, &state.modes);
}

static void restore_handlers(void)
{
    for (int i = 0; i < GENTLE; i++)
        sigaction(gentle[i], &state.gentle[i], NULL);
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &state.deadly[i], NULL);
}

// The signal is blocked in its own handler: raised again, it arrives at its former owner (the
// default, or a sanitizer's report) as soon as this returns.
static void on_deadly(int number)
{
    put_terminal_back();
    restore_handlers();
    raise(number);
}

static void on_gentle(int number)
{
    int saved = errno;
    bool ends = number == SIGINT || number == SIGTERM || number == SIGHUP;
    unsigned char byte = (unsigned char)number;
    if (ends && state.ending) // asked twice: the loop is too busy to answer
        on_deadly(number);
    if (ends)
        state.ending = number;
    ssize_t written = write(state.pipe[1], &byte, 1);
    (void)written; // a full pipe holds enough to wake the loop
    errno = saved;
}

// A stack overflow leaves no room for a handler on the stack that overflowed.
static void open_stack(void)
{
    stack_t now, own = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    state.owns_stack = sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0 &&
                       sigaltstack(&own, NULL) == 0;
}

static bool open_pipe(Error *err)
{
    if (pipe(state.pipe) != 0)
        return error_set(err, TELL(SIGNALS_NONE), error_reason(errno));
    for (int end = 0; end < 2; end++) {
        fcntl(state.pipe[end], F_SETFD, FD_CLOEXEC);
        fcntl(state.pipe[end], F_SETFL, O_NONBLOCK);
    }
    return true;
}

// Signals that the caller of the program ignores stay ignored (nohup; a shell without job control,
// which could not continue what Ctrl-Z has stopped).
static void take_gentle(int i)
{
    struct sigaction waiting = {.sa_handler = on_gentle, .sa_flags = SA_RESTART};
    bool may_be_ignored = gentle[i] != SIGWINCH && gentle[i] != SIGCONT;
    sigfillset(&waiting.sa_mask);
    sigaction(gentle[i], NULL, &state.gentle[i]);
    if (!may_be_ignored || state.gentle[i].sa_handler != SIG_IGN)
        sigaction(gentle[i], &waiting, NULL);
}

bool signals_open(Error *err)
{
    memset(&state, 0, sizeof state);
    state.terminal = -1;
    if (!open_pipe(err))
        return false;
    open_stack();
    for (int i = 0; i < GENTLE; i++)
        take_gentle(i);
    struct sigaction ending = {.sa_handler = on_deadly, .sa_flags = SA_ONSTACK};
    sigfillset(&ending.sa_mask);
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &ending, &state.deadly[i]);
    return true;
}

void signals_rescue(int descriptor, const char *text, size_t length, const struct termios *modes)
{
    assert(length <= SIGNALS_TEXT_MAX);
    memcpy(state.text, text, length);
    state.length = length;
    state.modes = *modes;
    state.terminal = descriptor;
}

int signals_descriptor(void)
{
    return state.pipe[0];
}

int signals_next(void)
{
    unsigned char byte;
    return read(state.pipe[0], &byte, 1) == 1 ? byte : 0;
}

bool signals_hung_up(const struct pollfd *terminal)
{
    int bytes = 0;
    if (terminal->revents & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    return (terminal->revents & POLLIN) &&
           (ioctl(terminal->fd, FIONREAD, &bytes) != 0 || bytes == 0);
}

void signals_stop(void)
{
    struct sigaction ours, usual = {.sa_handler = SIG_DFL};
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
}

void signals_close(void)
{
    int ending = state.ending;
    state.terminal = -1;
    restore_handlers();
    close(state.pipe[0]);
    close(state.pipe[1]);
    if (state.owns_stack)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    if (ending)
        raise(ending);
}
