// tui: the loop between a person at a terminal and a session; see tui.h.
#include "tui.h"

#include <time.h>
#include "cells.h"
#include "screen.h"
#include "session_prompt.h"
#include "terminal.h"

static bool take_size(Session *session, Cells *cells, Error *err)
{
    int columns, rows;
    terminal_size(&columns, &rows);
    columns = columns < TUI_COLUMNS_MAX ? columns : TUI_COLUMNS_MAX;
    rows = rows < TUI_ROWS_MAX ? rows : TUI_ROWS_MAX;
    cells->colours = terminal_colours();
    if (!cells_resize(cells, columns, rows, err))
        return false;
    screen_report(session, columns, rows);
    return true;
}

// What a command refuses, the session shows.
static void apply(Session *session, const Command *command, const Cells *cells)
{
    Error refused;
    if (command->kind == COMMAND_REDRAW)
        terminal_forget();
    session_apply(session, command, &refused);
    screen_report(session, cells->columns, cells->rows);
}

// Pasted text is for the line for words; elsewhere it would be a row of commands that nobody meant.
static bool find_command(const Session *session, const TerminalEvent *event, const Cells *cells,
                         Command *command)
{
    switch (event->kind) {
    case TERMINAL_KEY:
        return session_key(session, event->key, command);
    case TERMINAL_PASTED:
        return session->prompt.open && session_key(session, event->key, command);
    case TERMINAL_CLICK:
        return screen_click(session, cells->columns, cells->rows, event->row, event->column,
                            command);
    case TERMINAL_WHEEL:
        return screen_wheel(session, cells->columns, cells->rows, event->row, event->column,
                            event->wheel, command);
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

// How long to wait for the tick that is due; -1 when there is none. `due` is 0 between ticks.
static int time_to_tick(const Session *session, long long *due)
{
    int interval = session_next_tick(session);
    long long now = milliseconds_now();
    if (interval < 0) {
        *due = 0;
        return -1;
    }
    if (*due == 0)
        *due = now + interval;
    return *due > now ? (int)(*due - now) : 0;
}

static void tick(Session *session, const Cells *cells, long long *due)
{
    Command next = {.kind = COMMAND_NEXT, .number = 1};
    *due = 0;
    apply(session, &next, cells);
}

static void draw(const Session *session, Terminal *terminal, Cells *cells)
{
    screen_draw(session, cells);
    terminal_mouse(terminal, !session->mouse_off);
    terminal_draw(cells);
}

// Draws when nothing more has come, so that no amount of typing runs ahead of the screen for long.
static bool serve(Session *session, Terminal *terminal, Cells *cells, Error *err)
{
    long long due = 0;
    bool good = take_size(session, cells, err), gone = false;
    unsigned long drawn = session->revision - 1;
    while (good && !gone && !session->quit) {
        bool stale = session->revision != drawn;
        Command command;
        TerminalEvent event = terminal_wait(terminal, stale ? 0 : time_to_tick(session, &due));
        gone = event.kind == TERMINAL_GONE;
        if (find_command(session, &event, cells, &command))
            apply(session, &command, cells);
        if (event.kind == TERMINAL_TIME && stale) {
            draw(session, terminal, cells);
            drawn = session->revision;
        } else if (event.kind == TERMINAL_TIME) {
            tick(session, cells, &due);
        }
        if (event.kind == TERMINAL_CHANGED) {
            good = take_size(session, cells, err);
            drawn = session->revision - 1;
        }
    }
    return good;
}

bool tui_run(Session *session, Error *err)
{
    Terminal terminal = {.screen = NULL};
    Cells cells = {.rows = 0};
    if (!terminal_open(&terminal, err))
        return false;
    bool good = serve(session, &terminal, &cells, err);
    cells_finish(&cells);
    terminal_close(&terminal);
    return good;
}
