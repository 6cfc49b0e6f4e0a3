// screen: see screen.h.
#include "screen.h"

#include <stdio.h>
#include "open_lecture.h"
#include "layout.h"
#include "tui_words.h"

enum { WHEEL_LINES = 3 };

static void draw_too_small(Cells *cells)
{
    char text[256];
    snprintf(text, sizeof text, TELL(SCREEN_SMALL), cells->columns, cells->rows, LAYOUT_COLUMNS_MIN,
             LAYOUT_ROWS_MIN);
    cells_paragraph(cells_area(cells), 0, cells->rows, 0, ROLE_TEXT, text);
}

// How many lines of the page its place has no rows for; where there are any, the last row says so.
static int lines_over(const Lines *page, Area area)
{
    return page->count > area.rows ? page->count - area.rows + 1 : 0;
}

static void draw_page(const Screen *screen, const Session *session, Area area)
{
    int over = lines_over(&screen->page, area);
    int above = session->look.detail_line < over ? (int)session->look.detail_line : over;
    if (over > 0) {
        cells_format(area, area.rows - 1, 0, ROLE_KEY, TELL(SCREEN_MORE), over);
        area.rows--;
    }
    lines_draw(&screen->page, above, area);
}

void screen_draw(const Screen *screen, const Session *session, Cells *cells)
{
    cells_clear(cells);
    if (session->lecture && session->lecture->blank)
        return;
    if (!screen->is_large_enough) {
        draw_too_small(cells);
        return;
    }
    for (int panel = 0; panel < PANEL_COUNT; panel++) {
        Area area = area_on(cells, screen->areas[panel]);
        if (area.rows > 0 && area.columns > 0 && panel != (int)screen->paged)
            panel_get((PanelKind)panel)->draw(session, area);
    }
    if (screen->paged != PANEL_COUNT)
        draw_page(screen, session, area_on(cells, screen->areas[screen->paged]));
}

void screen_show(Session *session, Cells *cells)
{
    Screen screen;
    screen_fit(&screen, session, cells->columns, cells->rows);
    screen_draw(&screen, session, cells);
}

// --- the mouse

// The panel at a place; PANEL_COUNT where there is none.
static PanelKind panel_at(const Area areas[PANEL_COUNT], int row, int column)
{
    for (int panel = 0; panel < PANEL_COUNT; panel++) {
        Area area = areas[panel];
        if (row >= area.row && row < area.row + area.rows && column >= area.column &&
            column < area.column + area.columns)
            return (PanelKind)panel;
    }
    return PANEL_COUNT;
}

bool screen_click(const Screen *screen, const Session *session, int row, int column,
                  Command *command)
{
    if (!screen->is_large_enough)
        return false;
    PanelKind kind = panel_at(screen->areas, row, column);
    if (kind == PANEL_COUNT || !panel_get(kind)->hit)
        return false;
    Area area = screen->areas[kind];
    return panel_get(kind)->hit(session, area, row - area.row, column - area.column, command);
}

bool screen_wheel(const Screen *screen, int row, int column, int wheel, Command *command)
{
    if (!screen->is_large_enough)
        return false;
    PanelKind kind = panel_at(screen->areas, row, column);
    const PanelScroll *scroll = kind == screen->paged ? &panel_scroll_terms : &panel_scroll_rows;
    if (kind == PANEL_COUNT)
        scroll = &panel_scroll_rows;
    else if (panel_get(kind)->scroll)
        scroll = panel_get(kind)->scroll;
    command->kind = wheel > 0 ? scroll->on : scroll->back;
    command->number = WHEEL_LINES;
    return true;
}

// --- fitting

// The panel whose lines are a page; they are written.
static PanelKind write_page(const Session *session, const Area areas[PANEL_COUNT], Lines *page)
{
    for (int kind = 0; kind < PANEL_COUNT; kind++) {
        const Panel *panel = panel_get((PanelKind)kind);
        if (areas[kind].rows <= 0 || areas[kind].columns <= 0 || !panel->page)
            continue;
        lines_begin(page, areas[kind].columns);
        if (panel->page(session, page))
            return (PanelKind)kind;
    }
    return PANEL_COUNT;
}

static SessionRoom room_of(const Screen *screen, const Session *session)
{
    SessionRoom room = {.rows = 0};
    PanelKind kinds[PANEL_COUNT];
    int count = panels_now(session, kinds);
    for (int i = 0; i < count; i++)
        if (panel_get(kinds[i])->room)
            panel_get(kinds[i])->room(session, screen->areas[kinds[i]], &room);
    if (screen->paged != PANEL_COUNT)
        room.detail_over = lines_over(&screen->page, screen->areas[screen->paged]);
    return room;
}

// The panels get their places; the room that this makes.
static SessionRoom lay_out(Screen *screen, const Session *session)
{
    screen->fitted = session->revision;
    screen->paged = PANEL_COUNT;
    screen->is_large_enough = layout_areas(session, screen->columns, screen->rows, screen->areas);
    if (!screen->is_large_enough)
        return session->room;
    screen->paged = write_page(session, screen->areas, &screen->page);
    return room_of(screen, session);
}

static SessionRoom answer(void *context, const Session *session)
{
    return lay_out(context, session);
}

void screen_fit(Screen *screen, Session *session, int columns, int rows)
{
    Error err;
    bool is_joined = session->screen.context == screen;
    if (is_joined && screen->fitted == session->revision && screen->columns == columns &&
        screen->rows == rows)
        return;
    screen->columns = columns;
    screen->rows = rows;
    SessionRoom room = lay_out(screen, session);
    Command fit = session_fitting(&room);
    if (!screen->is_large_enough || session_is_fitted(session, &room))
        return;
    session_apply(session, &fit, &err);
    screen->fitted = session->revision;
}

void screen_join(Screen *screen, Session *session, int columns, int rows)
{
    screen_fit(screen, session, columns, rows);
    session->screen = (SessionScreen){answer, screen};
}

void screen_leave(Session *session)
{
    session->screen = (SessionScreen){NULL, NULL};
}
