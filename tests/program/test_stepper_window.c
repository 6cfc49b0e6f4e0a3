// The stepper in a real terminal with its window on a real display, Xvfb: what is chosen in one is
// chosen in the other, and nothing that happens to the window costs the terminal.
#include "person.h"

#include "suite.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN "cd /; \"$1\" trace four-heads; printf 'code%s\\n' \" $?\"; read line"
#define WINDOW "$(xdotool search --onlyvisible --name ' - attnscope$' | head -n 1)"

enum { TRIES_MAX = 1000, TRY_MILLISECONDS = 100 };

static Person person;
static pid_t display;

// Runs words of a shell, silently; true when it is well.
static bool do_words(const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words - 32, format, arguments);
    va_end(arguments);
    strcat(words, " >/dev/null 2>&1");
    return system(words) == 0;
}

// Without -noreset the server begins anew whenever its last client leaves, which xdotool, asking
// for the window, is until the window is there; and refuses who comes meanwhile.
static void open_display(void)
{
    int number[2];
    char name[16] = ":";
    ck_assert_int_eq(pipe(number), 0);
    display = fork();
    if (display == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 2);
        dup2(number[1], 5);
        execlp("Xvfb", "Xvfb", "-noreset", "-displayfd", "5", "-screen", "0", "1400x1050x24",
               "-nolisten", "tcp", (char *)NULL);
        _exit(127);
    }
    close(number[1]);
    ck_assert_int_gt(read(number[0], name + 1, sizeof name - 2), 0);
    close(number[0]);
    name[strcspn(name, "\n")] = '\0';
    setenv("DISPLAY", name, 1);
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("SDL_VIDEODRIVER");
}

static void close_display(void)
{
    if (display > 0) {
        kill(display, SIGTERM);
        waitpid(display, NULL, 0);
    }
    display = 0;
}

static void wait_for_window(bool shown)
{
    int tries = 0;
    while (do_words("test -n \"" WINDOW "\"") != shown && tries++ < TRIES_MAX)
        poll(NULL, 0, TRY_MILLISECONDS);
    ck_assert_msg(tries < TRIES_MAX, "the window does not %s; the terminal shows\n%s",
                  shown ? "appear" : "go", person_sees(&person));
}

static void press_in_window(const char *key)
{
    ck_assert(do_words("xdotool key %s", key));
}

// The stepper at softmax, with its window. Nothing manages windows here: keys go where the focus was
// put, once the window has taken it; so the cursor is sent to the end of its row until it arrives. One
// back again, and every key before it has been done.
static void open_both(void)
{
    person_sit_down(&person, 100, 30, RUN);
    person_waits_for(&person, "q quit");
    person_type(&person, ":goto softmax\r");
    person_waits_for(&person, "attn_weights[0, 0, 0, 0] = ");
    person_type(&person, "w");
    wait_for_window(true);
    for (int tries = 0; !strstr(person_sees(&person), "[0, 0, 0, 2] = ") && tries < TRIES_MAX;
         tries++) {
        do_words("xdotool mousemove 5 5 windowfocus \"" WINDOW "\" key Right");
        person_watches(&person, 2);
    }
    person_waits_for(&person, "attn_weights[0, 0, 0, 2] = ");
    press_in_window("Left");
    person_waits_for(&person, "attn_weights[0, 0, 0, 1] = ");
    person_type(&person, "\033[H");
    person_waits_for(&person, "attn_weights[0, 0, 0, 0] = ");
}

static void leave(void)
{
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
    close_display();
}

// The window goes one cell on from where the terminal went.
START_TEST(a_cell_chosen_in_the_terminal_is_chosen_in_the_window)
{
    open_display();
    open_both();
    person_type(&person, "jl");
    person_waits_for(&person, "attn_weights[0, 0, 1, 1] = 0.36774"); // document 002's first head
    press_in_window("Right");
    person_waits_for(&person, "attn_weights[0, 0, 1, 2] = ");
    person_type(&person, "]");
    person_waits_for(&person, "attn_weights[0, 1, 1, 2] = ");
    press_in_window("Up");
    person_waits_for(&person, "attn_weights[0, 1, 0, 2] = ");
    leave();
}

