// The code of the step: the PyTorch line that does the same, and the stage's own function in C, as it
// stands in its file and runs. Long lines are broken, so that every size of screen shows all of it.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "open_lecture.h"
#include "mistake_code.h"
#include "tui_words.h"

enum {
    NUMBER_COLUMNS = 4,
    CODE_COLUMN = 6,
    NARROW_COLUMNS = 90, // of a panel: narrower ones take half of every line's indent
    BROKEN_INDENT = 4,   // of the rest of a line that was broken
};

// The line as the area shows it, and the columns that its further rows leave free.
static const char *fitted(const StageCode *code, ptrdiff_t line, int columns, int *indent)
{
    const char *text = code->lines[line];
    int own = (int)strspn(text, " "), half = (columns - CODE_COLUMN) / 2;
    if (columns < NARROW_COLUMNS) {
        text += own - own / 2;
        own /= 2;
    }
    *indent = own + BROKEN_INDENT > half ? half : own + BROKEN_INDENT;
    return text;
}

static int draw_line(const StageCode *code, ptrdiff_t line, bool marked, Area area, int row)
{
    Area right = area_part(area, 0, CODE_COLUMN, area.rows, area.columns - CODE_COLUMN);
    char number[32];
    int indent;
    const char *text = fitted(code, line, area.columns, &indent);
    snprintf(number, sizeof number, "%td", code->first_line + line);
    cells_text_right(area, row, NUMBER_COLUMNS, ROLE_QUIET, number);
    if (marked)
        cells_text(area, row, NUMBER_COLUMNS + 1, ROLE_CURRENT, "\u25b8");
    int rows = cells_paragraph(right, row, right.rows - row, indent,
                               marked ? ROLE_CURRENT : ROLE_TEXT, text);
    return rows > 0 ? rows : 1; // an empty line takes a row too
}

// What stands above the code; the rows it takes.
static int draw_head(const Session *session, const StageCode *code, Area area)
{
    char torch[TRACE_FORMULA_MAX];
    bool is_mine = session_step_is_mine(session, session->cursor.step);
    bool is_mistake = mistake_code(session->run.trace.steps[session->cursor.step].stage) != NULL;
    bool is_edited = session->run.trace.steps[session->cursor.step].formula != NULL;
    bool is_right = !is_mine && !is_mistake && !is_edited;
    cells_fill(area, 0, 0, area.columns, ROLE_RULE, "\u2500");
    cells_format(area, 0, 1, ROLE_HEADING, " src/%s/%s%s ", is_mistake ? "mistakes" : "stages",
                 code->stage, strchr(code->stage, '.') ? "" : ".c");
    cells_text(area, 1, 0, ROLE_QUIET, TELL(SOURCE_TORCH));
    int rows = 2 + cells_paragraph(area, 2, 2, 4, ROLE_TEXT,
                                   trace_torch(&session->run.trace, session->cursor.step, torch));
    cells_text(area, rows, 0, is_right ? ROLE_QUIET : ROLE_ALARM,
               is_right    ? TELL(SOURCE_RIGHT)
               : is_edited ? TELL(SOURCE_EDITED)
               : is_mine   ? TELL(SOURCE_MINE)
                           : TELL(SOURCE_MISTAKE));
    return rows + 1;
}

static void draw(const Session *session, Area area)
{
    const StageCode *code = session_code(session);
    if (comparison_hides_step(session)) {
        cells_paragraph(area, 0, area.rows, 0, ROLE_TEXT,
                        open_lecture_session_word(session, WORD_STEP_HIDDEN));
        return;
    }
    ptrdiff_t line = session->code.line, marked = session_code_of_term(session);
    int row = draw_head(session, code, area);
    for (; line < code->count && row < area.rows; line++)
        row += draw_line(code, line, line == marked, area, row);
    char range[64];
    snprintf(range, sizeof range, TELL(SOURCE_RANGE), code->first_line + session->code.line,
             code->first_line + line - 1, code->first_line, code->first_line + code->count - 1);
    cells_text_right(area, 0, area.columns - 1, ROLE_QUIET, range);
}

// --- the marked line in sight

static bool fits(const StageCode *code, int first, int last, int columns, int rows)
{
    int used = 0;
    for (int line = first; line <= last && used <= rows; line++) {
        int indent;
        const char *text = fitted(code, line, columns, &indent);
        int own = cells_paragraph_rows(text, columns - CODE_COLUMN, rows + 1, indent);
        used += own > 0 ? own : 1;
    }
    return used <= rows;
}

// From as far outside as the rest of its loop stays in sight, or, where the loop is too long, the marked line.
static int first_for(const StageCode *code, int marked, int columns, int rows)
{
    int loop, end, first = marked;
    if (!stage_code_loop(code, marked, &loop, &end) || !fits(code, loop, end, columns, rows))
        end = marked;
    for (int line = marked; line >= 0 && fits(code, line, end, columns, rows);
         line = stage_code_around(code, line))
        first = line;
    return first;
}

static void room(const Session *session, Area area, SessionRoom *room)
{
    int marked = (int)session_code_of_term(session);
    if (marked < 0 || area.rows <= 0 || comparison_hides_step(session))
        return;
    const StageCode *code = session_code(session);
    int rows = area.rows - draw_head(session, code, area);
    room->code_from = first_for(code, marked, area.columns, rows) + 1;
}

static void hints(const Session *session, Hints *hints)
{
    (void)session;
    hints_add(hints, true, hint_terms, TELL(HINT_SCROLL));
    hints_add_one(hints, true, COMMAND_BACK);
}

const Panel panel_source = {
    .draw = draw,
    .room = room,
    .scroll = &panel_scroll_terms,
    .hints = hints,
};
