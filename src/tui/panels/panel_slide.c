// A page of a lecture for a projector: its title, what the lecture writes for its slide, the numbers big
// or what stands beside them, and the question. The page's text is what the speaker says.
#include "panel.h"

#include "big_values.h"
#include "flow.h"
#include "guide.h"

enum {
    MARGIN = 2,
    TITLE_ROWS_MAX = 2,
    WORDS_ROWS_MAX = 3,
    VALUES_ROWS_MIN = 5,
};

static int title_rows(const Guide *guide, Area area)
{
    return cells_paragraph_rows(guide_page(guide)->title, area.columns, TITLE_ROWS_MAX, 0);
}

// The words below the title, in as many rows as there are for them; without cells they are counted.
static int flow_words(const Guide *guide, Area area, int row)
{
    Flow flow = {.area = area_part(area, row, 0, WORDS_ROWS_MAX, area.columns)};
    for (const LectureBlock *block = guide->slide; block; block = block->next)
        flow_block(&flow, block, false);
    return flow.line < WORDS_ROWS_MAX ? flow.line : WORDS_ROWS_MAX;
}

// Title, a line, the words, a row that is free.
static int head_rows(const Guide *guide, Area area)
{
    return title_rows(guide, area) + 1 + flow_words(guide, area_on(NULL, area), 0) + 1;
}

static void draw_head(const Guide *guide, Area area)
{
    int title = cells_paragraph(area, 0, TITLE_ROWS_MAX, 0, ROLE_HEADING, guide_page(guide)->title);
    cells_fill(area, title, 0, area.columns, ROLE_RULE, "\u2500");
    flow_words(guide, area, title + 1);
}

// What is under the numbers; the rows it takes, which without cells are counted.
static int flow_foot(const Guide *guide, Area area)
{
    Flow flow = {.area = area};
    panel_lecture_foot(guide, &flow);
    return flow.line;
}

typedef struct Parts {
    Area head, body, foot;
} Parts;

static Parts parts_of(const Session *session, Area area)
{
    Area whole = area_part(area, 1, MARGIN, area.rows - 1, area.columns - 2 * MARGIN);
    Parts parts = {.head = whole, .body = whole, .foot = whole};
    int head = head_rows(session->guide, whole);
    int foot = flow_foot(session->guide, area_on(NULL, whole));
    int most = whole.rows - head - VALUES_ROWS_MIN;
    foot = foot > most ? (most > 0 ? most : 0) : foot;
    parts.head.rows = head < whole.rows ? head : whole.rows;
    parts.foot.row += whole.rows - foot;
    parts.foot.rows = foot;
    parts.body.row += head;
    parts.body.rows = whole.rows - head - foot;
    return parts;
}

Area panel_slide_detail(const Session *session, Area area)
{
    Area body = parts_of(session, area).body;
    int chosen = big_values_chosen_rows(session, body) + 1;
    return area_part(body, chosen, 0, body.rows - chosen, body.columns);
}

static void draw(const Session *session, Area area)
{
    if (!session->guide)
        return;
    Parts parts = parts_of(session, area);
    draw_head(session->guide, parts.head);
    if (session->look.detail == DETAIL_NONE)
        big_values_draw(session, parts.body);
    else
        big_values_chosen(session, parts.body);
    flow_foot(session->guide, parts.foot);
}

const Panel panel_slide = {.draw = draw};
