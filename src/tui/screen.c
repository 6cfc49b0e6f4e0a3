// screen: see screen.h.
#include "screen.h"

#include <stdio.h>
#include "layout.h"

static PanelDraw *const panels[PANEL_COUNT] = {
#define PANEL(NAME, name) [PANEL_##NAME] = panel_##name,
#include "panels.def"
#undef PANEL
};

static void draw_too_small(Cells *cells)
{
    char text[64];
    snprintf(text, sizeof text, "too small: %dx%d, at least %dx%d; q quits", cells->columns,
             cells->rows, LAYOUT_COLUMNS_MIN, LAYOUT_ROWS_MIN);
    cells_paragraph(cells, cells_area(cells), 0, cells->rows, 0, ROLE_TEXT, text);
}

void screen_draw(const Session *session, Cells *cells)
{
    Area areas[PANEL_COUNT];
    cells_clear(cells);
    if (!layout_areas(session, cells->columns, cells->rows, areas)) {
        draw_too_small(cells);
        return;
    }
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        if (areas[panel].rows > 0 && areas[panel].columns > 0)
            panels[panel](session, areas[panel], cells);
}

void screen_report(Session *session, int columns, int rows)
{
    Area areas[PANEL_COUNT];
    Error err;
    if (!layout_areas(session, columns, rows, areas))
        return;
    Room room = session->help ? panel_help_room(areas[PANEL_HELP])
                              : panel_values_room(session, areas[PANEL_VALUES]);
    Command command = {.kind = COMMAND_ROOM, .rank = 2, .index = {room.rows, room.columns}};
    session_apply(session, &command, &err);
}
