// The lecture: title, text with its numbers filled in, the question and what was said to the answer.
// Beside the stepper on wide screens, above it on others; longer texts move with Space, ( and ).
#include "panel.h"

#include <stdio.h>
#include "flow.h"
#include "guide.h"
#include "guide_words.h"

enum {
    APART_FROM_ROWS = 16, // lower: no blank lines between paragraphs
    TITLE_ROWS_MAX = 3,
    CHOICE_INDENT = 5,
};

static const char *word(const Guide *guide, GuideWord which)
{
    return guide_word(guide->lecture->language, which);
}

// --- what flows

static void flow_notes(Flow *flow, const Guide *guide)
{
    LectureSpan heading = {.kind = SPAN_STRONG, .text = word(guide, WORD_NOTES)};
    if (!guide->shows_notes || !guide->notes)
        return;
    flow_spans(flow, 0, 0, &heading);
    for (const LectureBlock *block = guide->notes; block; block = block->next)
        flow_spans(flow, 2, 2, block->spans);
}

static void flow_choices(Flow *flow, const Guide *guide)
{
    char text[GUIDE_CHOICE_MAX];
    for (int i = 0; guide_choice(guide, i, text); i++) {
        char number[16];
        snprintf(number, sizeof number, "%d  ", i + 1);
        LectureSpan line = {.kind = SPAN_CODE, .text = guide_choice(guide, i, text)};
        LectureSpan first = {.kind = SPAN_CODE, .text = number, .next = &line};
        flow_spans(flow, CHOICE_INDENT - 3, CHOICE_INDENT, &first);
    }
}

static void flow_keys(Flow *flow, const Guide *guide)
{
    GuideWord keys = guide->answered ? WORD_KEYS_AGAIN : WORD_KEYS;
    LectureSpan line = {.kind = SPAN_NOTE, .text = word(guide, keys)};
    if (!guide->presents && (guide->answered || !guide->said))
        flow_spans(flow, 2, 2, &line);
}

static void flow_question(Flow *flow, const Guide *guide, bool apart)
{
    LectureSpan mark = {.kind = SPAN_STRONG, .text = "? ", .next = guide->ask->spans};
    flow->line += apart;
    flow_spans(flow, 0, 2, &mark);
    flow_choices(flow, guide);
    if (guide->said)
        flow_spans(flow, 0, 2, guide->said->spans);
    flow_keys(flow, guide);
}

void panel_lecture_foot(const Guide *guide, Flow *flow)
{
    if (guide->ask)
        flow_question(flow, guide, false);
    flow_notes(flow, guide);
}

// Below the title, from line `skip` on; the lines it takes. Without cells they are only counted.
static int flow_text(const Guide *guide, Area area, int skip)
{
    Flow flow = {.area = area, .skip = skip};
    bool apart = area.rows >= APART_FROM_ROWS;
    flow_notes(&flow, guide);
    for (const LectureBlock *block = guide->text; block; block = block->next)
        flow_block(&flow, block, apart && flow.line > 0 && block->kind != BLOCK_ITEM);
    if (guide->ask)
        flow_question(&flow, guide, apart);
    return flow.line;
}

// --- places

static bool is_beside(Area area)
{
    return area.row == 1 && area.rows > LECTURE_ROWS_ABOVE_MAX;
}

// The title and the text under it have a column free on both sides and, beside the stepper, one for
// the line between them.
static Area inner(Area area)
{
    bool beside = is_beside(area);
    return area_part(area, 0, 1, area.rows - (beside ? 0 : 1), area.columns - (beside ? 3 : 2));
}

static int title_rows_max(Area area)
{
    int most = area.rows / 4 < TITLE_ROWS_MAX ? area.rows / 4 : TITLE_ROWS_MAX;
    return most > 1 ? most : 1;
}

static Area under_title(const Guide *guide, Area area)
{
    int rows =
        cells_paragraph_rows(guide_page(guide)->title, area.columns, title_rows_max(area), 0);
    return area_part(area, rows, 0, area.rows - rows, area.columns);
}

int panel_lecture_rows(const Session *session, int columns)
{
    Area page = {.rows = LECTURE_ROWS_ABOVE_MAX, .columns = columns - 2}; // as inner() has it
    Area text = under_title(session->guide, page);
    return text.row + flow_text(session->guide, text, 0) + 1;
}

void panel_lecture_room(const Session *session, Area area, SessionRoom *room)
{
    Area text = under_title(session->guide, inner(area));
    int lines = flow_text(session->guide, area_on(NULL, text), 0);
    room->text_rows = text.rows;
    room->text_over = lines > text.rows ? lines - text.rows : 0;
}

static void draw(const Session *session, Area area)
{
    const Guide *guide = session->guide;
    if (!guide)
        return;
    char more[64];
    ptrdiff_t most = session->room.text_over;
    int skip = (int)(guide->text_line < most ? guide->text_line : most), left = (int)most - skip;
    cells_paragraph(inner(area), 0, title_rows_max(inner(area)), 0, ROLE_HEADING,
                    guide_page(guide)->title);
    flow_text(guide, under_title(guide, inner(area)), skip);
    if (is_beside(area))
        for (int row = 0; row < area.rows; row++)
            cells_text(area, row, area.columns - 1, ROLE_RULE, "\u2502");
    else
        cells_fill(area, area.rows - 1, 0, area.columns, ROLE_RULE, "\u2500");
    snprintf(more, sizeof more, "%s%d ", word(guide, WORD_MORE), left);
    if (left > 0)
        cells_text_right(area, area.rows - 1, area.columns - 2, ROLE_KEY, more);
}

const Panel panel_lecture = {.draw = draw, .wheel = WHEEL_TEXT};
