// tui: the loop between a person at a terminal and a session; see tui.h.
#include "tui.h"

#include "cells.h"
#include "screen.h"
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
    if (!command_for_key(key, &command))
        return;
    if (command.kind == COMMAND_REDRAW)
        terminal_forget();
    session_apply(session, &command, &refused);
    screen_report(session, cells->columns, cells->rows);
}

static bool serve(Session *session, Cells *cells, Error *err)
{
    bool good = take_size(session, cells, err), gone = false;
    unsigned long drawn = session->revision - 1;
    while (good && !gone && !session->quit) {
        if (session->revision != drawn) {
            screen_draw(session, cells);
            terminal_draw(cells);
            drawn = session->revision;
        }
        TerminalEvent event = terminal_wait();
        gone = event.kind == TERMINAL_GONE;
        if (event.kind == TERMINAL_KEY)
            press(session, event.key, cells);
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
