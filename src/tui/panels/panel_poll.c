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

// How many have chosen it, in the free row below: as wide as their part of all votes.
static void draw_votes(const OpenLecture *open, int number, Area area)
{
    int votes = number <= OPEN_LECTURE_VOTES_MAX ? open->votes[number - 1] : 0;
    int all = open_lecture_votes(open), most = area.columns - 8;
    if (!open->bars || all == 0 || most < 1)
        return;
    cells_fill(area, area.rows - 1, 0, most * votes / all, ROLE_KEY, "\u2580");
    cells_format(area, area.rows - 1, most * votes / all + 1, ROLE_HEADING, "%d", votes);
}

static void draw_choice(const OpenLecture *open, int number, Area area, BigSize size)
{
    char digits[16], choice[OPEN_LECTURE_CHOICE_MAX];
    const char *text = open_lecture_poll_choice(open, number - 1, choice);
    BigPen pen = {area, ROLE_KEY, size};
    int start = big_number_columns("1", size) + GAP;
    Area words = area_part(area, 0, start, area.rows, area.columns - start);
    int rows = cells_paragraph_rows(text, words.columns, big_number_rows(size), 0);
    snprintf(digits, sizeof digits, "%d", number);
    big_number_draw(&pen, 0, 0, digits);
    int row = (big_number_rows(size) - rows) / 2;
    cells_paragraph(words, row, rows, 0, ROLE_HEADING, text);
    draw_votes(open, number, words);
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
        const char *choice = open_lecture_poll_choice(open, i, text);
        if (open->bars && i < OPEN_LECTURE_VOTES_MAX)
            snprintf(line, sizeof line, "%d  %s (%d)", i + 1, choice, open->votes[i]);
        else
            snprintf(line, sizeof line, "%d  %s", i + 1, choice);
        row += cells_paragraph(area, row, area.rows - row, PLAIN_INDENT, ROLE_HEADING, line);
    }
}

static void draw_choices(const OpenLecture *open, Area area)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    int most = area.rows + (open->bars ? 0 : 1); // the last free row
    BigSize size = all_rows(open, area.columns, BIG_WHOLE) <= most ? BIG_WHOLE : BIG_HALF;
    if (all_rows(open, area.columns, size) > most) {
        draw_plain(open, area);
        return;
    }
    for (int i = 0; open_lecture_poll_choice(open, i, text); i++) {
        const char *choice = open_lecture_poll_choice(open, i, text);
        int rows = rows_of(choice, area.columns, size);
        draw_choice(open, i + 1, area_part(area, 0, 0, rows, area.columns), size);
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
    char votes[64];
    if (open_lecture_votes(open) > 0) {
        snprintf(votes, sizeof votes, open_lecture_word(open->lecture->language, WORD_VOTES),
                 open_lecture_votes(open));
        cells_text_right(inner, flow.line, inner.columns, ROLE_HEADING, votes);
    }
    int above = flow.line + 2;
    draw_choices(open, area_part(inner, above, 0, inner.rows - above, inner.columns));
}

const Panel panel_poll = {.stands = stands, .draw = draw, .hints = panel_hints_presenting};
