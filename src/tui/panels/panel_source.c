// The code of the step: the PyTorch line that does the same, and the stage's own function in C, as it
// stands in its file and runs. Long lines are broken, so that every size of screen shows all of it.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "open_lecture_words.h"
#include "mistake_code.h"
#include "tui_words.h"

enum {
    NUMBER_COLUMNS = 4,
    CODE_COLUMN = 6,
    NARROW_COLUMNS = 90, // of a panel: narrower ones take half of every line's indent
    BROKEN_INDENT = 4,   // of the rest of a line that was broken
};

static int draw_line(const StageCode *code, ptrdiff_t line, bool marked, Area area, int row)
{
    Area right = area_part(area, 0, CODE_COLUMN, area.rows, area.columns - CODE_COLUMN);
    const char *text = code->lines[line];
    int indent = (int)strspn(text, " ");
    char number[32];
    if (area.columns < NARROW_COLUMNS) {
        text += indent - indent / 2;
        indent /= 2;
    }
    indent =
        indent + BROKEN_INDENT > right.columns / 2 ? right.columns / 2 : indent + BROKEN_INDENT;
    snprintf(number, sizeof number, "%td", code->first_line + line);
    cells_text_right(area, row, NUMBER_COLUMNS, ROLE_QUIET, number);
    if (marked)
        cells_text(area, row, NUMBER_COLUMNS + 1, ROLE_CURRENT, "\u25b8");
    int rows = cells_paragraph(right, row, right.rows - row, indent,
                               marked ? ROLE_CURRENT : ROLE_TEXT, text);
    return rows > 0 ? rows : 1; // an empty line takes a row too
}

static void draw(const Session *session, Area area)
{
    char torch[TRACE_FORMULA_MAX];
    const StageCode *code = session_code(session);
    bool is_mine = session_step_is_mine(session, session->cursor.step);
    bool is_mistake = mistake_code(session->run.trace.steps[session->cursor.step].stage) != NULL;
    bool is_right = !is_mine && !is_mistake;
    if (comparison_hides_step(session)) {
        cells_paragraph(area, 0, area.rows, 0, ROLE_TEXT,
                        open_lecture_session_word(session, WORD_STEP_HIDDEN));
        return;
    }
    ptrdiff_t line = session->code.line, marked = session_code_of_term(session);
    cells_fill(area, 0, 0, area.columns, ROLE_RULE, "\u2500");
    cells_format(area, 0, 1, ROLE_HEADING, " src/%s/%s.c ", is_mistake ? "mistakes" : "stages",
                 code->stage);
    int row = 1;
    row += cells_text(area, row, 0, ROLE_QUIET, TELL(SOURCE_TORCH)) > 0;
    row += cells_paragraph(area, row, 2, 4, ROLE_TEXT,
                           trace_torch(&session->run.trace, session->cursor.step, torch));
    row += cells_text(area, row, 0, is_right ? ROLE_QUIET : ROLE_ALARM,
                      is_right  ? TELL(SOURCE_RIGHT)
                      : is_mine ? TELL(SOURCE_MINE)
                                : TELL(SOURCE_MISTAKE)) > 0;
    for (; line < code->count && row < area.rows; line++)
        row += draw_line(code, line, line == marked, area, row);
    char range[64];
    snprintf(range, sizeof range, TELL(SOURCE_RANGE), code->first_line + session->code.line,
             code->first_line + line - 1, code->first_line, code->first_line + code->count - 1);
    cells_text_right(area, 0, area.columns - 1, ROLE_QUIET, range);
}

static void hints(const Session *session, Hints *hints)
{
    (void)session;
    hints_add(hints, true, hint_terms, TELL(HINT_SCROLL));
    hints_add_one(hints, true, COMMAND_BACK);
}

const Panel panel_source = {
    .draw = draw,
    .scroll = &panel_scroll_terms,
    .hints = hints,
};
