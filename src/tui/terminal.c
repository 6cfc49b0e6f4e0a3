// The terminal: the one file that includes curses; see tui.h.
#include "tui.h"

#include <assert.h>
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#undef columns // a macro of term.h
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include "arena.h"
#include "cells.h"
#include "error.h"
#include "tui_words.def"
#include "utf8.h"

// --- characters of the C library, for curses

enum { CHARACTERS_MAX = 5 }; // in a cell

// Chooses UTF-8 whatever the locale. LC_NUMERIC stays, so that numbers keep their points.
static void characters_choose(void)
{
    static const char *const fallbacks[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    setlocale(LC_CTYPE, "");
    for (size_t i = 0; i < sizeof fallbacks / sizeof *fallbacks; i++)
        if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
            setlocale(LC_CTYPE, fallbacks[i]);
}

// The characters of a cell; "?" if the C library does not know their width as utf8proc does, so that later columns
// stay in place.
static void characters_of(const Cell *cell, wchar_t characters[CHARACTERS_MAX + 1])
{
    const char *rest = cell->text;
    uint32_t character;
    int count = 0;
    for (size_t bytes; count < CHARACTERS_MAX && (bytes = utf8_next(rest, &character)) > 0;
         rest += bytes)
        characters[count++] = (wchar_t)character;
    characters[count] = L'\0';
    if (wcwidth(characters[0]) != cell->columns)
        wcscpy(characters, L"?");
}

// --- keys

enum { CONTINUED = 0x80, CONTINUED_MASK = 0xc0 };

static bool name_ascii(unsigned char byte, char key[KEY_NAME_MAX])
{
    static const struct {
        unsigned char byte;
        const char *name;
    } names[] = {{' ', "Space"}, {'\t', "Tab"},      {'\r', "Enter"}, {'\n', "Enter"},
                 {27, "Escape"}, {127, "Backspace"}, {8, "Backspace"}};
    snprintf(key, KEY_NAME_MAX, byte < 32 ? "^%c" : "%c", byte < 32 ? byte + '@' : byte);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].byte == byte)
            snprintf(key, KEY_NAME_MAX, "%s", names[i].name);
    return byte != 0;
}

// The bytes of a character that starts with this one; 0: none does.
static int length_of(unsigned char byte)
{
    return byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? (byte < 0xf0) * 3 : (byte >= 0xc2) * 2;
}

bool key_reader_take(KeyReader *reader, unsigned char byte, char key[KEY_NAME_MAX])
{
    if ((byte & CONTINUED_MASK) != CONTINUED) { // drops an incomplete character
        reader->count = 0;
        reader->wanted = byte < CONTINUED ? 0 : length_of(byte);
    }
    if (byte < CONTINUED)
        return name_ascii(byte, key);
    if (reader->count >= reader->wanted)
        return false;
    reader->bytes[reader->count++] = (char)byte;
    snprintf(key, KEY_NAME_MAX, "%.*s", reader->count, reader->bytes);
    return reader->count == reader->wanted && utf8_valid(key, strlen(key));
}

// --- the mouse

enum {
    BYTE_OF_ZERO = 32,
    NUMBER_MAX = 9999, // more than any terminal has columns

    // the bits of a button's number
    LEFT = 0,
    MODIFIERS = 4 + 8 + 16, // Shift, Meta, Control: ignored
    WHEEL_UP = 64,
    WHEEL_DOWN = 65,
};

static bool finish(MouseReader *reader, bool pressed, MouseEvent *event)
{
    int button = reader->numbers[0] & ~MODIFIERS;
    *event = (MouseEvent){.wheel = (button == WHEEL_DOWN) - (button == WHEEL_UP),
                          .column = reader->numbers[1] - 1,
                          .row = reader->numbers[2] - 1};
    *reader = (MouseReader){.form = MOUSE_SILENT};
    return pressed && (button == LEFT || event->wheel != 0) && event->row >= 0 &&
           event->column >= 0;
}

