// screen: see screen.h.
#include "screen.h"

#include <stdio.h>
#include "guide.h"
#include "layout.h"
#include "tui_words.h"

enum { WHEEL_LINES = 3 };

static const Panel *const panels[PANEL_COUNT] = {
#define PANEL(NAME, name) [PANEL_##NAME] = &panel_##name,
#include "panels.def"
#undef PANEL
};

const Panel *panel_get(PanelKind kind)
{
    return panels[kind];
}

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
    if (session->guide && session->guide->blank)
        return;
    if (!screen->is_large_enough) {
        draw_too_small(cells);
        return;
    }
    for (int panel = 0; panel < PANEL_COUNT; panel++) {
        Area area = area_on(cells, screen->areas[panel]);
        if (area.rows > 0 && area.columns > 0 && panel != (int)screen->paged)
            panels[panel]->draw(session, area);
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
    PanelKind panel = panel_at(screen->areas, row, column);
    if (panel == PANEL_COUNT || !panels[panel]->hit)
        return false;
    Area area = screen->areas[panel];
    return panels[panel]->hit(session, area, row - area.row, column - area.column, command);
}

bool screen_wheel(const Screen *screen, int row, int column, int wheel, Command *command)
{
    static const CommandKind kinds[][2] = {
        [WHEEL_ROWS] = {COMMAND_UP, COMMAND_DOWN},
        [WHEEL_TERMS] = {COMMAND_TERM_PREVIOUS, COMMAND_TERM_NEXT},
        [WHEEL_TEXT] = {COMMAND_TEXT_UP, COMMAND_TEXT_DOWN}};
    if (!screen->is_large_enough)
        return false;
    PanelKind panel = panel_at(screen->areas, row, column);
    PanelWheel moves = panel == PANEL_COUNT     ? WHEEL_ROWS
                       : panel == screen->paged ? WHEEL_TERMS
                                                : panels[panel]->wheel;
    command->kind = kinds[moves][wheel > 0];
    command->number = WHEEL_LINES;
    return true;
}

// --- fitting

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

// What can be seen of the tensor: in both lanes, where the numbers of both are shown.
static Room numbers_room(const Session *session, const Area areas[PANEL_COUNT])
{
    Room values = panel_values_room(session, areas[PANEL_VALUES]);
    Room lane = panel_lanes_room(session, areas[PANEL_LANES]);
    if (lane.rows == 0 || lane.columns == 0)
        return values;
    if (areas[PANEL_VALUES].rows == 0)
        return lane;
    return (Room){smaller(values.rows, lane.rows), smaller(values.columns, lane.columns)};
}

// The panel whose lines are a page; they are written.
static PanelKind write_page(const Session *session, const Area areas[PANEL_COUNT], Lines *page)
{
    for (int panel = 0; panel < PANEL_COUNT; panel++) {
        if (areas[panel].rows <= 0 || areas[panel].columns <= 0 || !panels[panel]->page)
            continue;
        lines_begin(page, areas[panel].columns);
        if (panels[panel]->page(session, page))
            return (PanelKind)panel;
    }
    return PANEL_COUNT;
}

static SessionRoom room_of(const Screen *screen, const Session *session)
{
    const Area *areas = screen->areas;
    Room numbers =
        session->help.open ? panel_help_room(areas[PANEL_HELP]) : numbers_room(session, areas);
    SessionRoom room = {.rows = numbers.rows, .columns = numbers.columns};
    if (areas[PANEL_LECTURE].rows > 0)
        panel_lecture_room(session, areas[PANEL_LECTURE], &room);
    if (screen->paged != PANEL_COUNT)
        room.detail_over = lines_over(&screen->page, areas[screen->paged]);
    return room;
}

void screen_fit(Screen *screen, Session *session, int columns, int rows)
{
    Error err;
    screen->columns = columns;
    screen->rows = rows;
    screen->paged = PANEL_COUNT;
    screen->is_large_enough = layout_areas(session, columns, rows, screen->areas);
    if (!screen->is_large_enough)
        return;
    screen->paged = write_page(session, screen->areas, &screen->page);
    SessionRoom room = room_of(screen, session);
    Command fit = session_fitting(&room);
    if (!session_is_fitted(session, &room))
        session_apply(session, &fit, &err);
}
