// The key bar: what can be done now, as the panels on the screen say, the most useful first; what can stand
// beside the values; and what always can be done. Keys and words come from commands.def.
#include "panel.h"

#include "open_lecture.h"
#include "utf8.h"

enum { GAP = 2 };

// --- which keys

// What can stand beside the values, but for what stands there now.
static void add_details(const Session *session, Hints *hints)
{
    static const CommandKind kinds[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, opens, moves, enters, ...) [DETAIL_##NAME] = COMMAND_##NAME,
#include "details.def"
#undef DETAIL
    };
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++) {
        bool first = panel_get(panel_of_detail((SessionDetail)detail))->is_offered_first;
        hints->use = first ? HINT_OPENS_FIRST : HINT_OPENS;
        hints_add_one(hints,
                      session->look.detail != (SessionDetail)detail &&
                          (!first || session_has_values(session)),
                      kinds[detail]);
    }
}

static Hints hints_now(const Session *session)
{
    Hints hints = {.count = 0};
    PanelKind kinds[PANEL_COUNT];
    int count = panels_now(session, kinds);
    for (int i = 0; i < count; i++) {
        const Panel *panel = panel_get(kinds[i]);
        hints.use =
            kinds[i] == panel_of_detail(session->look.detail) ? HINT_OF_DETAIL : HINT_LEADS_ON;
        if (panel->hints)
            panel->hints(session, &hints);
        if (panel_stands(kinds[i], session) == PANEL_STANDS_ALONE)
            return hints;
    }
    add_details(session, &hints);
    return hints;
}

// --- drawing

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
