// Which panels are on screen, and how they share it; see panel.h.
#include "panel.h"

enum {
    BESIDE_FROM_COLUMNS = 140, // narrower: a detail goes below the values
    BELOW_FROM_ROWS = 26,      // lower: a detail replaces them
};

static const Panel *const panels[PANEL_COUNT] = {
#define PANEL(NAME, name) [PANEL_##NAME] = &panel_##name,
#include "panels.def"
#undef PANEL
};

static const PanelKind details[DETAIL_COUNT] = {
    [DETAIL_NONE] = PANEL_COUNT,
#define DETAIL(NAME, ...) [DETAIL_##NAME] = PANEL_##NAME,
#include "details.def"
#undef DETAIL
};

const Panel *panel_get(PanelKind kind)
{
    return panels[kind];
}

PanelKind panel_of_detail(SessionDetail detail)
{
    return details[detail];
}

// --- what is on screen

static bool is_detail(PanelKind kind)
{
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (details[detail] == kind)
            return true;
    return false;
}

PanelStand panel_stands(PanelKind kind, const Session *session)
{
    if (is_detail(kind))
        return details[session->look.detail] == kind ? PANEL_STANDS_BESIDE : PANEL_STANDS_AWAY;
    return panels[kind]->stands ? panels[kind]->stands(session) : PANEL_STANDS_BESIDE;
}

int panels_now(const Session *session, PanelKind kinds[PANEL_COUNT])
{
    int count = 0;
    bool alone = false;
    for (int kind = 0; kind < PANEL_COUNT; kind++) {
        if (alone && !is_detail((PanelKind)kind))
            continue;
        PanelStand stand = panel_stands((PanelKind)kind, session);
        if (stand != PANEL_STANDS_AWAY)
            kinds[count++] = (PanelKind)kind;
        alone = alone || stand == PANEL_STANDS_ALONE;
    }
    return count;
}

// --- next to the values

static bool fits_beside(const Panel *panel, int columns)
{
    int from = panel->beside_from_columns ? panel->beside_from_columns : BESIDE_FROM_COLUMNS;
    return !panel->is_wide && columns >= from;
}

Area panel_values_share(const Session *session, Area place)
{
    if (session->look.detail == DETAIL_NONE)
        return place;
    if (fits_beside(panels[details[session->look.detail]], place.columns))
        place.columns = place.columns / 2 - 1;
    else
        place.rows = place.rows < BELOW_FROM_ROWS ? 0 : place.rows / 3;
    return place;
}
