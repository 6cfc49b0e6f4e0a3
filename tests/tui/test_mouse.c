// Clicks and the wheel: what stands under the mouse is what is chosen, at every size of screen.
#include "screen.h"
#include "stepping.h"
#include "suite.h"
#include "tui.h"

#include <stdio.h>
#include <string.h>

static Stepping stepping;
static Cells cells;
static Screen screen;

static void draw(int columns, int rows)
{
    ck_assert(cells_resize(&cells, columns, rows, &stepping.err));
    screen_fit(&screen, &stepping.session, columns, rows);
    screen_draw(&screen, &stepping.session, &cells);
}

static void close_all(void)
{
    cells_finish(&cells);
    stepping_close(&stepping);
}

// A row of the screen without what lies left of `column`.
static const char *text_at(int row, int column)
{
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (; column < cells.columns; column++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 cells_at(&cells, row, column)->text);
    return text;
}

static bool find(const char *words, int *row, int *column)
{
    for (*row = 0; *row < cells.rows; (*row)++)
        for (*column = 0; *column < cells.columns; (*column)++)
            if (strncmp(text_at(*row, *column), words, strlen(words)) == 0)
                return true;
    return false;
}

static bool click(int row, int column)
{
    Command command;
    if (!screen_click(&screen, &stepping.session, row, column, &command))
        return false;
    ck_assert_msg(session_apply(&stepping.session, &command, &stepping.err), "%s",
                  stepping.err.text);
    draw(cells.columns, cells.rows);
    return true;
}

static void click_on(const char *words)
{
    int row, column;
    ck_assert_msg(find(words, &row, &column), "%s", words);
    ck_assert_msg(click(row, column + 1), "%s", words);
}

static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};

LOOP_TEST(a_click_on_a_number_chooses_it, 3)
{
    // document 002's K as printed
    static const char *const printed[3][4] = {{"0.5735", "0.6561", "-0.0016", "-0.1080"},
                                              {"-0.7842", "-0.0042", "-0.3043", "-0.1294"},
                                              {"0.1814", "0.6540", "-0.1537", "-0.1727"}};
    char chosen[64];
    stepping_open_printed(&stepping);
    stepping_say(&stepping, "tensor k");
    draw(sizes[_i][0], sizes[_i][1]);
    for (int row = 2; row >= 0; row--)
        for (int column = 3; column >= 0; column--) {
            click_on(printed[row][column]);
            snprintf(chosen, sizeof chosen, "k[0, %d, %d]", row, column);
            ck_assert_str_eq(stepping_chosen(&stepping), chosen);
            snprintf(chosen, sizeof chosen, "[%s]", printed[row][column]);
            int at_row, at_column;
            ck_assert(find(chosen, &at_row, &at_column));
        }
    close_all();
}

LOOP_TEST(a_click_on_a_step_goes_there, 3)
{
    stepping_open_printed(&stepping);
    draw(sizes[_i][0], sizes[_i][1]);
    click_on("4 weighted_sum");
    ck_assert_str_eq(stepping_step(&stepping), "weighted_sum");
    click_on("2 scale");
    ck_assert_str_eq(stepping_step(&stepping), "scale");
    close_all();
}

LOOP_TEST(a_click_on_a_tensor_looks_at_it, 3)
{
    stepping_open_printed(&stepping);
    draw(sizes[_i][0], sizes[_i][1]);
    click_on("in  k ");
    ck_assert_str_eq(stepping_chosen(&stepping), "k[0, 0, 0]");
    click_on("out scores");
    ck_assert_str_eq(stepping_chosen(&stepping), "scores[0, 0, 0]");
    close_all();
}

TEST(in_a_scrolled_grid_the_number_under_the_mouse_is_chosen)
{
    int row, column;
    stepping_open_tiny(
        &stepping,
        (TinyShape){.batch = 1, .queries = 40, .keys = 50, .d_k = 2, .d_v = 2, .d_in = 2}, 3);
    stepping_say(&stepping, "goto score");
    draw(80, 24);
    stepping_say(&stepping, "@[0,30,37]");
    draw(80, 24);
    ck_assert(find("[", &row, &column));
    // the chosen number stands where it is clicked again, and its neighbours around it
    while (cells_at(&cells, row, column)->role != ROLE_CURRENT || text_at(row, column)[0] != '[')
        ck_assert_int_lt(++column >= cells.columns ? (column = 0, ++row) : row, cells.rows);
    ck_assert(click(row, column + 3));
    ck_assert_str_eq(stepping_chosen(&stepping), "scores[0, 30, 37]");
    ck_assert(click(row - 1, column + 3));
    ck_assert_str_eq(stepping_chosen(&stepping), "scores[0, 29, 37]");
    close_all();
}

TEST(the_wheel_scrolls)
{
    Command command;
    stepping_open_printed(&stepping);
    draw(80, 24);
    ck_assert(screen_wheel(&screen, 15, 40, 1, &command));
    ck_assert(session_apply(&stepping.session, &command, &stepping.err));
    ck_assert_str_eq(stepping_chosen(&stepping), "scores[0, 2, 0]"); // of three rows
    ck_assert(screen_wheel(&screen, 15, 40, -1, &command));
    ck_assert(session_apply(&stepping.session, &command, &stepping.err));
    ck_assert_str_eq(stepping_chosen(&stepping), "scores[0, 0, 0]");
    stepping_say(&stepping, "help");
    draw(80, 24);
    ck_assert(screen_wheel(&screen, 15, 40, 1, &command));
    ck_assert(session_apply(&stepping.session, &command, &stepping.err));
    ck_assert_int_eq(stepping.session.help.line, 3);
    close_all();
}

