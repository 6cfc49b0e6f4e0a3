// A question put to a whole room, on a projector: its choices as large as there is room for, and nothing
// that gives the answer away. Whoever goes on shows the answer.
#include "panel.h"

#include <stdio.h>
#include "big_number.h"
#include "flow.h"
#include "open_lecture.h"

enum { MARGIN = 2, GAP = 2, PLAIN_INDENT = 4 };

// The rows of a choice whose number is that large, one row free behind it.
static int rows_of(const char *text, int columns, BigSize size)
{
    int number = big_number_rows(size);
    int words =
        cells_paragraph_rows(text, columns - big_number_columns("1", size) - GAP, number, 0);
    return (words > number ? words : number) + 1;
}

static void draw_choice(const char *text, int number, Area area, BigSize size)
{
    char digits[16];
    BigPen pen = {area, ROLE_KEY, size};
    int start = big_number_columns("1", size) + GAP;
    Area words = area_part(area, 0, start, area.rows, area.columns - start);
    int rows = cells_paragraph_rows(text, words.columns, big_number_rows(size), 0);
    snprintf(digits, sizeof digits, "%d", number);
    big_number_draw(&pen, 0, 0, digits);
    int row = (big_number_rows(size) - rows) / 2;
    cells_paragraph(words, row, rows, 0, ROLE_HEADING, text);
}

static int all_rows(const OpenLecture *open, int columns, BigSize size)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    int rows = 0;
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++)
        rows += rows_of(open_lecture_poll_choice(open, i, text), columns, size);
    return rows;
}

static void draw_plain(const OpenLecture *open, Area area)
{
    char text[OPEN_LECTURE_CHOICE_MAX], line[OPEN_LECTURE_CHOICE_MAX + 16];
    int row = 0;
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++) {
        snprintf(line, sizeof line, "%d  %s", i + 1, open_lecture_poll_choice(open, i, text));
        row += cells_paragraph(area, row, area.rows - row, PLAIN_INDENT, ROLE_HEADING, line);
    }
}

static void draw_choices(const OpenLecture *open, Area area)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    BigSize size = all_rows(open, area.columns, BIG_WHOLE) <= area.rows + 1 ? BIG_WHOLE : BIG_HALF;
    if (all_rows(open, area.columns, size) > area.rows + 1) {
        draw_plain(open, area);
        return;
    }
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++) {
        const char *choice = open_lecture_poll_choice(open, i, text);
        int rows = rows_of(choice, area.columns, size);
        draw_choice(choice, i + 1, area_part(area, 0, 0, rows, area.columns), size);
        area.row += rows;
        area.rows -= rows;
    }
}

static PanelStand stands(const Session *session)
{
    const OpenLecture *open = session->lecture;
    return open && open->presents && open->polls ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

static void draw(const Session *session, Area area)
{
    const OpenLecture *open = session->lecture;
    if (!open->ask)
        return;
    Area inner = area_part(area, 1, MARGIN, area.rows - 1, area.columns - 2 * MARGIN);
    Flow flow = {.area = inner};
    flow_spans(&flow, 0, 0, open->ask->spans);
    cells_fill(inner, flow.line, 0, inner.columns, ROLE_RULE, "\u2500");
    int above = flow.line + 2;
    draw_choices(open, area_part(inner, above, 0, inner.rows - above, inner.columns));
}

const Panel panel_poll = {.stands = stands, .draw = draw, .hints = panel_hints_presenting};
