// terminal: the one file that includes curses; see terminal.h.
#include "terminal.h"

#include <curses.h>
#include <term.h>
#undef columns // a macro of term.h
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include "shade.h"
#include "terminal_signals.h"
#include "utf8.h"

enum { ESCAPE_WAIT = 25, CHARACTERS_MAX = 5 };

// --- opening and closing

// Text is UTF-8 in every locale; numbers keep their points because LC_NUMERIC is never set.
static void choose_characters(void)
{
    static const char *const fallbacks[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    setlocale(LC_CTYPE, "");
    for (size_t i = 0; i < sizeof fallbacks / sizeof *fallbacks; i++)
        if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
            setlocale(LC_CTYPE, fallbacks[i]);
}

// What a crash has to send: curses itself cannot be called from a signal handler.
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
    signals_rescue(STDOUT_FILENO, rescue, rescue_length, modes);
}

static void choose_colours(void)
{
    if (terminal_colours() == 0)
        return;
    start_color();
    use_default_colors();
}

// True when the terminal type is known and can place text anywhere on the screen.
static bool can_place_text(const char *type)
{
    int found;
    if (!type || !*type || setupterm(type, STDOUT_FILENO, &found) != OK)
        return false;
    bool places = cursor_address != NULL;
    del_curterm(cur_term);
    return places;
}

// Some terminals send arrows in the short form whatever mode they were put into.
static void know_short_arrows(void)
{
    static const struct {
        const char *bytes;
        int key;
    } arrows[] = {{"\033[A", KEY_UP},   {"\033[B", KEY_DOWN}, {"\033[C", KEY_RIGHT},
                  {"\033[D", KEY_LEFT}, {"\033[H", KEY_HOME}, {"\033[F", KEY_END}};
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        define_key(arrows[i].bytes, arrows[i].key);
}

static void choose_modes(void)
{
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    know_short_arrows();
    set_escdelay(ESCAPE_WAIT);
    curs_set(0);
}

bool terminal_open(Terminal *terminal, Error *err)
{
    const char *type = getenv("TERM");
    struct termios modes;
    if (tcgetattr(STDIN_FILENO, &modes) != 0 || !isatty(STDOUT_FILENO))
        return error_set(err, "input and output have to be a terminal");
    if (!can_place_text(type))
        return error_set(err,
                         "the terminal type \"%s\" (TERM) is unknown or cannot place text on the "
                         "screen; try TERM=xterm-256color",
                         type ? type : "");
    choose_characters();
    if (!signals_open(err)) // before curses, which leaves signals alone that have an owner
        return false;
    terminal->screen = newterm(type, stdout, stdin);
    if (!terminal->screen) {
        signals_close();
        return error_set(err, "the terminal \"%s\" could not be opened", type);
    }
    prepare_rescue(&modes);
    choose_modes();
    choose_colours();
    return true;
}

void terminal_close(Terminal *terminal)
{
    if (!isendwin())
        endwin();
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

// What curses calls the colours of a cell. curses keeps those in use and reuses the oldest.
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
        [ROLE_ALARM] = A_BOLD, [ROLE_MARKED] = A_DIM,
    };
    return attributes[role];
}

// The C library may know a character by another width than utf8proc, or not at all; then a
// replacement keeps every later column where it belongs.
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

static void name_character(wint_t character, char key[KEY_NAME_MAX])
{
    static const struct {
        wint_t character;
        const char *name;
    } names[] = {{' ', "Space"}, {'\t', "Tab"},      {'\r', "Enter"}, {'\n', "Enter"},
                 {27, "Escape"}, {127, "Backspace"}, {8, "Backspace"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].character == character) {
            strcpy(key, names[i].name);
            return;
        }
    mbstate_t fresh = {0};
    size_t bytes = wcrtomb(key, (wchar_t)character, &fresh);
    key[bytes == (size_t)-1 ? 0 : bytes] = '\0';
    if (character < 32)
        snprintf(key, KEY_NAME_MAX, "^%c", (char)(character + '@'));
}

static void name_function_key(wint_t code, char key[KEY_NAME_MAX])
{
    static const struct {
        wint_t code;
        const char *name;
    } names[] = {
        {KEY_UP, "Up"},        {KEY_DOWN, "Down"},
        {KEY_LEFT, "Left"},    {KEY_RIGHT, "Right"},
        {KEY_HOME, "Home"},    {KEY_END, "End"},
        {KEY_PPAGE, "PageUp"}, {KEY_NPAGE, "PageDown"},
        {KEY_BTAB, "BackTab"}, {KEY_BACKSPACE, "Backspace"},
        {KEY_ENTER, "Enter"},
    };
    key[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            strcpy(key, names[i].name);
    if (code >= KEY_F(1) && code <= KEY_F(12))
        snprintf(key, KEY_NAME_MAX, "F%d", (int)(code - KEY_F0));
}

// A key that curses has already, or can read without waiting; keys without a name are left out.
static bool read_key(char key[KEY_NAME_MAX])
{
    wint_t code;
    for (int kind; (kind = get_wch(&code)) != ERR;) {
        if (kind == KEY_CODE_YES)
            name_function_key(code, key);
        else
            name_character(code, key);
        if (key[0])
            return true;
    }
    return false;
}

static void take_new_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        resizeterm(size.ws_row, size.ws_col);
}

static TerminalEventKind answer_signal(int number)
{
    if (number == SIGINT || number == SIGTERM || number == SIGHUP)
        return TERMINAL_GONE;
    if (number == SIGTSTP) {
        endwin();
        signals_stop();
    }
    if (number == SIGCONT && !isendwin()) // stopped without being asked: the modes are unknown
        endwin();
    take_new_size();
    terminal_forget();
    return TERMINAL_CHANGED;
}

// True when the other end has hung up: there is an event, but nothing to read.
static bool is_gone(short events)
{
    int bytes = 0;
    if (events & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    return (events & POLLIN) && (ioctl(STDIN_FILENO, FIONREAD, &bytes) != 0 || bytes == 0);
}

TerminalEvent terminal_wait(int milliseconds)
{
    TerminalEvent event = {.kind = TERMINAL_KEY};
    for (;;) {
        int number = signals_next();
        if (number) {
            event.kind = answer_signal(number);
            return event;
        }
        if (read_key(event.key))
            return event;
        struct pollfd sources[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                   {.fd = signals_descriptor(), .events = POLLIN}};
        int ready = poll(sources, 2, milliseconds);
        if (ready == 0) {
            event.kind = TERMINAL_TIME;
            return event;
        }
        if ((ready < 0 && errno != EINTR) || (ready > 0 && is_gone(sources[0].revents))) {
            event.kind = TERMINAL_GONE;
            return event;
        }
    }
}
