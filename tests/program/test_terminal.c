// The program in a real terminal: it draws, steps, follows every size, and gives the terminal back
// however it ends.
#include "person.h"

#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The exit code is written in two pieces, so that the command itself is never taken for it.
#define RUN "set -m; trap : INT; cd /; \"$1\" trace "
#define TELL "; printf 'code%s\\n' \" $?\"; read line"

static Person person;

static void start(void)
{
    person_sit_down(&person, 80, 24, RUN "scaled-dot-product" TELL);
    person_waits_for(&person, "\u25b8  1 project q");
    person_waits_for(&person, "q quit");
}

static void check_owns_terminal(void)
{
    ck_assert(person.alternate_screen);
    ck_assert(!person.cursor_visible);
    ck_assert(!person_has_terminal_back(&person));
}

TEST(it_draws_the_first_step_and_goes_on_with_every_key)
{
    start();
    check_owns_terminal();
    // document 002's first query
    person_waits_for(&person, "[-0.1392] 0.5523  0.2820  0.0902");
    person_type(&person, "n");
    person_waits_for(&person, "\u25b8  2 project k");
    person_type(&person, "\033[B"); // arrows, in both of the ways that terminals send them
    person_waits_for(&person, "k[0, 1, 0] = ");
    person_type(&person, "\033OC");
    person_waits_for(&person, "k[0, 1, 1] = ");
    person_type(&person, ">");
    person_waits_for(&person, "\u25b8  7 weighted_sum");
    person_type(&person, "?");
    person_waits_for(&person, "what it does");
    person_type(&person, "\033");
    person_waits_for(&person, "\u25b8  7 weighted_sum");
    person_leave(&person);
}

TEST(help_is_broken_at_spaces_and_goes_on_below_its_text)
{
    person_sit_down(&person, 80, 24, "cd /; \"$1\" help grade | cat; \"$1\" help grade" TELL);
    person_waits_for(&person, "exercises/hints.txt in\nthe submission records the hints used");
    person_leave(&person);
    person_sit_down(&person, 64, 24, "cd /; \"$1\" list mistakes" TELL);
    person_waits_for(&person, "The gradient of the bias is\n"
                              "                               summed over");
    person_leave(&person);
}

TEST(every_size_is_drawn_and_none_breaks_it)
{
    start();
    person_type(&person, "n");
    person_resize(&person, 200, 60);
    person_waits_for(&person, "where from");
    person_resize(&person, 39, 12);
    person_waits_for(&person, "too small: 39x12");
    person_resize(&person, 1, 1);
    person_watches(&person, 1);
    person_resize(&person, 80, 24);
    person_waits_for(&person, "\u25b8  2 project k");
    person_type(&person, "n");
    person_waits_for(&person, "\u25b8  3 project v");
    person_leave(&person);
}

