// screen: see screen.h.
#include "screen.h"

#include <stdio.h>
#include "guide.h"
#include "layout.h"

enum { WHEEL_LINES = 3, PAGE_LINES_MAX = 1000 };

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

// Details that are a page of lines, which can be longer than their place; the others fit themselves in.
static bool is_page(const Session *session, PanelKind panel)
{
    bool stages = session->lane.open && session->lane.show == LANE_STAGES;
    return panel == PANEL_CHANGES || panel == PANEL_STATISTICS || (panel == PANEL_LANES && stages);
}

// How many lines of the page its place has no rows for; where there are any, the last row says so.
static int lines_over(const Session *session, PanelKind panel, Area area)
{
    Cells nowhere = {.rows = 0};
    panels[panel](session, (Area){0, 0, PAGE_LINES_MAX, area.columns}, &nowhere);
    return nowhere.below > area.rows ? nowhere.below - area.rows + 1 : 0;
}

static void draw_page(const Session *session, PanelKind panel, Area area, Cells *cells)
{
    int above = (int)session->look.detail_line, over = lines_over(session, panel, area);
    above = above < over ? above : over;
    if (over > 0) {
        cells_format(cells, area, area.rows - 1, 0, ROLE_KEY, "+%d lines: J down, K up", over);
        area.rows--;
    }
    cells->top = area.row;
    area.row -= above;
    area.rows += above;
    panels[panel](session, area, cells);
    cells->top = 0;
}

static void draw_panel(const Session *session, PanelKind panel, Area area, Cells *cells)
{
    if (is_page(session, panel))
        draw_page(session, panel, area, cells);
    else
        panels[panel](session, area, cells);
}

void screen_draw(const Session *session, Cells *cells)
{
    Area areas[PANEL_COUNT];
    cells_clear(cells);
    if (session->guide && session->guide->blank)
        return;
    if (!layout_areas(session, cells->columns, cells->rows, areas)) {
        draw_too_small(cells);
        return;
    }
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        if (areas[panel].rows > 0 && areas[panel].columns > 0)
            draw_panel(session, (PanelKind)panel, areas[panel], cells);
}

// --- the mouse

static PanelHit *const hits[PANEL_COUNT] = {
    [PANEL_PIPELINE] = panel_pipeline_hit,
    [PANEL_STAGE] = panel_stage_hit,
    [PANEL_VALUES] = panel_values_hit,
};

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

bool screen_click(const Session *session, int columns, int rows, int row, int column,
                  Command *command)
{
    Area areas[PANEL_COUNT];
    if (!layout_areas(session, columns, rows, areas))
        return false;
    PanelKind panel = panel_at(areas, row, column);
    return panel < PANEL_COUNT && hits[panel] &&
           hits[panel](session, areas[panel], row - areas[panel].row, column - areas[panel].column,
                       command);
}

bool screen_wheel(const Session *session, int columns, int rows, int row, int column, int wheel,
                  Command *command)
{
    Area areas[PANEL_COUNT];
    if (!layout_areas(session, columns, rows, areas))
        return false;
    PanelKind panel = panel_at(areas, row, column);
    bool up = wheel < 0;
    if (panel == PANEL_LECTURE)
        command->kind = up ? COMMAND_TEXT_UP : COMMAND_TEXT_DOWN;
    else if (panel == PANEL_ORIGIN || panel == PANEL_SOURCE || is_page(session, panel))
        command->kind = up ? COMMAND_TERM_PREVIOUS : COMMAND_TERM_NEXT;
    else
        command->kind = up ? COMMAND_UP : COMMAND_DOWN;
    command->number = WHEEL_LINES;
    return true;
}

static void report_text(Session *session, Area area)
{
    Error err;
    Room room = panel_lecture_room(session, area);
    Command command = {.kind = COMMAND_TEXT_ROOM, .rank = 2, .index = {room.columns, room.rows}};
    session_apply(session, &command, &err);
}

static void report_page(Session *session, const Area areas[PANEL_COUNT])
{
    Error err;
    Command command = {.kind = COMMAND_DETAIL_ROOM, .number = 0};
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        if (is_page(session, (PanelKind)panel) && areas[panel].rows > 0)
            command.number = lines_over(session, (PanelKind)panel, areas[panel]);
    session_apply(session, &command, &err);
}

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

void screen_report(Session *session, int columns, int rows)
{
    Area areas[PANEL_COUNT];
    Error err;
    if (!layout_areas(session, columns, rows, areas))
        return;
    if (areas[PANEL_LECTURE].rows > 0)
        report_text(session, areas[PANEL_LECTURE]);
    report_page(session, areas);
    Room room =
        session->help.open ? panel_help_room(areas[PANEL_HELP]) : numbers_room(session, areas);
    Command command = {.kind = COMMAND_ROOM, .rank = 2, .index = {room.rows, room.columns}};
    session_apply(session, &command, &err);
}