static bool take_decimal(MouseReader *reader, int code, MouseEvent *event)
{
    int *number = &reader->numbers[reader->place];
    bool last = reader->place == MOUSE_NUMBERS - 1;
    if (code >= '0' && code <= '9')
        *number = *number < NUMBER_MAX / 10 ? *number * 10 + code - '0' : NUMBER_MAX;
    else if (code == ';' && !last)
        reader->place++;
    else
        return finish(reader, last && code == 'M', event);
    return false;
}

static bool take_byte(MouseReader *reader, int code, MouseEvent *event)
{
    reader->numbers[reader->place++] = code - BYTE_OF_ZERO;
    return reader->place == MOUSE_NUMBERS && finish(reader, true, event);
}

bool mouse_reader_take(MouseReader *reader, int code, MouseEvent *event)
{
    return reader->form == MOUSE_DECIMAL ? take_decimal(reader, code, event)
                                         : take_byte(reader, code, event);
}

// --- signals
//
// Gentle signals become bytes in a pipe that the loop reads. Deadly ones restore the terminal, then take their usual
// course. The state is global, as handlers have no other data.

enum { SIGNALS_TEXT_MAX = 256 };

static const int gentle[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGTRAP, SIGSYS};

enum {
    GENTLE = sizeof gentle / sizeof *gentle,
    DEADLY = sizeof deadly / sizeof *deadly,
    STACK_BYTES = 64 * 1024,
};

static struct {
    int pipe[2];
    volatile sig_atomic_t ending;                    // SIGINT, SIGTERM or SIGHUP; 0: none
    struct sigaction gentle[GENTLE], deadly[DEADLY]; // the former handlers
    bool owns_stack;

    // After a crash, `text` is written to the terminal and `modes` are set.
    int terminal; // -1: nothing to restore
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
    (void)written; // the terminal may be gone
    tcsetattr(state.terminal, TCSANOW, &state.modes);
}

static void restore_handlers(void)
{
    for (int i = 0; i < GENTLE; i++)
        sigaction(gentle[i], &state.gentle[i], NULL);
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &state.deadly[i], NULL);
}

// The signal is blocked in its handler: raised again, it reaches the former handler (the default, or a sanitizer's)
// when this returns.
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
    if (ends && state.ending) // the second time: the loop is too busy
        on_deadly(number);
    if (ends)
        state.ending = number;
    ssize_t written = write(state.pipe[1], &byte, 1);
    (void)written; // a full pipe wakes the loop, too
    errno = saved;
}

// After a stack overflow, handlers need another stack.
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

// Signals that the parent ignores stay ignored (nohup; a shell without job control, which could not continue the
// program after Ctrl-Z).
static void take_gentle(int i)
{
    struct sigaction waiting = {.sa_handler = on_gentle, .sa_flags = SA_RESTART};
    bool may_be_ignored = gentle[i] != SIGWINCH && gentle[i] != SIGCONT;
    sigfillset(&waiting.sa_mask);
    sigaction(gentle[i], NULL, &state.gentle[i]);
    if (!may_be_ignored || state.gentle[i].sa_handler != SIG_IGN)
        sigaction(gentle[i], &waiting, NULL);
}

// Takes over SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, and the signals of a crash.
static bool signals_open(Error *err)
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

static void signals_rescue(int descriptor, const char *text, size_t length,
                           const struct termios *modes)
{
    assert(length <= SIGNALS_TEXT_MAX);
    memcpy(state.text, text, length);
    state.length = length;
    state.modes = *modes;
    state.terminal = descriptor;
}

