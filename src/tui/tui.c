// tui: the loop between a person at a terminal and a session; see tui.h.
#include "tui.h"

#include <time.h>
#include "cells.h"
#include "guide_words.h"
#include "hangul.h"
#include "history_file.h"
#include "screen.h"
#include "session_prompt.h"
#include "terminal.h"

typedef struct Loop {
    Session *session;
    Terminal terminal;
    Cells cells;
    Screen screen;                 // as it was drawn last
    unsigned long drawn;           // the session's revision that it shows
    const char *history;           // the file; NULL: none
    const TuiCompanion *companion; // NULL: none
    long long due;                 // when the next tick is, 0 between ticks
    bool hangul_said;
} Loop;

static bool take_size(Loop *loop, Error *err)
{
    int columns, rows;
    terminal_size(&columns, &rows);
    columns = columns < TUI_COLUMNS_MAX ? columns : TUI_COLUMNS_MAX;
    rows = rows < TUI_ROWS_MAX ? rows : TUI_ROWS_MAX;
    loop->cells.colours = terminal_colours();
    if (!cells_resize(&loop->cells, columns, rows, err))
        return false;
    loop->drawn = loop->session->revision - 1;
    return true;
}

static void say(Loop *loop, const char *words)
{
    Command tell = {.kind = COMMAND_TELL};
    snprintf(tell.name, sizeof tell.name, "%.*s", COMMAND_NAME_MAX - 1, words);
    session_apply(loop->session, &tell, &(Error){.text = ""});
}

// What cannot be kept is said once, where nothing more important is.
static void keep_line(Loop *loop, const char *line)
{
    Error why;
    if (history_file_add(loop->history, line, &why))
        return;
    loop->history = NULL;
    say(loop, why.text);
}

// That Hangul is taken for the keys beneath it is said once, at the first such key that has
// nothing else to say.
static void notice_hangul(Loop *loop, const TerminalEvent *event)
{
    const Session *session = loop->session;
    bool is_free = !session->prompt.open && !session->message.text[0];
    if (loop->hangul_said || !is_free || event->kind != TERMINAL_KEY || !hangul_key(event->key))
        return;
    loop->hangul_said = true;
    say(loop, guide_session_word(loop->session, WORD_HANGUL_KEYS));
}

static bool is_stale(const Loop *loop)
{
    return loop->session->revision != loop->drawn;
}

static void fit(Loop *loop)
{
    screen_fit(&loop->screen, loop->session, loop->cells.columns, loop->cells.rows);
}

// What a command refuses, the session shows. Keys that come faster than screens are fitted to a screen
// only where they go by what it shows.
static void apply(Loop *loop, const Command *command)
{
    Session *session = loop->session;
    unsigned long entered = session->prompt.entered;
    Error refused;
    if (command->kind == COMMAND_REDRAW)
        terminal_forget();
    if (command_is(command->kind, COMMAND_ASKS_ROOM) && is_stale(loop))
        fit(loop);
    session_apply(session, command, &refused);
    if (loop->history && session->prompt.entered != entered)
        keep_line(loop, history_line(&session->prompt.history, 1));
}

// The lines that other runs kept.
static void remember(Loop *loop)
{
    History history = {.count = 0};
    if (loop->history)
        history_file_read(loop->history, &history);
    for (int back = history.count; back >= 1; back--) {
        Command command = {.kind = COMMAND_REMEMBER};
        snprintf(command.name, sizeof command.name, "%s", history_line(&history, back));
        session_apply(loop->session, &command, &(Error){.text = ""});
    }
}

// Pasted text is for the line for words; elsewhere it would be a row of commands that nobody meant.
static bool find_command(const Loop *loop, const TerminalEvent *event, Command *command)
{
    const Session *session = loop->session;
    const Screen *screen = &loop->screen;
    switch (event->kind) {
    case TERMINAL_KEY:
        return session_key(session, event->key, command);
    case TERMINAL_PASTED:
        return session->prompt.open && session_key(session, event->key, command);
    case TERMINAL_CLICK:
        return screen_click(screen, session, event->row, event->column, command);
    case TERMINAL_WHEEL:
        return screen_wheel(screen, event->row, event->column, event->wheel, command);
    default:
        return false;
    }
}

// --- playing: the session says how often, the loop what time it is

static long long milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// How long to wait for the tick that is due; -1 when there is none.
static int time_to_tick(Loop *loop)
{
    int interval = session_next_tick(loop->session);
    long long now = milliseconds_now();
    if (interval < 0) {
        loop->due = 0;
        return -1;
    }
    if (loop->due == 0)
        loop->due = now + interval;
    return loop->due > now ? (int)(loop->due - now) : 0;
}

static void tick(Loop *loop)
{
    Command next = session_tick(loop->session);
    loop->due = 0;
    apply(loop, &next);
}

// --- what stands beside the terminal

static int beside(const Loop *loop)
{
    return loop->companion ? loop->companion->descriptor(loop->companion->context) : -1;
}

// The shorter of two waits, where -1 is for ever.
static int shorter(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int patience(Loop *loop)
{
    int companion = loop->companion ? loop->companion->wait(loop->companion->context) : -1;
    return shorter(time_to_tick(loop), companion);
}

static void listen(Loop *loop)
{
    Command command;
    if (!loop->companion)
        return;
    while (loop->companion->next(loop->companion->context, loop->session, &command))
        apply(loop, &command);
    loop->companion->follow(loop->companion->context, loop->session);
}

// --- the loop

static void draw(Loop *loop)
{
    fit(loop);
    screen_draw(&loop->screen, loop->session, &loop->cells);
    terminal_mouse(&loop->terminal, !loop->session->mouse_off);
    terminal_draw(&loop->cells);
    loop->drawn = loop->session->revision;
}

// Draws when nothing more has come, so that no amount of typing runs ahead of the screen for long.
static bool serve(Loop *loop, Error *err)
{
    Session *session = loop->session;
    bool good = take_size(loop, err), gone = false;
    remember(loop);
    while (good && !gone && !session->quit) {
        bool stale = is_stale(loop);
        Command command;
        loop->terminal.typing = session->prompt.open;
        TerminalEvent event =
            terminal_wait(&loop->terminal, beside(loop), stale ? 0 : patience(loop));
        gone = event.kind == TERMINAL_GONE;
        if (find_command(loop, &event, &command))
            apply(loop, &command);
        notice_hangul(loop, &event);
        if (event.kind == TERMINAL_TIME && stale)
            draw(loop);
        else if (event.kind == TERMINAL_TIME && time_to_tick(loop) == 0)
            tick(loop);
        listen(loop);
        if (event.kind == TERMINAL_CHANGED)
            good = take_size(loop, err);
    }
    return good;
}

bool tui_run(Session *session, const char *history, const TuiCompanion *companion, Error *err)
{
    Loop loop = {.session = session, .history = history, .companion = companion};
    if (!terminal_open(&loop.terminal, err))
        return false;
    bool good = serve(&loop, err);
    cells_finish(&loop.cells);
    terminal_close(&loop.terminal);
    return good;
}