// The grid has two maps a row: the lower right one is head 3.
START_TEST(a_click_in_the_window_chooses_in_the_terminal)
{
    open_display();
    open_both();
    ck_assert(do_words("eval \"$(xdotool getwindowgeometry --shell \"" WINDOW "\")\"; "
                       "xdotool mousemove $((X + WIDTH * 62 / 100)) $((Y + HEIGHT * 60 / 100)) "
                       "click 1"));
    person_waits_for(&person, "attn_weights[0, 3, ");
    press_in_window("bracketright");
    person_waits_for(&person, "attn_weights[0, 0, ");
    leave();
}

START_TEST(a_step_in_the_terminal_shows_its_tensor_in_the_window)
{
    open_display();
    open_both();
    person_type(&person, "n");
    person_waits_for(&person, "context_heads[0, 0, 0, 0] = ");
    press_in_window("Right");
    person_waits_for(&person, "context_heads[0, 0, 0, 1] = ");
    leave();
}

static void wait_for_title(const char *title)
{
    int tries = 0;
    while (!do_words("test \"$(xdotool getwindowname \"" WINDOW "\")\" = '%s'", title) &&
           tries++ < TRIES_MAX)
        poll(NULL, 0, TRY_MILLISECONDS);
    ck_assert_msg(tries < TRIES_MAX, "the window is not called %s", title);
}

// What a list of windows shows of it is its title.
START_TEST(a_window_whose_numbers_are_changed_says_so_in_its_title)
{
    open_display();
    open_both();
    wait_for_title("four-heads - attnscope");
    person_type(&person, ":set attention.scale=none\r");
    wait_for_title("four-heads, changed - attnscope");
    person_type(&person, "u");
    wait_for_title("four-heads - attnscope");
    leave();
}

START_TEST(a_window_that_is_closed_costs_nothing_and_opens_again)
{
    open_display();
    open_both();
    press_in_window("q");
    wait_for_window(false);
    person_type(&person, "j");
    person_waits_for(&person, "attn_weights[0, 0, 1, 0] = ");
    person_type(&person, "w");
    wait_for_window(true);
    person_type(&person, "w");
    wait_for_window(false);
    person_type(&person, "wwwwww");
    person_type(&person, "j");
    person_waits_for(&person, "attn_weights[0, 0, 2, 0] = ");
    leave();
}

START_TEST(when_the_stepper_ends_its_window_does)
{
    open_display();
    open_both();
    person_signal(&person, SIGKILL);
    wait_for_window(false);
    person_leave(&person);
    close_display();
}

START_TEST(a_display_that_dies_costs_a_sentence)
{
    open_display();
    open_both();
    close_display();
    person_waits_for(&person, "the window closed unexpectedly");
    person_type(&person, "j");
    person_waits_for(&person, "attn_weights[0, 0, 1, 0] = ");
    person_type(&person, "w");
    person_waits_for(&person, "the display cannot be used");
    leave();
}

START_TEST(without_a_display_the_terminal_says_what_else_there_is)
{
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    person_sit_down(&person, 200, 30, RUN);
    person_waits_for(&person, "q quit");
    person_type(&person, "w");
    person_waits_for(&person, "no display (neither");
    person_waits_for(&person, "--png");
    leave();
}

int main(void)
{
    if (suite_skips_without("Xvfb") || suite_skips_without("xdotool"))
        return EXIT_SUCCESS;
    Suite *suite = suite_create("stepper_window");
    TCase *cases = tcase_create("window");
    tcase_add_test(cases, a_cell_chosen_in_the_terminal_is_chosen_in_the_window);
    tcase_add_test(cases, a_click_in_the_window_chooses_in_the_terminal);
    tcase_add_test(cases, a_step_in_the_terminal_shows_its_tensor_in_the_window);
    tcase_add_test(cases, a_window_whose_numbers_are_changed_says_so_in_its_title);
    tcase_add_test(cases, a_window_that_is_closed_costs_nothing_and_opens_again);
    tcase_add_test(cases, when_the_stepper_ends_its_window_does);
    tcase_add_test(cases, a_display_that_dies_costs_a_sentence);
    tcase_add_test(cases, without_a_display_the_terminal_says_what_else_there_is);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
