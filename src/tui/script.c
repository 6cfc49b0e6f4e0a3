// script: the stepper driven by lines of text; see tui.h.
#include "tui.h"

#include <errno.h>
#include <string.h>
#include "cells.h"
#include "screen.h"
#include "session.h"
#include "tui_words.h"

enum { LINE_MAX_BYTES = 1024 };

typedef struct Player {
    Session *session;
    Screen screen;
    Cells cells;
    FILE *out;
} Player;

// Every line of a script finds a screen that a person could have seen.
static void fit(Player *player)
{
    screen_fit(&player->screen, player->session, player->cells.columns, player->cells.rows);
}

static void write_screen(Player *player)
{
    screen_draw(&player->screen, player->session, &player->cells);
    fprintf(player->out, "=== %dx%d\n", player->cells.columns, player->cells.rows);
    cells_print(&player->cells, player->out);
    fputs("===\n", player->out);
}

static bool change_size(Player *player, const char *text, Error *err)
{
    int columns, rows, used = 0;
    bool good = sscanf(text, "%5dx%5d%n", &columns, &rows, &used) == 2 && text[used] == '\0' &&
                columns >= 1 && rows >= 1 && columns <= CELLS_COLUMNS_MAX && rows <= CELLS_ROWS_MAX;
    if (!good)
        return error_set(err, TELL(SCRIPT_SIZE), CELLS_COLUMNS_MAX, CELLS_ROWS_MAX, text);
    return cells_resize(&player->cells, columns, rows, err);
}

static bool press_key(Player *player, const char *key, Error *err)
{
    Command command;
    if (!session_key(player->session, key, &command))
        return error_set(err, TELL(SCRIPT_KEY), key);
    return session_apply(player->session, &command, err);
}

static bool play_line(Player *player, const char *line, Error *err)
{
    Command command;
    bool good = true;
    if (*line == '\0' || *line == '#')
        return true;
    if (strcmp(line, "screen") == 0)
        write_screen(player);
    else if (strncmp(line, "size ", 5) == 0)
        good = change_size(player, line + 5, err);
    else if (strncmp(line, "key ", 4) == 0)
        good = press_key(player, line + 4, err);
    else
        good = command_parse(line, &command, err) && session_apply(player->session, &command, err);
    fit(player);
    return good && session_could_compute(player->session, err);
}

static bool play(Player *player, FILE *script, Error *err)
{
    char line[LINE_MAX_BYTES];
    for (int number = 1; !player->session->quit && fgets(line, sizeof line, script); number++) {
        size_t length = strcspn(line, "\r\n");
        if (line[length] == '\0' && !feof(script))
            return error_set(err, TELL(SCRIPT_LONG), number, LINE_MAX_BYTES - 2);
        line[length] = '\0';
        if (!play_line(player, line, err))
            return error_prefix(err, TELL(SCRIPT_LINE), number);
    }
    if (ferror(script))
        return error_number(err, errno, TELL(SCRIPT_UNREAD), error_reason(errno));
    return true;
}

bool tui_script(Session *session, FILE *script, int columns, int rows, FILE *out, Error *err)
{
    Player player = {.session = session, .out = out};
    bool good = cells_resize(&player.cells, columns, rows, err);
    if (good) {
        screen_join(&player.screen, session, columns, rows);
        good = play(&player, script, err);
        screen_leave(session);
    }
    cells_finish(&player.cells);
    return good;
}
