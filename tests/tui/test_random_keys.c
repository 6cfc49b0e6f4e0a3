// Thousands of keys, words, clicks and sizes in no sensible order, the way that keys really go: named
// keys become commands, commands change the session, the session is drawn. Bounded in keys, not in
// time; ATTNSCOPE_RANDOM_KEYS and ATTNSCOPE_RANDOM_SEED ask for more or for others.
#include "screen.h"
#include "session.h"

#include "stepping.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_DEFAULT = 6000, NAMES_MAX = 256 };

static char names[NAMES_MAX][KEY_NAME_MAX];
static int name_count;

static void add_keys(const char *keys)
{
    while (*keys) {
        size_t length = strcspn(keys, " ");
        ck_assert_int_lt(name_count, NAMES_MAX);
        snprintf(names[name_count++], KEY_NAME_MAX, "%.*s", (int)length, keys);
        keys += length + strspn(keys + length, " ");
    }
}

static void list_keys(void)
{
    name_count = 0;
    for (int kind = 0; kind < COMMAND_COUNT; kind++)
        if (kind != COMMAND_QUIT)
            add_keys(command_info((CommandKind)kind)->keys);
    for (int i = 0; i < prompt_key_count(); i++)
        add_keys(prompt_key(i)->keys);
    add_keys("Space F11 \uadf8 \u0301 e , [ ] 0 7 > . s"); // for the line for words
}

static long number_from(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

// What happens next: mostly a key; sometimes words, a click, the wheel, another size.
typedef struct Player {
    Stepping *stepping;
    Cells cells;
    Screen screen; // as it was drawn last
    uint64_t state;
    int columns, rows;
    const char *last; // for the report of a failure
} Player;

static int random_below(Player *player, int count)
{
    return (int)tiny_index(&player->state, count);
}

static void obey(Player *player, bool means_something, const Command *command)
{
    Error err = {.text = ""};
    if (!means_something || command->kind == COMMAND_QUIT)
        return;
    player->last = command_info(command->kind)->word;
    bool good = session_apply(&player->stepping->session, command, &err);
    ck_assert_msg(good || err.text[0], "\"%s\" was refused without a word", player->last);
}

static void press(Player *player, const char *key)
{
    Command command;
    obey(player, session_key(&player->stepping->session, key, &command), &command);
}

// Words that mean something half of the time.
static void type_words(Player *player)
{
    static const char *const rests[] = {"",     " 1",     " 3",           " 0",  "[0,0,0]",
                                        " s",   " score", " q",           " H",  " > 0.1",
                                        " nan", " term",  " 99999999999", " on", " off"};
    const char *word = command_info((CommandKind)random_below(player, COMMAND_COUNT))->word;
    char words[128];
    snprintf(words, sizeof words, "%s%s", word,
             rests[random_below(player, (int)(sizeof rests / sizeof *rests))]);
    if (strncmp(words, "quit", 4) == 0)
        return;
    press(player, "Escape");
    press(player, ":");
    for (const char *byte = words; *byte; byte++)
        press(player, *byte == ' ' ? "Space" : (const char[]){*byte, '\0'});
    if (random_below(player, 4) == 0)
        press(player, "Tab");
    press(player, "Enter");
}

static void resize(Player *player)
{
    static const int sizes[][2] = {{1, 1}, {39, 12}, {40, 12}, {80, 24}, {120, 40}, {200, 60}};
    Error err;
    bool known = random_below(player, 2);
    const int *size = sizes[random_below(player, 6)];
    player->columns = known ? size[0] : 1 + random_below(player, 210);
    player->rows = known ? size[1] : 1 + random_below(player, 70);
    player->cells.colours = random_below(player, 3) * 128;
    ck_assert(cells_resize(&player->cells, player->columns, player->rows, &err));
}

static void point(Player *player, bool clicks)
{
    const Session *session = &player->stepping->session;
    int row = random_below(player, player->rows), column = random_below(player, player->columns);
    Command command;
    bool means = clicks ? screen_click(&player->screen, session, row, column, &command)
                        : screen_wheel(&player->screen, row, column,
                                       random_below(player, 2) * 2 - 1, &command);
    obey(player, means, &command);
}

static void check(const Player *player)
{
    const Session *session = &player->stepping->session;
    const Tensor *tensor = &session_tensor(session)->tensor;
    ck_assert(session->cursor.step >= 0 && session->cursor.step < session->run.trace.step_count);
    for (int axis = 0; session_has_values(session) && axis < tensor->rank; axis++)
        ck_assert_msg(session_view(session)->at[axis] >= 0 &&
                          session_view(session)->at[axis] < tensor->shape[axis],
                      "after \"%s\" the chosen element is outside", player->last);
    ck_assert_uint_le(session->prompt.line.cursor, strlen(session->prompt.line.text));
}

static void play(Stepping *stepping, uint64_t seed, long keys)
{
    Player player = {.stepping = stepping, .state = seed, .last = ""};
    list_keys();
    resize(&player);
    screen_join(&player.screen, &stepping->session, player.columns, player.rows);
    for (long i = 0; i < keys; i++) {
        int what = random_below(&player, 100);
        if (what < 80)
            press(&player, names[random_below(&player, name_count)]);
        else if (what < 88)
            type_words(&player);
        else if (what < 95)
            point(&player, what < 92);
        else
            resize(&player);
        screen_fit(&player.screen, &stepping->session, player.columns, player.rows);
        screen_draw(&player.screen, &stepping->session, &player.cells);
        check(&player);
    }
    ck_assert(!stepping->session.quit);
    press(&player, "Escape");
    screen_leave(&stepping->session);
    cells_finish(&player.cells);
}

SLICE_TEST(no_row_of_keys_and_sizes_brings_it_down, tiny_shape_count, 1)
{
    Stepping stepping;
    uint64_t seed = (uint64_t)number_from("ATTNSCOPE_RANDOM_SEED", 1) + (uint64_t)_i;
    stepping_open_tiny(&stepping, tiny_shapes[_i], seed);
    play(&stepping, seed, number_from("ATTNSCOPE_RANDOM_KEYS", KEYS_DEFAULT) / tiny_shape_count);
    stepping_close(&stepping);
}

TEST(nor_does_one_on_the_printed_example)
{
    Stepping stepping;
    stepping_open_printed(&stepping);
    play(&stepping, (uint64_t)number_from("ATTNSCOPE_RANDOM_SEED", 1),
         number_from("ATTNSCOPE_RANDOM_KEYS", KEYS_DEFAULT) / 4);
    stepping_close(&stepping);
}

SUITE("random_keys")
