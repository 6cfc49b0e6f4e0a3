// What a key costs: one command and one layout, and how many numbers are formatted to draw the screen
// after it. Counted, not timed: the linker sends every call of these functions from another file through
// the counters below.
#include "panel.h"
#include "screen.h"
#include "session.h"

#include "stepping.h"
#include "suite.h"

static Stepping it;
static int formatted, applied, asked;

const char *__real_number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                               char text[NUMBER_TEXT_MAX]);
const char *__wrap_number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                               char text[NUMBER_TEXT_MAX]);

const char *__wrap_number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                               char text[NUMBER_TEXT_MAX])
{
    formatted++;
    return __real_number_cell(tensor, at, look, text);
}

bool __real_session_apply(Session *session, const Command *command, Error *err);
bool __wrap_session_apply(Session *session, const Command *command, Error *err);

bool __wrap_session_apply(Session *session, const Command *command, Error *err)
{
    applied++;
    return __real_session_apply(session, command, err);
}

int __real_panels_now(const Session *session, PanelKind kinds[PANEL_COUNT]);
int __wrap_panels_now(const Session *session, PanelKind kinds[PANEL_COUNT]);

// A layout asks twice which panels there are: for their places, and for the room that they make.
enum { ASKED_BY_A_LAYOUT = 2 };

int __wrap_panels_now(const Session *session, PanelKind kinds[PANEL_COUNT])
{
    asked++;
    return __real_panels_now(session, kinds);
}

static const char *const keys[] = {"down",        "right 7",    "page-down",  "flip",
                                   "line-end",    "up 3",       "line-start", "depth element",
                                   "next",        "next 12345", "previous",   "format full",
                                   "depth stage", "bottom",     "room [3,3]"};
enum { KEYS = sizeof keys / sizeof *keys };

// The scores are one number seen as often as `length` times `length`.
static void count(ptrdiff_t length, int counts[KEYS])
{
    float number = 0.5f;
    Tensor one = tensor_over(&number, DTYPE_F32, 3, (ptrdiff_t[]){1, 1, 1});
    Cells cells = {.rows = 0};
    stepping_open_printed(&it);
    ck_assert(tensor_expand(&one, 3, (ptrdiff_t[]){1, length, length},
                            &it.session.run.trace.tensors[it.session.cursor.tensor].tensor,
                            &it.err));
    ck_assert(cells_resize(&cells, 120, 40, &it.err));
    Screen screen;
    screen_fit(&screen, &it.session, 120, 40);
    for (int key = 0; key < KEYS; key++) {
        stepping_say(&it, keys[key]);
        screen_fit(&screen, &it.session, 120, 40);
        formatted = 0;
        screen_draw(&screen, &it.session, &cells);
        counts[key] = formatted;
    }
    cells_finish(&cells);
    stepping_close(&it);
}

TEST(a_key_costs_the_same_whatever_the_size_of_the_tensor)
{
    static const ptrdiff_t lengths[] = {1000, 100000, 1000000};
    int first[KEYS], counts[KEYS];
    count(lengths[0], first);
    for (int key = 0; key < KEYS; key++) {
        ck_assert_msg(first[key] > 0, "%s", keys[key]);
        ck_assert_int_le(first[key], 40 * 120 / 8); // no number is narrower than 7 and its gap
    }
    for (size_t i = 1; i < sizeof lengths / sizeof *lengths; i++) {
        count(lengths[i], counts);
        for (int key = 0; key < KEYS; key++) // longer indices leave less room, not more
            ck_assert_msg(counts[key] <= first[key], "%s: %d numbers of %td, %d of %td", keys[key],
                          counts[key], lengths[i], first[key], lengths[0]);
    }
}

// A line that is typed is a command within that of its Enter.
static void type_next(const Screen *screen)
{
    static const char *const typed[] = {":", "n", "e", "x", "t", "Enter"};
    int step = it.session.cursor.step;
    for (size_t key = 0; key < sizeof typed / sizeof *typed; key++) {
        Command command;
        asked = 0;
        ck_assert(session_key(&it.session, typed[key], &command));
        ck_assert(session_apply(&it.session, &command, &it.err));
        ck_assert_msg(asked == ASKED_BY_A_LAYOUT && screen->fitted == it.session.revision,
                      "%s: %d halves of a layout", typed[key], asked);
    }
    ck_assert_int_eq(it.session.cursor.step, step + 1);
}

TEST(a_key_is_one_command_and_one_layout)
{
    static const char *const pressed[] = {
        "Right", "Down", "Enter",  "Tab",      "o", "m", "v", "H", "Space", "?", "Escape", "s",
        ":",     "g",    "Escape", "PageDown", "G", "v", "d", "d", "n",     "p", "d"};
    static const int sizes[][2] = {{80, 24}, {100, 34}, {40, 12}};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        Screen screen;
        Cells cells = {.rows = 0};
        int columns = sizes[size][0], rows = sizes[size][1];
        stepping_open_printed(&it);
        ck_assert(cells_resize(&cells, columns, rows, &it.err));
        screen_join(&screen, &it.session, columns, rows);
        for (size_t key = 0; key < sizeof pressed / sizeof *pressed; key++) {
            Command command;
            applied = asked = 0;
            ck_assert(session_key(&it.session, pressed[key], &command));
            session_apply(&it.session, &command, &it.err);
            screen_fit(&screen, &it.session, columns, rows);
            ck_assert_msg(applied == 1 && asked == ASKED_BY_A_LAYOUT,
                          "%s: %d commands, %d halves of a layout", pressed[key], applied, asked);
            screen_draw(&screen, &it.session, &cells);
        }
        stepping_say(&it, "first");
        type_next(&screen);
        applied = asked = 0;
        screen_fit(&screen, &it.session, columns + 20, rows + 3); // another size is laid out anew
        ck_assert_int_eq(asked, ASKED_BY_A_LAYOUT);
        screen_leave(&it.session);
        cells_finish(&cells);
        stepping_close(&it);
    }
}

SUITE("screen_cost")
