// The bank of mistakes: each with its one sentence, and whether it can show in this scenario. The
// marked one also says how it shows and how to mend it.
#include "panel.h"

#include <stdio.h>
#include "utf8.h"
#include "tui_words.h"

enum { ABOUT_ROWS_MAX = 8, NAME_COLUMN = 5, TITLE_COLUMN = 30, PLACE_COLUMNS = 8 };

static int mistake_count(void)
{
    int count = 0;
    while (mistake_get(count))
        count++;
    return count;
}

static void draw_entry(const Session *session, int number, Area area, int row)
{
    char cut[256];
    const Mistake *mistake = mistake_get(number);
    const Words *why = mistake_cannot_show(mistake, session->run.trace.scenario);
    bool marked = number == session->look.mistake;
    Role role = marked ? ROLE_CURRENT : why ? ROLE_QUIET : ROLE_HEADING;
    cells_format(area, row, 0, role, "%s%2d", marked ? "\u25b8" : " ", number + 1);
    utf8_cut(mistake->name, TITLE_COLUMN - NAME_COLUMN - 1, cut, sizeof cut);
    cells_text(area, row, NAME_COLUMN, role, cut);
    if (area.columns <= TITLE_COLUMN)
        return;
    utf8_cut(mistake->words[language_now()].title, area.columns - TITLE_COLUMN, cut, sizeof cut);
    cells_text(area, row, TITLE_COLUMN, why ? ROLE_QUIET : ROLE_TEXT, cut);
}

static void draw_about(const Session *session, Area area, int row)
{
    char text[256];
    const Mistake *mistake = mistake_get(session->look.mistake);
    const MistakeWords *words = &mistake->words[language_now()];
    const Words *why = mistake_cannot_show(mistake, session->run.trace.scenario);
    row += cells_paragraph(area, row, 2, 0, ROLE_TEXT, words->title);
    if (why) {
        snprintf(text, sizeof text, TELL(MISTAKES_CANNOT_SHOW), words_tell(*why));
        row += cells_paragraph(area, row, area.rows - row, 0, ROLE_ALARM, text);
    }
    row += cells_paragraph(area, row, area.rows - row, 0, ROLE_TEXT, words->shows);
    cells_paragraph(area, row, area.rows - row, 0, ROLE_TEXT, words->mend);
}

static void draw(const Session *session, Area area)
{
    int count = mistake_count();
    int about = area.rows / 2 < ABOUT_ROWS_MAX ? area.rows / 2 : ABOUT_ROWS_MAX;
    int room = area.rows - about - 1;
    int first = session->look.mistake - room / 2;
    first = first > count - room ? count - room : first;
    first = first < 0 ? 0 : first;
    cells_text(area, 0, 0, ROLE_TITLE, TELL(MISTAKES_TITLE));
    cells_format(area, 0, area.columns - PLACE_COLUMNS, ROLE_QUIET, TELL(MISTAKES_OF),
                 session->look.mistake + 1, count);
    for (int row = 0; row < room - 1 && first + row < count; row++)
        draw_entry(session, first + row, area, row + 1);
    draw_about(session, area, area.rows - about);
}

static void hints(const Session *session, Hints *hints)
{
    (void)session;
    hints_add_one(hints, true, COMMAND_BACK);
    hints_add(hints, true, hint_terms, TELL(HINT_CHOOSE));
    hints_add_as(hints, true, COMMAND_ENTER, TELL(MISTAKES_RUN));
}

const Panel panel_mistakes = {.draw = draw, .hints = hints};
