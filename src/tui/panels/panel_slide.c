// A page of a lecture for a projector: its title, what the lecture writes for its slide, the numbers big
// or what stands beside them, and the question. The page's text is what the speaker says.
#include "panel.h"

#include "big_values.h"
#include "flow.h"
#include "open_lecture.h"
#include "lecture_flow.h"

enum {
    MARGIN = 2,
    TITLE_ROWS_MAX = 2,
    WORDS_ROWS_MAX = 3,
    VALUES_ROWS_MIN = 5,
};

static int title_rows(const OpenLecture *open, Area area)
{
    return cells_paragraph_rows(open_lecture_page(open)->title, area.columns, TITLE_ROWS_MAX, 0);
}

// The words below the title, in as many rows as there are for them; without cells they are counted.
static int flow_words(const OpenLecture *open, Area area, int row)
{
    Flow flow = {.area = area_part(area, row, 0, WORDS_ROWS_MAX, area.columns)};
    for (const LectureBlock *block = open->slide; block; block = block->next)
        flow_block(&flow, block, false);
    return flow.line < WORDS_ROWS_MAX ? flow.line : WORDS_ROWS_MAX;
}

// Title, a line, the words, a row that is free.
static int head_rows(const OpenLecture *open, Area area)
{
    return title_rows(open, area) + 1 + flow_words(open, area_on(NULL, area), 0) + 1;
}

static void draw_head(const OpenLecture *open, Area area)
{
    int title =
        cells_paragraph(area, 0, TITLE_ROWS_MAX, 0, ROLE_HEADING, open_lecture_page(open)->title);
    cells_fill(area, title, 0, area.columns, ROLE_RULE, "\u2500");
    flow_words(open, area, title + 1);
}

// What is under the numbers; the rows it takes, which without cells are counted.
static int flow_foot(const OpenLecture *open, Area area)
{
    Flow flow = {.area = area};
    if (open->ask)
        lecture_flow_question(&flow, open, false);
    lecture_flow_notes(&flow, open);
    return flow.line;
}

typedef struct Parts {
    Area head, body, foot;
} Parts;

static Parts parts_of(const Session *session, Area area)
{
    Area whole = area_part(area, 1, MARGIN, area.rows - 1, area.columns - 2 * MARGIN);
    Parts parts = {.head = whole, .body = whole, .foot = whole};
    int head = head_rows(session->lecture, whole);
    int foot = flow_foot(session->lecture, area_on(NULL, whole));
    int most = whole.rows - head - VALUES_ROWS_MIN;
    foot = foot > most ? (most > 0 ? most : 0) : foot;
    parts.head.rows = head < whole.rows ? head : whole.rows;
    parts.foot.row += whole.rows - foot;
    parts.foot.rows = foot;
    parts.body.row += head;
    parts.body.rows = whole.rows - head - foot;
    return parts;
}

static PanelStand stands(const Session *session)
{
    return session->lecture && session->lecture->presents ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

// All that is left; a detail stands on it, below the chosen number.
static Area take(const Session *session, Area *left)
{
    Area area = *left;
    left->rows = 0;
    if (session->look.detail == DETAIL_NONE)
        return area;
    Area body = parts_of(session, area).body;
    int chosen = big_values_chosen_rows(session, body) + 1;
    *left = area_part(body, chosen, 0, body.rows - chosen, body.columns);
    return area;
}

static void draw(const Session *session, Area area)
{
    Parts parts = parts_of(session, area);
    draw_head(session->lecture, parts.head);
    if (session->look.detail == DETAIL_NONE)
        big_values_draw(session, parts.body);
    else
        big_values_chosen(session, parts.body);
    flow_foot(session->lecture, parts.foot);
}

const Panel panel_slide = {
    .stands = stands, .take = take, .draw = draw, .hints = panel_hints_presenting};