// True if the polled terminal has hung up: there is an event, but nothing to read.
static bool signals_hung_up(const struct pollfd *terminal)
{
    int bytes = 0;
    if (terminal->revents & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    return (terminal->revents & POLLIN) &&
           (ioctl(terminal->fd, FIONREAD, &bytes) != 0 || bytes == 0);
}

// Stops the process as SIGTSTP does; returns when it continues.
static void signals_stop(void)
{
    struct sigaction ours, usual = {.sa_handler = SIG_DFL};
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
}

// Restores the handlers, and raises a signal that ends the program again.
static void signals_close(void)
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

// --- the terminal

enum {
    ESCAPE_WAIT = 25,
    ESCAPE = 27,
    DELETE = 127,
    PASTE_STARTS = 2000, // codes beyond those of curses
    PASTE_ENDS,
    MOUSE_IN_DECIMAL,
    MOUSE_IN_BYTES,
};

static const char marks_pasted[] = "\033[?2004h", marks_nothing[] = "\033[?2004l",
                  tells_mouse[] = "\033[?1000h\033[?1006h",
                  leaves_mouse[] = "\033[?1006l\033[?1000l";

// --- opening and closing

// True for terminals that understand these sequences or ignore them.
static bool has_modes(void)
{
    return strncmp(cursor_address, "\033[", 2) == 0;
}

// The text to send after a crash: a signal handler cannot call curses.
static char rescue[SIGNALS_TEXT_MAX];
static size_t rescue_length;

static int keep_for_rescue(int byte)
{
    if (rescue_length < sizeof rescue)
        rescue[rescue_length++] = (char)byte;
    return byte;
}

static void prepare_rescue(const struct termios *modes)
{
    static const char *const names[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
    rescue_length = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[8];
        strcpy(name, names[i]);
        const char *text = tigetstr(name);
        if (text && text != (const char *)-1)
            tputs(text, 1, keep_for_rescue);
    }
    if (has_modes()) {
        tputs(marks_nothing, 1, keep_for_rescue);
        tputs(leaves_mouse, 1, keep_for_rescue);
    }
    signals_rescue(STDOUT_FILENO, rescue, rescue_length, modes);
}

static void choose_colours(void)
{
    if (terminal_colours() == 0)
        return;
    start_color();
    use_default_colors();
}

int terminal_is_known(const char *type)
{
    int found;
    if (!type || !*type || setupterm(type, STDOUT_FILENO, &found) != OK)
        return -1;
    int colours = !cursor_address ? -1 : max_colors > 0 ? max_colors : 0;
    del_curterm(cur_term);
    return colours;
}

static void choose_mode(const char *mode)
{
    if (!has_modes())
        return;
    fputs(mode, stdout);
    fflush(stdout);
}

void terminal_mouse(Terminal *terminal, bool wanted)
{
    const char *no_mouse = getenv("NO_MOUSE");
    bool is_on = wanted && key_mouse && !(no_mouse && *no_mouse);
    if (terminal->mouse != is_on)
        choose_mode(is_on ? tells_mouse : leaves_mouse);
    terminal->mouse = is_on;
}

// Some terminals send arrows in the short form in every mode.
static void know_more_keys(void)
{
    static const struct {
        const char *bytes;
        int key;
    } keys[] = {{"\033[200~", PASTE_STARTS},  {"\033[201~", PASTE_ENDS},
                {"\033[A", KEY_UP},           {"\033[B", KEY_DOWN},
                {"\033[C", KEY_RIGHT},        {"\033[D", KEY_LEFT},
                {"\033[H", KEY_HOME},         {"\033[F", KEY_END},
                {"\033[<", MOUSE_IN_DECIMAL}, {"\033[M", MOUSE_IN_BYTES}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        define_key(keys[i].bytes, keys[i].key);
}

// Returns false if the terminal refuses the modes, as one that is gone.
static bool choose_modes(void)
{
    if (cbreak() == ERR || noecho() == ERR)
        return false;
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    know_more_keys();
    set_escdelay(ESCAPE_WAIT);
    choose_mode(marks_pasted);
    return true;
}

// curses does not check its allocations. It keeps several screens, of about 30 bytes a cell.
static bool has_memory(void)
{
    enum { BESIDE = 512 << 10, A_CELL = 128 };
    struct winsize size = {.ws_row = 0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    return room_ahead(BESIDE + A_CELL * (size_t)size.ws_row * size.ws_col);
}

bool terminal_open(Terminal *terminal, Error *err)
{
    const char *type = getenv("TERM");
    struct termios modes;
    if (tcgetattr(STDIN_FILENO, &modes) != 0 || !isatty(STDOUT_FILENO))
        return error_set(err, TELL(TERMINAL_NONE));
    if (!has_memory())
        return error_machine(err, TELL(TERMINAL_NO_MEMORY));
    if (terminal_is_known(type) < 0)
        return error_set(err, TELL(TERMINAL_TYPE), type ? type : "");
    characters_choose();
    if (!signals_open(err)) // before curses, which leaves signals with handlers alone
        return false;
    terminal->screen = newterm(type, stdout, stdin);
    if (!terminal->screen) {
        signals_close();
        return error_set(err, TELL(TERMINAL_UNOPENED), type);
    }
    prepare_rescue(&modes);
    if (!choose_modes()) {
        terminal_close(terminal);
        return error_set(err, TELL(TERMINAL_UNSETTLED));
    }
    choose_colours();
    return true;
}

static void leave_screen(Terminal *terminal)
{
    if (isendwin())
        return;
    choose_mode(marks_nothing);
    terminal_mouse(terminal, false);
    endwin();
}

void terminal_close(Terminal *terminal)
{
    leave_screen(terminal);
    delscreen(terminal->screen);
    signals_close();
}

void terminal_size(int *columns, int *rows)
{
    *columns = COLS;
    *rows = LINES;
}

int terminal_colours(void)
{
    const char *no_color = getenv("NO_COLOR");
    bool refused = (no_color && *no_color) || !has_colors();
    return refused ? 0 : tigetnum("colors");
}

// --- drawing

// The colour pair of a cell. curses keeps those in use and reuses the oldest.
static int pair_of(const Cell *cell, int colours)
{
    static const int fronts[ROLE_COUNT] = {[ROLE_KEY] = COLOR_CYAN, [ROLE_ALARM] = COLOR_YELLOW};
    ShadeNumbers numbers = shade_numbers(cell->shade, colours);
    if (colours == 0)
        return 0;
    if (numbers.front < 0 && fronts[cell->role])
        numbers.front = fronts[cell->role];
    return numbers.front < 0 && numbers.back < 0 ? 0 : alloc_pair(numbers.front, numbers.back);
}

static attr_t attributes_of(Role role)
{
    static const attr_t attributes[ROLE_COUNT] = {
        [ROLE_QUIET] = A_DIM,  [ROLE_HEADING] = A_BOLD,    [ROLE_TITLE] = A_REVERSE,
        [ROLE_RULE] = A_DIM,   [ROLE_CURRENT] = A_REVERSE, [ROLE_KEY] = A_BOLD,
        [ROLE_ALARM] = A_BOLD, [ROLE_CHANGED] = A_BOLD,    [ROLE_MARKED] = A_DIM,
    };
    return attributes[role];
}

void terminal_draw(const Cells *cells)
{
    erase();
    for (int row = 0; row < cells->rows && row < LINES; row++)
        for (int column = 0; column < cells->columns && column < COLS; column++) {
            const Cell *cell = cells_at(cells, row, column);
            wchar_t characters[CHARACTERS_MAX + 1];
            cchar_t drawn;
            if (cell->columns == 0)
                continue;
            characters_of(cell, characters);
            int pair = pair_of(cell, cells->colours);
            setcchar(&drawn, characters, attributes_of((Role)cell->role), 0, &pair);
            mvadd_wch(row, column, &drawn);
        }
    curs_set(cells->has_cursor);
    if (cells->has_cursor)
        move(cells->cursor_row, cells->cursor_column);
    refresh();
}

void terminal_forget(void)
{
    clearok(curscr, TRUE);
}

// --- waiting

static bool name_function_key(int code, char key[KEY_NAME_MAX])
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {KEY_UP, "Up"},        {KEY_DOWN, "Down"},
        {KEY_LEFT, "Left"},    {KEY_RIGHT, "Right"},
        {KEY_HOME, "Home"},    {KEY_END, "End"},
        {KEY_PPAGE, "PageUp"}, {KEY_NPAGE, "PageDown"},
        {KEY_BTAB, "BackTab"}, {KEY_BACKSPACE, "Backspace"},
        {KEY_ENTER, "Enter"},  {KEY_DC, "Delete"},
    };
    key[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            strcpy(key, names[i].name);
    if (code >= KEY_F(1) && code <= KEY_F(12))
        snprintf(key, KEY_NAME_MAX, "F%d", code - KEY_F0);
    return key[0] != '\0';
}

// Skips the rest of an unknown key: after "[" everything up to the final letter or sign, after "O" one character.
static void skip_sequence(int kind)
{
    int next = kind;
    timeout(ESCAPE_WAIT);
    do
        next = getch();
    while (kind == '[' && next >= ' ' && next < '@');
    timeout(0);
}

// Escape by itself, or the start of something.
static bool read_escape(char key[KEY_NAME_MAX])
{
    int next = getch();
    if (next == '[' || next == 'O') {
        skip_sequence(next);
        return false;
    }
    if (next != ERR)
        ungetch(next);
    strcpy(key, "Escape");
    return true;
}

static bool read_mouse(Terminal *terminal, int code, TerminalEvent *event)
{
    code = code == KEY_BACKSPACE ? DELETE : code; // a coordinate that curses took for a key
    bool complete = mouse_reader_take(&terminal->mouse_reader, code, &event->mouse);
    event->kind = event->mouse.wheel ? TERMINAL_WHEEL : TERMINAL_CLICK;
    return complete;
}

// Takes a code of curses or a byte; true if it completes an event.
static bool take_code(Terminal *terminal, int code, TerminalEvent *event)
{
    event->kind = terminal->pasting ? TERMINAL_PASTED : TERMINAL_KEY;
    if (terminal->mouse_reader.form)
        return read_mouse(terminal, code, event);
    if (code == PASTE_STARTS || code == PASTE_ENDS)
        terminal->pasting = code == PASTE_STARTS;
    else if (code == MOUSE_IN_DECIMAL || code == MOUSE_IN_BYTES)
        terminal->mouse_reader.form = code == MOUSE_IN_BYTES ? MOUSE_BYTES : MOUSE_DECIMAL;
    else if (code == ESCAPE)
        return read_escape(event->key) && !terminal->pasting;
    else if (code < KEY_MIN)
        return key_reader_take(&terminal->reader, (unsigned char)code, event->key) &&
               (!terminal->pasting || (code >= ' ' && code != DELETE));
    else
        return name_function_key(code, event->key) && !terminal->pasting;
    return false;
}

// Reads an event without waiting. A Hangul syllable becomes a key for each of its letters.
static bool read_event(Terminal *terminal, TerminalEvent *event)
{
    if (hangul_next(&terminal->syllable, event->key))
        return true;
    for (int code; (code = getch()) != ERR;)
        if (take_code(terminal, code, event)) {
            if (event->kind == TERMINAL_KEY && !terminal->typing)
                terminal->syllable = hangul_letters(event->key);
            hangul_next(&terminal->syllable, event->key);
            return true;
        }
    return false;
}

static void take_new_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        has_memory())
        resizeterm(size.ws_row, size.ws_col);
}

