// The lecture: title, text with its numbers filled in, the question and what was said to the answer.
// Beside the stepper on wide screens, above it on others; longer texts move with ( and ).
#include "panel.h"

#include <stdio.h>
#include "flow.h"
#include "guide.h"

enum { APART_FROM_ROWS = 16 }; // lower: no blank lines between paragraphs

static bool is_question_line(const Guide *guide)
{
    return guide_page(guide)->question.kind == QUESTION_LINE;
}

static void flow_question(Flow *flow, const Guide *guide, bool apart)
{
    LectureSpan mark = {.kind = SPAN_STRONG, .text = "? ", .next = guide->ask->spans};
    const LectureQuestion *question = &guide_page(guide)->question;
    flow->line += apart;
    flow_spans(flow, 0, 2, &mark);
    for (int i = 0; is_question_line(guide) && i < question->line_count; i++) {
        char text[512];
        snprintf(text, sizeof text, "  %d  %s", i + 1, question->lines[i]);
        flow_line(flow, ROLE_KEY, text);
    }
    if (guide->said)
        flow_block(flow, guide->said, false);
    else
        flow_line(flow, ROLE_QUIET, "  A answers, = reveals");
}

// Below the title; the lines it takes.
static int flow_text(const Guide *guide, Area area, Cells *cells)
{
    Flow flow = {.cells = cells, .area = area, .skip = guide->text_line};
    bool apart = area.rows >= APART_FROM_ROWS;
    for (const LectureBlock *block = guide->text; block; block = block->next)
        flow_block(&flow, block, apart && flow.line > 0 && block->kind != BLOCK_ITEM);
    if (guide->ask)
        flow_question(&flow, guide, apart);
    return flow.line;
}

static bool is_beside(Area area)
{
    return area.row == 1 && area.rows > LECTURE_ROWS_ABOVE_MAX;
}

static Area inner(Area area)
{
    bool beside = is_beside(area);
    return (Area){area.row + 1, area.column + 1, area.rows - (beside ? 1 : 2),
                  area.columns - (beside ? 3 : 2)};
}

int panel_lecture_rows(const Session *session, int columns)
{
    Area text = {0, 0, 0, columns - 2}; // as inner() has it above the stepper
    return flow_text(session->guide, text, NULL) + 2;
}

int panel_lecture_overflow(const Session *session, Area area)
{
    Area text = inner(area);
    Guide guide = *session->guide;
    guide.text_line = 0;
    int lines = flow_text(&guide, text, NULL);
    return lines > text.rows ? lines - text.rows : 0;
}

static void draw_title(const Guide *guide, Area area, Cells *cells)
{
    char right[128];
    int questions, score = guide_score(guide, &questions);
    snprintf(right, sizeof right, "%s %d/%d  \u2713 %d/%d", guide->strayed ? "L returns " : "",
             guide->page + 1, guide->lecture->page_count, score, questions);
    cells_text(cells, area, 0, 1, ROLE_HEADING, guide_page(guide)->title);
    cells_text_right(cells, area, 0, area.columns - 2, ROLE_QUIET, right);
}

void panel_lecture(const Session *session, Area area, Cells *cells)
{
    const Guide *guide = session->guide;
    Area text = inner(area);
    if (!guide)
        return;
    draw_title(guide, area, cells);
    flow_text(guide, text, cells);
    if (is_beside(area))
        for (int row = 0; row < area.rows; row++)
            cells_text(cells, area, row, area.columns - 1, ROLE_RULE, "\u2502");
    else
        cells_fill(cells, area, area.rows - 1, 0, area.columns, ROLE_RULE, "\u2500");
    int left = guide->text_lines - guide->text_line;
    if (left > 0)
        cells_format(cells, area, area.rows - 1, area.columns - 22, ROLE_KEY, " ) %d more line%s ",
                     left, left == 1 ? "" : "s");
}