TEST(a_quick_row_of_sizes_and_keys_ends_in_the_right_screen)
{
    start();
    for (int i = 0; i < 60; i++) {
        person_resize(&person, 1 + i * 37 % 190, 1 + i * 17 % 60);
        person_type(&person, i % 2 ? "n" : "p");
    }
    person_resize(&person, 80, 24);
    person_type(&person, "<");
    person_waits_for(&person, "\u25b8  1 project q");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

TEST(quitting_gives_the_terminal_back)
{
    start();
    check_owns_terminal();
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(control_c_ends_it_and_gives_the_terminal_back)
{
    start();
    person_type(&person, "\003");
    person_waits_for(&person, "code 130");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

static const struct {
    int number;
    const char *code; // 128 and the signal's number; a sanitizer may turn a crash into an abort
} signals[] = {{SIGINT, "code 130"}, {SIGTERM, "code 143"}, {SIGHUP, "code 129"},
               {SIGSEGV, "code 13"}, {SIGABRT, "code 134"}, {SIGQUIT, "code 131"}};

LOOP_TEST(a_signal_ends_it_by_that_signal_and_gives_the_terminal_back,
          sizeof signals / sizeof *signals)
{
    start();
    check_owns_terminal();
    person_signal(&person, signals[_i].number);
    person_waits_for(&person, signals[_i].code);
    ck_assert_msg(person_has_terminal_back(&person), "signal %d", signals[_i].number);
    person_leave(&person);
}

#define STOP_AND_GO_ON "; printf '\\r\\nstop%s\\n' ped; read line; fg >/dev/null"

TEST(control_z_gives_the_terminal_back_until_it_goes_on)
{
    person_sit_down(&person, 80, 24, RUN "scaled-dot-product" STOP_AND_GO_ON TELL);
    person_waits_for(&person, "q quit");
    person_type(&person, "n");
    person_waits_for(&person, "\u25b8  2 project k");
    person_type(&person, "\032");
    person_waits_for(&person, "stopped");
    ck_assert(person_has_terminal_back(&person));
    person_resize(&person, 200, 60);
    person_type(&person, "\n");
    person_waits_for(&person, "\u25b8  2 project k");
    person_waits_for(&person, "where from"); // there is room for it now
    check_owns_terminal();
    ck_assert(person.mouse);
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(stopped_by_force_it_draws_itself_again_when_it_goes_on)
{
    person_sit_down(&person, 80, 24, RUN "scaled-dot-product" STOP_AND_GO_ON TELL);
    person_waits_for(&person, "q quit");
    person_signal(&person, SIGSTOP);
    person_waits_for(&person, "stopped"); // written over the screen that was left
    person_type(&person, "\n");
    person_waits_until_gone(&person, "stopped");
    person_waits_for(&person, "\u25b8  1 project q");
    ck_assert(person.mouse);
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(control_z_that_the_shell_ignores_stays_ignored)
{
    person_sit_down(&person, 80, 24, "trap '' TSTP; " RUN "scaled-dot-product" TELL);
    person_waits_for(&person, "q quit");
    person_type(&person, "\032");
    person_watches(&person, 1);
    person_type(&person, "n");
    person_waits_for(&person, "\u25b8  2 project k");
    person_leave(&person);
}

TEST(when_its_window_is_closed_it_ends)
{
    start();
    person_closes_window(&person);
}

TEST(a_terminal_that_does_not_read_for_long_gets_the_last_screen)
{
    start();
    for (int i = 0; i < 300; i++)
        person_type(&person, "np");
    person_type(&person, ">");
    person_waits_for(&person, "\u25b8  7 weighted_sum");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

TEST(colours_are_left_out_where_no_color_is_set)
{
    start();
    ck_assert_ptr_nonnull(strstr(person.bytes, "\033[36m")); // keys are cyan
    person_leave(&person);
    setenv("NO_COLOR", "1", 1);
    start();
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert_ptr_null(strstr(person.bytes, "36m"));
    ck_assert_ptr_null(strstr(person.bytes, "49m")); // the colour of the background
    person_leave(&person);
}

LOOP_TEST(a_terminal_that_cannot_place_text_is_refused_in_words, 3)
{
    static const char *const types[] = {"dumb", "no-such-terminal", ""};
    setenv("TERM", types[_i], 1);
    person_sit_down(&person, 200, 10, RUN "scaled-dot-product" TELL);
    person_waits_for(&person, "code 1");
    ck_assert_ptr_nonnull(strstr(person_sees(&person), "try TERM=xterm-256color"));
    ck_assert_ptr_null(strchr(person.bytes, '\033'));
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(korean_words_keep_the_columns_aligned_in_an_empty_locale)
{
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    unsetenv("LANG");
    person_sit_down(&person, 80, 24,
                    RUN "--text '\uadf8\ub140\uac00 \ucc45\uc744 \uc8fc\uc5c8\ub2e4'" TELL);
    person_waits_for(&person, "\uadf8\ub140\uac00");
    person_waits_for(&person, "q quit");
    int wide = 0, rule = 0, columns;
    while (person_sees_at(&person, 1, rule, &columns) != 0x2502)
        ck_assert_int_lt(++rule, 80);
    for (int row = 1; row < 20; row++) {
        ck_assert_uint_eq(person_sees_at(&person, row, rule, &columns), 0x2502);
        for (int column = rule; column < 80; column++)
            wide += person_sees_at(&person, row, column, &columns) == 0xadf8 && columns == 2;
    }
    ck_assert_int_ge(wide, 1);
    person_leave(&person);
}

// How often the program gave up the processor to wait; -1 where the system does not tell.
static long waits_of(pid_t process)
{
    char path[64], line[256];
    long count = -1;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "voluntary_ctxt_switches: %ld", &count);
    if (status)
        fclose(status);
    return count;
}

// A second without waking up, once it has finished its beginning; on a busy machine that takes a while.
TEST(an_idle_stepper_does_not_wake_up)
{
    start();
    bool slept = false;
    for (int seconds = 0; !slept && seconds < 60; seconds++) {
        long before = waits_of(person_program(&person));
        person_watches(&person, 10);
        slept = waits_of(person_program(&person)) == before;
    }
    ck_assert(slept);
    person_leave(&person);
}

SUITE("terminal")