static TerminalEventKind answer_signal(Terminal *terminal, int number)
{
    if (number == SIGINT || number == SIGTERM || number == SIGHUP)
        return TERMINAL_GONE;
    if (number == SIGTSTP) {
        leave_screen(terminal);
        signals_stop();
    }
    if (number == SIGCONT) { // after SIGSTOP, the modes are unknown
        leave_screen(terminal);
        choose_mode(marks_pasted);
    }
    take_new_size();
    terminal_forget();
    return TERMINAL_CHANGED;
}

TerminalEvent terminal_wait(Terminal *terminal, int beside, int milliseconds)
{
    TerminalEvent event = {.kind = TERMINAL_KEY};
    for (;;) {
        unsigned char signal; // one that waits
        if (read(state.pipe[0], &signal, 1) == 1) {
            event.kind = answer_signal(terminal, signal);
            return event;
        }
        if (read_event(terminal, &event))
            return event;
        struct pollfd sources[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                   {.fd = state.pipe[0], .events = POLLIN},
                                   {.fd = beside, .events = POLLIN}};
        int ready = poll(sources, 3, milliseconds);
        if (ready == 0) {
            event.kind = TERMINAL_TIME;
            return event;
        }
        if ((ready < 0 && errno != EINTR) || (ready > 0 && signals_hung_up(&sources[0]))) {
            event.kind = TERMINAL_GONE;
            return event;
        }
        if (ready > 0 && sources[2].revents) {
            event.kind = TERMINAL_BESIDE;
            return event;
        }
    }
}