SLICE_TEST(every_click_on_every_screen_is_nothing_or_something_that_is_there, tiny_shape_count, 1)
{
    static const int some[][2] = {{1, 1}, {40, 12}, {63, 15}, {80, 24}, {120, 40}};
    stepping_open_tiny(&stepping, tiny_shapes[_i], 5);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        draw(some[i][0], some[i][1]);
        for (int row = -1; row <= some[i][1]; row++)
            for (int column = -1; column <= some[i][0]; column += 7)
                click(row, column); // what is refused fails
    }
    cells_finish(&cells);
    stepping_close(&stepping);
}

// --- What terminals tell of their mouse, as events. The bytes are those of "XTerm Control Sequences".

// The events that codes make after what begins the form: "wheel row column" each, separated by commas.
static const char *events_of(MouseForm form, const char *codes, size_t count)
{
    static char text[256];
    MouseReader reader = {.form = form};
    MouseEvent event;
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        reader.form = reader.form ? reader.form : form; // what begins it comes before each
        if (mouse_reader_take(&reader, (unsigned char)codes[i], &event))
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%d %d %d",
                                       length ? ", " : "", event.wheel, event.row, event.column);
    }
    return text;
}

#define DECIMAL(codes) events_of(MOUSE_DECIMAL, codes, sizeof codes - 1)

#define BYTES(codes) events_of(MOUSE_BYTES, codes, sizeof codes - 1)

TEST(the_left_button_and_the_wheel_are_events)
{
    ck_assert_str_eq(DECIMAL("0;12;5M"), "0 4 11"); // terminals count from 1, column first
    ck_assert_str_eq(DECIMAL("64;1;1M65;300;2M"), "-1 0 0, 1 1 299");
    ck_assert_str_eq(BYTES(" ,%"), "0 4 11"); // 32 + 0, 32 + 12, 32 + 5
    ck_assert_str_eq(BYTES("`!!a\377\""), "-1 0 0, 1 1 222");
}

TEST(shift_meta_and_control_change_nothing)
{
    ck_assert_str_eq(DECIMAL("4;1;1M8;1;1M16;1;1M84;1;1M"), "0 0 0, 0 0 0, 0 0 0, -1 0 0");
    ck_assert_str_eq(BYTES("4!!"), "0 0 0"); // 32 + 4 + 16
}

TEST(what_nobody_asked_for_is_over_without_an_event)
{
    ck_assert_str_eq(DECIMAL("0;12;5m"), "");                   // let go
    ck_assert_str_eq(DECIMAL("1;2;2M2;2;2M"), "");              // the other buttons
    ck_assert_str_eq(DECIMAL("32;2;2M35;2;2M"), "");            // moved, with a button and without
    ck_assert_str_eq(DECIMAL("66;2;2M67;2;2M0;1;1M"), "0 0 0"); // a wheel that turns sideways
    ck_assert_str_eq(BYTES("#!!b!!c!! !!"), "0 0 0");           // let go; sideways; pressed
}

TEST(what_is_no_such_thing_ends_it)
{
    ck_assert_str_eq(DECIMAL("0;1Mq0;1;1M"), "0 0 0"); // each of them once
    ck_assert_str_eq(DECIMAL("0;1;1;1M0;1;1M"), "0 0 0");
    ck_assert_str_eq(DECIMAL("0;0;1M0;1;0M"), ""); // there is no column 0
    ck_assert_str_eq(DECIMAL("99999999999999999999;1;1M"), "");
    ck_assert_str_eq(DECIMAL("0;99999999999999999999;1M"), "0 0 9998");
}

// --- Bytes of a terminal as the names of keys.

// The keys that bytes make, separated by spaces.
static const char *keys_of(const char *bytes)
{
    static char text[256];
    char key[KEY_NAME_MAX];
    KeyReader reader = {.count = 0};
    text[0] = '\0';
    for (; *bytes; bytes++)
        if (key_reader_take(&reader, (unsigned char)*bytes, key)) {
            strcat(text, text[0] ? " " : "");
            strcat(text, key);
        }
    return text;
}

TEST(characters_are_their_own_names)
{
    ck_assert_str_eq(keys_of("n?:"), "n ? :");
    ck_assert_str_eq(keys_of("\u00e9\uadf8\U0001F600x"),
                     "\u00e9 \uadf8 \U0001F600 x"); // 2, 3, 4, 1 bytes
}

TEST(keys_without_a_character_have_a_name)
{
    ck_assert_str_eq(keys_of(" \t\r\n\033\177\b"),
                     "Space Tab Enter Enter Escape Backspace Backspace");
    ck_assert_str_eq(keys_of("\001\014\027\037"), "^A ^L ^W ^_");
}

TEST(bytes_that_are_no_character_are_left_out)
{
    ck_assert_str_eq(keys_of("\377n\300\200n"),
                     "n n");                         // never part of UTF-8
    ck_assert_str_eq(keys_of("\355\240\200n"), "n"); // a surrogate
    ck_assert_str_eq(keys_of("\364\220\200\200n"),
                     "n"); // beyond the last character
    ck_assert_str_eq(keys_of("\352\267n\270"),
                     "n"); // the last byte came too late
    ck_assert_str_eq(keys_of("\352\267\352\267\270"),
                     "\uadf8"); // it began anew
}

SUITE("mouse")
