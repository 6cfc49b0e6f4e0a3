// layout: title on top, keys at the bottom, the pipeline on the left, and on the right the stage
// above its values; see layout.h.
#include "layout.h"

#include "guide.h"

enum {
    PIPELINE_FROM_COLUMNS = 64, // narrower screens leave the pipeline out
    VALUES_ROWS_MIN = 8,
    RULE_COLUMNS = 2,          // a line and a space, right of the pipeline
    BESIDE_FROM_COLUMNS = 140, // narrower: a detail stands below the values
    BELOW_FROM_ROWS = 26,      // lower: a detail takes their place
    STAGE_ROWS_BRIEF = 2,      // while a detail needs the room
    LECTURE_BESIDE_FROM_COLUMNS = 110,
    LECTURE_COLUMNS_MAX = 64,
    PIPELINE_WITH_LECTURE_FROM_COLUMNS = 100,
};

// The panel of each detail.
static const PanelKind detail_panels[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, opens, moves, enters, ...) [DETAIL_##NAME] = PANEL_##NAME,
#include "details.def"
#undef DETAIL
};

const Panel *panel_of_detail(SessionDetail detail)
{
    return panel_get(detail_panels[detail]);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static Area below(Area area, int rows)
{
    return area_part(area, rows, 0, area.rows - rows, area.columns);
}

// The pipeline, up to its share of the width.
static int pipeline_columns(const Session *session, int columns)
{
    if (columns < PIPELINE_FROM_COLUMNS)
        return 0;
    return smaller(panel_pipeline_columns(session), columns * 34 / 100);
}

// What it needs, as long as the values keep the larger part.
static int stage_rows(const Session *session, int columns, int body)
{
    int most = body / 2;
    if (body - most < VALUES_ROWS_MIN)
        most = body - VALUES_ROWS_MIN;
    return smaller(panel_stage_rows(session, columns), most < 1 ? 1 : most);
}

static bool fits_beside(SessionDetail detail, int columns)
{
    const Panel *panel = panel_of_detail(detail);
    int from = panel->beside_from_columns ? panel->beside_from_columns : BESIDE_FROM_COLUMNS;
    return !panel->is_wide && columns >= from;
}

// Where values and a detail share a place, how much of it the values get; nothing where it is too
// small for both.
static Area values_share(SessionDetail detail, Area place)
{
    Area values = place;
    if (fits_beside(detail, place.columns))
        values.columns = place.columns / 2 - 1;
    else
        values.rows = place.rows < BELOW_FROM_ROWS ? 0 : place.rows / 3;
    return values;
}

// The values have the lower right to themselves, or share it with a detail.
static void place_values(const Session *session, Area place, Area areas[PANEL_COUNT])
{
    areas[PANEL_VALUES] = place;
    if (session->look.detail == DETAIL_NONE)
        return;
    Area values = values_share(session->look.detail, place);
    Area *detail = &areas[detail_panels[session->look.detail]];
    *detail = place;
    areas[PANEL_VALUES] = values;
    if (values.rows > 0 && values.rows < place.rows) {
        *detail = below(place, values.rows);
    } else if (values.rows > 0) {
        detail->column += values.columns + 2;
        detail->columns -= values.columns + 2;
    }
}

// The stage above values and detail; where the screen is too small for all three it is brief.
static void place_right(const Session *session, Area right, Area areas[PANEL_COUNT])
{
    int stage = stage_rows(session, right.columns, right.rows);
    Area place = below(right, stage);
    bool tight = session->look.detail != DETAIL_NONE && place.rows < BELOW_FROM_ROWS &&
                 values_share(session->look.detail, place).rows == 0;
    if (tight)
        stage = smaller(stage, STAGE_ROWS_BRIEF);
    areas[PANEL_STAGE] = area_part(right, 0, 0, stage, right.columns);
    place_values(session, below(right, stage), areas);
}

// The lecture takes its part of the body; what is left is the stepper's.
static Area place_lecture(const Session *session, Area body, Area areas[PANEL_COUNT])
{
    if (!session->guide || session->guide->text_elsewhere)
        return body;
    Area *lecture = &areas[PANEL_LECTURE];
    *lecture = body;
    if (body.columns >= LECTURE_BESIDE_FROM_COLUMNS && body.rows > LECTURE_ROWS_ABOVE_MAX) {
        lecture->columns = smaller(body.columns * 2 / 5, LECTURE_COLUMNS_MAX);
        body.column += lecture->columns;
        body.columns -= lecture->columns;
        return body;
    }
    int rows = smaller(body.rows / 2, LECTURE_ROWS_ABOVE_MAX);
    lecture->rows = smaller(panel_lecture_rows(session, body.columns), rows);
    return below(body, lecture->rows);
}

// On a projector a page of the lecture has the screen to itself, but for a detail.
static void place_slide(const Session *session, Area body, Area areas[PANEL_COUNT])
{
    if (session->guide->polls) {
        areas[PANEL_POLL] = body;
        return;
    }
    areas[PANEL_SLIDE] = body;
    if (session->look.detail != DETAIL_NONE)
        areas[detail_panels[session->look.detail]] = panel_slide_detail(session, body);
}

static void place_stepper(const Session *session, Area body, Area areas[PANEL_COUNT])
{
    bool has_pipeline = !session->guide || body.columns >= PIPELINE_WITH_LECTURE_FROM_COLUMNS;
    int left = has_pipeline ? pipeline_columns(session, body.columns) : 0;
    int start = left > 0 ? left + RULE_COLUMNS : 1;
    areas[PANEL_PIPELINE] = area_part(body, 0, 0, left > 0 ? body.rows : 0, left + 1);
    place_right(session, area_part(body, 0, start, body.rows, body.columns - start - 1), areas);
}

// On a projector only what has to be said takes room.
static int message_rows(const Session *session, int columns)
{
    bool silent = session->guide && session->guide->presents && !session->message.text[0];
    return silent ? session->prompt.open : panel_message_rows(session, columns);
}

bool layout_areas(const Session *session, int columns, int rows, Area areas[PANEL_COUNT])
{
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        areas[panel] = (Area){.rows = 0};
    if (columns < LAYOUT_COLUMNS_MIN || rows < LAYOUT_ROWS_MIN)
        return false;

    Area whole = {.rows = rows, .columns = columns};
    int prompt = session->prompt.open, message = message_rows(session, columns);
    int body = rows - 2 - prompt - message;
    areas[PANEL_TITLE] = area_part(whole, 0, 0, 1, columns);
    areas[PANEL_KEYS] = area_part(whole, rows - 1, 0, 1, columns);
    areas[PANEL_PROMPT] = area_part(whole, rows - 1 - prompt, 0, prompt, columns);
    if (session->help.open && !prompt)
        message = 0;
    areas[PANEL_MESSAGE] = area_part(whole, rows - 1 - prompt - message, 0, message, columns);
    PanelKind page = session->help.open ? PANEL_HELP : PANEL_CONTENTS;
    if (session->help.open || (session->guide && session->guide->contents)) {
        areas[page] = area_part(whole, 1, 0, rows - 2 - prompt - message, columns);
        return true;
    }
    if (session->guide && session->guide->presents) {
        place_slide(session, area_part(whole, 1, 0, body, columns), areas);
        return true;
    }
    place_stepper(session, place_lecture(session, area_part(whole, 1, 0, body, columns), areas),
                  areas);
    return true;
}
