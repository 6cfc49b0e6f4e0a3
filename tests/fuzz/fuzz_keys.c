// What a terminal sends: bytes become characters, characters keys, keys commands; a NUL, which no
// key sends, stands for the mouse, with three bytes behind it: what, row, column.
#include "fuzz.h"
#include "screen.h"
#include "session.h"
#include "tiny.h"
#include "tui.h"
#include "utf8.h"

#include <string.h>

enum { KEYS_MAX = 400, DRAWN_EVERY = 32, COLUMNS = 110, ROWS = 34 };

static void obey(Session *session, const Command *command)
{
    Error err = {.text = ""};
    if (command->kind != COMMAND_QUIT && !session_apply(session, command, &err))
        fuzz_refused(&err);
}

static void press(Session *session, KeyReader *reader, unsigned char byte)
{
    char key[KEY_NAME_MAX];
    Command command;
    if (!key_reader_take(reader, byte, key))
        return;
    fuzz_must(key[0] && utf8_valid(key, strlen(key)), "the name of a key is a text");
    if (session_key(session, key, &command))
        obey(session, &command);
}

static void point(const Screen *screen, Session *session, const uint8_t what[3])
{
    Command command;
    int row = what[1] % (ROWS + 2), column = what[2] % (COLUMNS + 2);
    bool means = what[0] % 3 == 0
                     ? screen_click(screen, session, row, column, &command)
                     : screen_wheel(screen, row, column, what[0] % 3 == 1 ? -1 : 1, &command);
    if (means)
        obey(session, &command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Cells cells;
    Scenario scenario;
    Session session;
    Screen screen;
    KeyReader reader = {.count = 0};
    Error err = {.text = ""};
    tiny_scenario(&scenario, tiny_shapes[size > 0 ? data[0] % tiny_shape_count : 0], 5);
    scenario.threads = 1;
    fuzz_must(session_open(&session, &scenario, &err), "a tiny scenario opens: %s", err.text);
    fuzz_must(cells_resize(&cells, COLUMNS, ROWS, &err), "there are cells: %s", err.text);
    screen_fit(&screen, &session, COLUMNS, ROWS);
    for (size_t i = 0; i < size && i < KEYS_MAX; i++) {
        if (data[i] == 0 && size - i > 3) {
            point(&screen, &session, data + i + 1);
            i += 3;
        } else {
            press(&session, &reader, data[i]);
        }
        screen_fit(&screen, &session, COLUMNS, ROWS);
        if (i % DRAWN_EVERY == 0)
            screen_draw(&screen, &session, &cells);
    }
    screen_draw(&screen, &session, &cells);
    session_close(&session);
    scenario_finish(&scenario);
    return 0;
}
