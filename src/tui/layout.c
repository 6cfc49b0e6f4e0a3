// layout: every panel takes its place from what those before it have left; see layout.h.
#include "layout.h"

static Area take(const Panel *panel, const Session *session, Area *left)
{
    Area all = *left;
    if (panel->take)
        return panel->take(session, left);
    left->rows = 0;
    return all;
}

bool layout_areas(const Session *session, int columns, int rows, Area areas[PANEL_COUNT])
{
    PanelKind kinds[PANEL_COUNT];
    Area left = {.rows = rows, .columns = columns};
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        areas[panel] = (Area){.rows = 0};
    if (columns < LAYOUT_COLUMNS_MIN || rows < LAYOUT_ROWS_MIN)
        return false;
    int count = panels_now(session, kinds);
    for (int i = 0; i < count; i++)
        areas[kinds[i]] = take(panel_get(kinds[i]), session, &left);
    return true;
}
