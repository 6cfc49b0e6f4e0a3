// Which panels are on screen, and the key bar with what can be done in them; see panel.h.
#include "panel.h"

#include "open_lecture.h"
#include "utf8.h"

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

// --- what is on screen

static bool is_detail(PanelKind kind)
{
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (details[detail] == kind)
            return true;
    return false;
}

static PanelStand stand_of(PanelKind kind, const Session *session)
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
        PanelStand stand = stand_of((PanelKind)kind, session);
        if (stand != PANEL_STANDS_AWAY)
            kinds[count++] = (PanelKind)kind;
        alone = alone || stand == PANEL_STANDS_ALONE;
    }
    return count;
}

// --- the key bar
//
// The hints of the panels on screen, the most useful first; the details that can be opened; and the keys that always
// work. Keys and labels come from commands.def.

enum { GAP = 2 };

// Adds the details, except the open one.
static void add_details(const Session *session, Hints *hints)
{
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++) {
        bool first = detail == DETAIL_ORIGIN;
        hints->use = first ? HINT_OPENS_FIRST : HINT_OPENS;
        hints_add_one(hints,
                      session->look.detail != (SessionDetail)detail &&
                          (!first || session_has_values(session)),
                      session_detail_command((SessionDetail)detail));
    }
}

static Hints hints_now(const Session *session)
{
    Hints hints = {.count = 0};
    PanelKind kinds[PANEL_COUNT];
    int count = panels_now(session, kinds);
    for (int i = 0; i < count; i++) {
        const Panel *panel = panels[kinds[i]];
        hints.use = kinds[i] == details[session->look.detail] ? HINT_OF_DETAIL : HINT_LEADS_ON;
        if (panel->hints)
            panel->hints(session, &hints);
        if (stand_of(kinds[i], session) == PANEL_STANDS_ALONE)
            return hints;
    }
    add_details(session, &hints);
    return hints;
}

static int hint_columns(const Hint *hint)
{
    return utf8_width(hint->keys) + 1 + utf8_width(hint->label) + GAP;
}

static void draw_hint(const Hint *hint, Area area, int column)
{
    column += cells_text(area, 0, column, ROLE_KEY, hint->keys);
    cells_text(area, 0, column + 1, ROLE_TEXT, hint->label);
}

static Area take(const Session *session, Area *left)
{
    (void)session;
    return area_cut_bottom(left, 1);
}

static void draw(const Session *session, Area area)
{
    Hints always = {.count = 0}, hints = hints_now(session);
    int end = area.columns, column = 1;
    if (session->lecture && session->lecture->is_still)
        return;
    hints_add_one(&always, !hints.is_full, COMMAND_QUIT);
    hints_add_one(&always, !hints.is_full, COMMAND_HELP);
    for (int i = 0; i < always.count; i++) {
        end -= hint_columns(&always.hints[i]);
        draw_hint(&always.hints[i], area, end + 1);
    }
    for (int i = 0; i < hints.count && column + hint_columns(&hints.hints[i]) <= end; i++) {
        draw_hint(&hints.hints[i], area, column);
        column += hint_columns(&hints.hints[i]);
    }
}

const Panel panel_keys = {.take = take, .draw = draw};
