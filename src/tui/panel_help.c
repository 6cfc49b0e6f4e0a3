// The help page: every command with its keys, its word and what it does, from commands.def.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "key_glyph.h"

enum { HEADER_ROWS = 2, KEYS_COLUMN = 1, WORD_COLUMN = 12, HELP_COLUMN = 30, KEYS_TEXT_MAX = 64 };

static const char *const arguments[] = {
    [ARGUMENT_NONE] = "",      [ARGUMENT_COUNT] = " [n]",      [ARGUMENT_NUMBER] = " n",
    [ARGUMENT_NAME] = " name", [ARGUMENT_INDEX] = " [i, ...]",
};

static const char *keys_of(CommandKind kind, char text[KEYS_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *keys = command_info(kind)->keys; *keys;) {
        char key[KEY_NAME_MAX];
        size_t length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        used += (size_t)snprintf(text + used, KEYS_TEXT_MAX - used, used ? " %s" : "%s",
                                 key_glyph(key));
        keys += length + strspn(keys + length, " ");
    }
    return text;
}

Room panel_help_room(Area area)
{
    return (Room){area.rows > HEADER_ROWS ? area.rows - HEADER_ROWS : 0, area.columns};
}

void panel_help(const Session *session, Area area, Cells *cells)
{
    Room room = panel_help_room(area);
    char keys[KEYS_TEXT_MAX];
    if (area.rows <= 0)
        return;
    cells_text(cells, area, 0, KEYS_COLUMN, ROLE_HEADING, "keys");
    cells_text(cells, area, 0, WORD_COLUMN, ROLE_HEADING, "in scripts");
    cells_text(cells, area, 0, HELP_COLUMN, ROLE_HEADING, "what it does");
    cells_fill(cells, area, 1, 0, area.columns, ROLE_RULE, "\u2500");
    for (ptrdiff_t row = 0; row < room.rows && session->help_line + row < COMMAND_COUNT; row++) {
        CommandKind kind = (CommandKind)(session->help_line + row);
        const CommandInfo *info = command_info(kind);
        int line = HEADER_ROWS + (int)row;
        cells_text(cells, area, line, KEYS_COLUMN, ROLE_KEY, keys_of(kind, keys));
        cells_format(cells, area, line, WORD_COLUMN, ROLE_TEXT, "%s%s", info->word,
                     arguments[info->argument]);
        cells_text(cells, area, line, HELP_COLUMN, ROLE_TEXT, info->help);
    }
    ptrdiff_t last = session->help_line + room.rows;
    if (room.rows < COMMAND_COUNT)
        cells_format(cells, area, 1, area.columns - 14, ROLE_QUIET, " %td-%td of %d ",
                     session->help_line + 1, last < COMMAND_COUNT ? last : COMMAND_COUNT,
                     COMMAND_COUNT);
}
