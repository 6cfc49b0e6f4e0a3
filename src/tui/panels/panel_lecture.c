// The lecture: title, text with its numbers filled in, the question and what was said to the answer.
// Beside the stepper on wide screens, above it on others; longer texts move with Space, ( and ).
#include "panel.h"

#include <stdio.h>
#include "flow.h"
#include "open_lecture.h"
#include "lecture_flow.h"
#include "tui_words.h"

enum {
    APART_FROM_ROWS = 16, // lower: no blank lines between paragraphs
    TITLE_ROWS_MAX = 3,
    BESIDE_FROM_COLUMNS = 110,
    COLUMNS_MAX = 64,    // beside the stepper
    ROWS_ABOVE_MAX = 20, // above it
};

// Below the title, from line `skip` on; the lines it takes. Without cells they are only counted.
static int flow_text(const OpenLecture *open, Area area, int skip)
{
    Flow flow = {.area = area, .skip = skip};
    bool apart = area.rows >= APART_FROM_ROWS;
    lecture_flow_notes(&flow, open);
    for (const LectureBlock *block = open->text; block; block = block->next)
        flow_block(&flow, block, apart && flow.line > 0 && block->kind != BLOCK_ITEM);
    if (open->ask)
        lecture_flow_question(&flow, open, apart);
    return flow.line;
}

// --- places

static bool is_beside(Area area)
{
    return area.row == 1 && area.rows > ROWS_ABOVE_MAX;
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

static Area under_title(const OpenLecture *open, Area area)
{
    int rows =
        cells_paragraph_rows(open_lecture_page(open)->title, area.columns, title_rows_max(area), 0);
    return area_part(area, rows, 0, area.rows - rows, area.columns);
}

// The rows that a page takes above the stepper, rule included, for all of its text.
static int rows_above(const Session *session, int columns)
{
    Area page = {.rows = ROWS_ABOVE_MAX, .columns = columns - 2}; // as inner() has it
    Area text = under_title(session->lecture, page);
    return text.row + flow_text(session->lecture, text, 0) + 1;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static PanelStand stands(const Session *session)
{
    return session->lecture ? PANEL_STANDS_BESIDE : PANEL_STANDS_AWAY;
}

static Area take(const Session *session, Area *left)
{
    if (session->lecture->text_elsewhere)
        return (Area){.rows = 0};
    if (left->columns < BESIDE_FROM_COLUMNS || left->rows <= ROWS_ABOVE_MAX) {
        int rows = smaller(left->rows / 2, ROWS_ABOVE_MAX);
        return area_cut_top(left, smaller(rows_above(session, left->columns), rows));
    }
    int columns = smaller(left->columns * 2 / 5, COLUMNS_MAX);
    Area own = area_part(*left, 0, 0, left->rows, columns);
    *left = area_part(*left, 0, columns, left->rows, left->columns - columns);
    return own;
}

static void room(const Session *session, Area area, SessionRoom *room)
{
    if (area.rows <= 0)
        return;
    Area text = under_title(session->lecture, inner(area));
    int lines = flow_text(session->lecture, area_on(NULL, text), 0);
    room->text_rows = text.rows;
    room->text_over = lines > text.rows ? lines - text.rows : 0;
}

static void draw(const Session *session, Area area)
{
    const OpenLecture *open = session->lecture;
    char more[64];
    ptrdiff_t most = session->room.text_over;
    int skip = (int)(open->text_line < most ? open->text_line : most), left = (int)most - skip;
    cells_paragraph(inner(area), 0, title_rows_max(inner(area)), 0, ROLE_HEADING,
                    open_lecture_page(open)->title);
    flow_text(open, under_title(open, inner(area)), skip);
    if (is_beside(area))
        for (int row = 0; row < area.rows; row++)
            cells_text(area, row, area.columns - 1, ROLE_RULE, "\u2502");
    else
        cells_fill(area, area.rows - 1, 0, area.columns, ROLE_RULE, "\u2500");
    snprintf(more, sizeof more, "%s%d ", open_lecture_word(open->lecture->language, WORD_MORE),
             left);
    if (left > 0)
        cells_text_right(area, area.rows - 1, area.columns - 2, ROLE_KEY, more);
}

static void hints(const Session *session, Hints *hints)
{
    const OpenLecture *open = session->lecture;
    bool last = open->page + 1 == open->lecture->page_count;
    bool more = open->text_line < session->room.text_over;
    hints_add_as(hints, !last || more, COMMAND_GO_ON,
                 more ? TELL(HINT_MORE_TEXT) : TELL(HINT_NEXT_PAGE));
    hints_add_one(hints, open->strayed, COMMAND_RETURN);
    hints_add_one(hints, open->ask && !open->answered && !open->shown, COMMAND_PROMPT_ANSWER);
    hints_add_one(hints, open->page > 0, COMMAND_PAGE_PREVIOUS);
    hints_add_one(hints, true, COMMAND_CONTENTS);
}

static const PanelScroll scroll = {COMMAND_TEXT_UP, COMMAND_TEXT_DOWN};

const Panel panel_lecture = {
    .stands = stands,
    .take = take,
    .draw = draw,
    .room = room,
    .scroll = &scroll,
    .hints = hints,
};
