// What comes in from a real terminal: words, pasted text, keys that nobody knows, the mouse.
#include "person.h"

#include "scratch.h"
#include "suite.h"
#include "tiny.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Person person;

static void start(void)
{
    // the exit code is written in two pieces, so that the command itself is never taken for it
    person_sit_down(
        &person, 80, 24,
        "set -m; cd /; \"$1\" trace scaled-dot-product; printf 'code%s\\n' \" $?\"; read line");
    person_waits_for(&person, "\u25b8  1 project q");
    person_waits_for(&person, "q quit");
}

TEST(words_are_typed_into_a_line_with_a_cursor)
{
    start();
    person_type(&person, ":");
    person_waits_for(&person, "Enter run");
    ck_assert(person.cursor_visible);
    person_type(&person, "goto \uadf8q"); // q is text here
    person_waits_for(&person, ":goto \uadf8q");
    person_type(&person, "\177\177sof\t");
    person_waits_for(&person, ":goto softmax");
    person_type(&person, "\r");
    person_waits_for(&person, "\u25b8  6 softmax");
    ck_assert(!person.cursor_visible);
    person_type(&person, ":next\033");
    person_waits_until_gone(&person, ":next");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

TEST(hangul_is_the_keys_beneath_it_and_text_in_a_line)
{
    start();
    person_type(&person, "ㅜ"); // n
    person_waits_for(&person, "\u25b8  2 project k");
    person_waits_for(&person, "The keyboard types Hangul");
    person_type(&person, "\u3137"); // e opens the line for a change: from there on it is text
    person_waits_for(&person, ":set");
    person_type(&person, "누ㅁ");
    person_waits_for(&person, ":set 누ㅁ");
    person_type(&person, "\033");
    person_waits_until_gone(&person, ":set");
    person_type(&person, "눈"); // s, n and s again: a page that opens, a step, and it closes
    person_waits_for(&person, "\u25b8  3 project v");
    person_waits_until_gone(&person, "deviation");
    ck_assert_ptr_null(strstr(person_sees(&person), "The keyboard types Hangul")); // it was said
    person_type(&person, "ㅂ");                                                    // q
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

TEST(lines_typed_before_come_back_in_another_run)
{
    setenv("XDG_STATE_HOME", scratch_path("state"), 1);
    start();
    person_type(&person, ":goto softmax\r");
    person_waits_for(&person, "\u25b8  6 softmax");
    person_signal(&person, SIGKILL); // it was kept already
    person_waits_for(&person, "code 137");
    person_leave(&person);
    start();
    person_type(&person, ":\033[A");
    person_waits_for(&person, ":goto softmax");
    person_type(&person, "\r");
    person_waits_for(&person, "\u25b8  6 softmax");
    person_leave(&person);
    remove(scratch_path("state/attnscope/history"));
    remove(scratch_path("state/attnscope"));
}

TEST(what_is_pasted_is_text_and_never_commands)
{
    start();
    person_pastes(&person, "nq\nnq\033[Bq");
    person_type(&person, "n");
    person_waits_for(&person, "\u25b8  2 project k");
    person_type(&person, ":");
    person_waits_for(&person, "Enter run");
    person_pastes(&person, "goto\tscore\n");
    person_waits_for(&person, ":gotoscore");
    ck_assert_ptr_nonnull(strstr(person_sees(&person), "Enter run"));
    person_type(&person, "\033");
    person_waits_until_gone(&person, "Enter run");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert_ptr_nonnull(strstr(person.bytes, "\033[?2004l"));
    person_leave(&person);
}

TEST(keys_that_nobody_knows_do_nothing)
{
    start();
    // keys with modifiers, a report of the cursor, half a character, bytes that are none
    person_type(&person, "\033[99;5u\033[1;99Q\033[12;40R\033Ox\033[<q\xed\xff\xc0");
    person_type(&person, "n");
    person_waits_for(&person, "\u25b8  2 project k");
    person_type(&person, "\033n"); // Escape and a key
    person_waits_for(&person, "\u25b8  3 project v");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

TEST(the_mouse_chooses_steps_tensors_and_numbers)
{
    int row, column;
    setenv("TERM", "screen-256color", 1); // libvterm knows its way to ask for the mouse
    start();
    ck_assert(person.mouse);
    person_finds(&person, "4 score", &row, &column);
    person_clicks(&person, row, column);
    person_waits_for(&person, "scores[0, 0, 0] = ");
    person_finds(&person, "in  k ", &row, &column);
    person_clicks(&person, row, column + 4);
    person_waits_for(&person, "k[0, 0, 0] = ");
    person_finds(&person, "0.6540", &row, &column); // document 002's K, row 2, column 1
    person_clicks(&person, row, column + 3);
    person_waits_for(&person, "k[0, 2, 1] = 0.65");
    person_turns_wheel(&person, row, column, -1);
    person_waits_for(&person, "k[0, 0, 1] = ");
    person_clicks(&person, 0, 0); // nothing there
    person_clicks(&person, 23, 79);
    person_type(&person, ":mouse off\r?");
    person_waits_for(&person, "what it does");
    ck_assert(!person.mouse);
    person_leave(&person);
    setenv("NO_MOUSE", "1", 1);
    start();
    ck_assert(!person.mouse);
    person_leave(&person);
}

TEST(the_mouse_is_understood_as_most_terminals_tell_it)
{
    char click[64];
    int row, column;
    setenv("TERM", "xterm-256color", 1);
    start();
    person_finds(&person, "6 softmax", &row, &column);
    snprintf(click, sizeof click, "\033[<0;%d;%dM\033[<0;%d;", column + 1, row + 1, column + 1);
    person_type(&person, click);
    person_waits_for(&person, "\u25b8  6 softmax"); // while the rest of the release is on its way
    snprintf(click, sizeof click, "%dmn\033[<66;1;1M", row + 1);
    person_type(&person, click);
    person_waits_for(&person, "\u25b8  7 "); // and a wheel that turns sideways keeps nothing back
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

// Keys as terminals send them, words, pasted text, half sequences and sizes, in no sensible order. `q`
// and what a terminal makes a signal of are left out, so that only the end ends it.
static const char *const pieces[] = {
    // clang-format off
    "n", "p", "o", "m", "v", "s", "d", "\t", "\033[Z", "\033[A", "\033OB", "\033[C", "\033OD",
    "\033[5~", "\033[6~", "\033[H", "\033[F", "\033[3~", "\033", "\r", "\177", ":goto ",
    ":depth t\t\r", ":nxet\r", "/ > 0.1\r", ":@[0,0,0]\r", "\uadf8", "\377", "\033[99;9u",
    "\033[<0;30;9M", "\033[<64;30;9M", "\033[200~nnn\033[201~", "?", "a", "[", "]", "r", "c",
    "t", "g", "G", "\014", "\025", "\027", "J", "K", "1", "2",
    // clang-format on
};

TEST(random_keys_and_sizes_end_in_a_clean_quit)
{
    uint64_t state = 11;
    start();
    for (int i = 0; i < 1500; i++) {
        person_type(&person, pieces[tiny_index(&state, sizeof pieces / sizeof *pieces)]);
        if (tiny_index(&state, 8) == 0)
            person_resize(&person, 1 + (int)tiny_index(&state, 200),
                          1 + (int)tiny_index(&state, 60));
        if (i % 100 == 99) // before what nobody has read stops everything
            person_watches(&person, 1);
    }
    person_resize(&person, 80, 24);
    person_type(&person, "\033[201~\033"); // out of whatever is open
    person_waits_for(&person, "q quit");
    person_type(&person, "q");
    person_waits_for_bytes(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(a_window_that_is_closed_while_nobody_reads_ends_it)
{
    start();
    for (int i = 0; i < 400; i++) // more screens than a terminal holds back
        person_type(&person, i % 2 ? "?" : "\014");
    person_closes_window(&person);
}

TEST(korean_words_are_aligned_without_a_locale)
{
    int row, column, columns;
    setenv("LC_ALL", "C", 1);
    person_sit_down(&person, 80, 24,
                    "cd /; \"$1\" trace --text '\uadf8\ub294 \uadf8\ub140\uc5d0\uac8c \ucc45\uc744 "
                    "\uc8fc\uc5c8\ub2e4.'");
    person_waits_for(&person, "q quit");
    person_type(&person, ":goto softmax\r");
    person_waits_for(&person, "\uadf8\ub140\uc5d0\uac8c"); // a word of a key and of a query
    person_waits_for(&person, "weights[");
    for (row = 1; row < 22; row++) { // the line beside the pipeline is straight
        for (column = 0; person_sees_at(&person, row, column, &columns) != 0x2502; column++)
            ck_assert_int_lt(column, 40);
        ck_assert_uint_eq(person_sees_at(&person, 1, column, &columns), 0x2502);
    }
    person_leave(&person);
}

SUITE_WITH("terminal_input", scratch_open, scratch_close)
