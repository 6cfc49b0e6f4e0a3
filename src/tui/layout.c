// layout: title on top, keys at the bottom, the pipeline on the left, and on the right the stage
// above its values; see layout.h.
#include "layout.h"

enum {
    PIPELINE_FROM_COLUMNS = 64, // narrower screens leave the pipeline out
    VALUES_ROWS_MIN = 8,
    RULE_COLUMNS = 2,         // a line and a space, right of the pipeline
    BESIDE_FROM_COLUMNS = 80, // narrower: a detail takes the place of the values
};

// The panel of each detail.
static const PanelKind detail_panels[DETAIL_COUNT] = {
#define DETAIL(NAME, name, key, help) [DETAIL_##NAME] = PANEL_##NAME,
#include "details.def"
#undef DETAIL
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
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

// The values have the lower right to themselves, or share it with a detail.
static void place_values(const Session *session, Area place, Area areas[PANEL_COUNT])
{
    areas[PANEL_VALUES] = place;
    if (session->detail == DETAIL_NONE)
        return;
    Area *detail = &areas[detail_panels[session->detail]];
    *detail = place;
    if (place.columns < BESIDE_FROM_COLUMNS) {
        areas[PANEL_VALUES].rows = 0;
        return;
    }
    areas[PANEL_VALUES].columns = place.columns / 2 - 1;
    detail->column += place.columns / 2 + 1;
    detail->columns = place.columns - place.columns / 2 - 1;
}

bool layout_areas(const Session *session, int columns, int rows, Area areas[PANEL_COUNT])
{
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        areas[panel] = (Area){.rows = 0};
    if (columns < LAYOUT_COLUMNS_MIN || rows < LAYOUT_ROWS_MIN)
        return false;

    int message = panel_message_rows(session, columns), body = rows - 2 - message;
    areas[PANEL_TITLE] = (Area){0, 0, 1, columns};
    areas[PANEL_KEYS] = (Area){rows - 1, 0, 1, columns};
    if (session->help) {
        areas[PANEL_HELP] = (Area){1, 0, rows - 2, columns};
        return true;
    }
    areas[PANEL_MESSAGE] = (Area){1 + body, 0, message, columns};

    int left = pipeline_columns(session, columns);
    int start = left > 0 ? left + RULE_COLUMNS : 1;
    int stage = stage_rows(session, columns - start - 1, body);
    areas[PANEL_PIPELINE] = (Area){1, 0, left > 0 ? body : 0, left + 1};
    areas[PANEL_STAGE] = (Area){1, start, stage, columns - start - 1};
    place_values(session, (Area){1 + stage, start, body - stage, columns - start - 1}, areas);
    return true;
}
