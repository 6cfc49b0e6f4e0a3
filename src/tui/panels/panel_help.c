// The help page: every command with its keys, its word and what it does, by groups; see session.h.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "session.h"
#include "key_glyph.h"
#include "tui_words.h"

enum { HEADER_ROWS = 2, KEYS_COLUMN = 1, WORD_COLUMN = 11, HELP_COLUMN = 30, KEYS_TEXT_MAX = 64 };

static const char *keys_in_words(const char *keys, char text[KEYS_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    while (*keys) {
        char key[KEY_NAME_MAX];
        size_t length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        used += (size_t)snprintf(text + used, KEYS_TEXT_MAX - used, used ? " %s" : "%s",
                                 key_glyph(key));
        keys += length + strspn(keys + length, " ");
    }
    return text;
}

static PanelStand stands(const Session *session)
{
    return session->help.open ? PANEL_STANDS_ALONE : PANEL_STANDS_AWAY;
}

static ptrdiff_t rows_of(Area area)
{
    return area.rows > HEADER_ROWS ? area.rows - HEADER_ROWS : 0;
}

static void room(const Session *session, Area area, SessionRoom *room)
{
    (void)session;
    room->rows = rows_of(area);
    room->columns = area.columns;
}

static void draw_line(HelpLine what, Area area, int row)
{
    char keys[KEYS_TEXT_MAX];
    if (what.heading) {
        cells_text(area, row, 0, ROLE_HEADING, what.heading);
        return;
    }
    cells_text(area, row, KEYS_COLUMN, ROLE_KEY, keys_in_words(what.keys, keys));
    cells_format(area, row, WORD_COLUMN, ROLE_TEXT, "%s%s", what.word, what.argument);
    cells_text(area, row, HELP_COLUMN, ROLE_TEXT, what.help);
}

static void draw(const Session *session, Area area)
{
    ptrdiff_t rows = rows_of(area), lines = help_page_lines();
    ptrdiff_t first = session->help.line, last = first + rows < lines ? first + rows : lines;
    cells_text(area, 0, KEYS_COLUMN, ROLE_QUIET, TELL(HELP_KEYS));
    cells_text(area, 0, WORD_COLUMN, ROLE_QUIET, TELL(HELP_WORDS));
    cells_text(area, 0, HELP_COLUMN, ROLE_QUIET, TELL(HELP_WHAT));
    cells_fill(area, 1, 0, area.columns, ROLE_RULE, "\u2500");
    for (ptrdiff_t line = first; line < last; line++)
        draw_line(help_page_line((int)line), area, HEADER_ROWS + (int)(line - first));
    if (rows < lines)
        cells_format(area, 1, area.columns - 12, ROLE_QUIET, TELL(HELP_MORE),
                     first > 0 ? "\u2191" : " ", last < lines ? "\u2193" : " ");
}

static void hints(const Session *session, Hints *hints)
{
    (void)session;
    hints_add_one(hints, true, COMMAND_BACK);
    hints_add(hints, true, hint_rows, TELL(HINT_SCROLL));
}

const Panel panel_help = {.stands = stands, .draw = draw, .room = room, .hints = hints};
