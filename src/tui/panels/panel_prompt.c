// The line for words, with the cursor in it; a line that is wider than the screen is shown around the
// cursor.
#include "panel.h"

#include <stdio.h>
#include "session.h"
#include "utf8.h"

enum { SIGN_COLUMNS = 2 };

// The first byte that is shown so that the cursor has a column too.
static const char *visible_start(const LineEdit *line, int columns)
{
    char before[LINE_EDIT_ROOM];
    const char *start = before;
    uint32_t character;
    snprintf(before, sizeof before, "%.*s", (int)line->cursor, line->text);
    while (*start && utf8_width(start) >= columns)
        start += utf8_next(start, &character);
    return line->text + (start - before);
}

static PanelStand stands(const Session *session)
{
    return session->prompt.open ? PANEL_STANDS_BESIDE : PANEL_STANDS_AWAY;
}

static Area take(const Session *session, Area *left)
{
    (void)session;
    return area_cut_bottom(left, 1);
}

static void draw(const Session *session, Area area)
{
    const LineEdit *line = &session->prompt.line;
    Area words = area_part(area, 0, SIGN_COLUMNS, area.rows, area.columns - SIGN_COLUMNS);
    char before[LINE_EDIT_ROOM];
    const char *start = visible_start(line, words.columns);
    cells_text(area, 0, 1, ROLE_KEY, ":");
    cells_text(words, 0, 0, ROLE_TEXT, start);
    snprintf(before, sizeof before, "%.*s", (int)(line->text + line->cursor - start), start);
    cells_cursor(words, 0, utf8_width(before));
}

// While a line is typed, keys are letters.
static void hints(const Session *session, Hints *hints)
{
    (void)session;
    for (int i = 0; i < prompt_key_count(); i++) {
        const KeyRow *key = prompt_key(i);
        if (*key->label.in[LANGUAGE_ENGLISH])
            hints_add_key(hints, key->keys, words_tell(key->label));
    }
    hints->is_full = true;
}

const Panel panel_prompt = {.stands = stands, .take = take, .draw = draw, .hints = hints};
