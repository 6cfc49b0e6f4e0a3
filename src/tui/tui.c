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
static void press(Session *session, const char *key, const Cells *cells)
{
    Command command;
    Error refused;
    if (!session_key(session, key, &command))
        return;
    if (command.kind == COMMAND_REDRAW)
        terminal_forget();
    session_apply(session, &command, &refused);
    screen_report(session, cells->columns, cells->rows);
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
    Error refused;
    *due = 0;
    session_apply(session, &next, &refused);
    screen_report(session, cells->columns, cells->rows);
}

static bool serve(Session *session, Cells *cells, Error *err)
{
    long long due = 0;
    bool good = take_size(session, cells, err), gone = false;
    unsigned long drawn = session->revision - 1;
    while (good && !gone && !session->quit) {
        if (session->revision != drawn) {
            screen_draw(session, cells);
            terminal_draw(cells);
            drawn = session->revision;
        }
        TerminalEvent event = terminal_wait(time_to_tick(session, &due));
        gone = event.kind == TERMINAL_GONE;
        if (event.kind == TERMINAL_KEY)
            press(session, event.key, cells);
        if (event.kind == TERMINAL_TIME)
            tick(session, cells, &due);
        if (event.kind == TERMINAL_CHANGED) {
            good = take_size(session, cells, err);
            drawn = session->revision - 1;
        }
    }
    return good;
}

bool tui_run(Session *session, Error *err)
{
    Terminal terminal;
    Cells cells = {.rows = 0};
    if (!terminal_open(&terminal, err))
        return false;
    bool good = serve(session, &cells, err);
    cells_finish(&cells);
    terminal_close(&terminal);
    return good;
}
