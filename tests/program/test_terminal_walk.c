// A person sits through the course in a real terminal: from the list into a lecture and back, in
// either language; what was done is there again, even after the program was killed.
#include "person.h"

#include "scratch.h"
#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define TELL "; printf 'code%%s\\n' \" $?\"; read line"

static Person person;

static void setup(void)
{
    scratch_open();
    setenv("XDG_STATE_HOME", scratch_folder("state"), 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("ATTNSCOPE_LESSONS", test_file("lectures"), 1);
}

static void start(const char *words)
{
    char script[256];
    snprintf(script, sizeof script, "set -m; cd /; \"$1\" %s" TELL, words);
    person_sit_down(&person, 80, 24, script);
}

TEST(the_course_leads_into_a_lecture_and_back)
{
    start("");
    person_waits_for(&person, "\u25b8   A small lecture");
    person_waits_for(&person, "read  0/4");
    person_type(&person, "\r");
    person_waits_for(&person, "1/4");
    person_type(&person, "NN");
    person_waits_for(&person, "3/4");
    person_type(&person, "q");
    person_waits_for(&person, "read  3/4");
    person_waits_for(&person, "Continue: A map");
    person_type(&person, "ㅓ"); // on the key of j
    person_waits_for(&person, "\u25b8   Another lecture");
    person_waits_for(&person, "The keyboard types Hangul");
    person_type(&person, "\033[A");
    person_waits_for(&person, "Enter start");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(the_language_may_stand_before_the_command)
{
    start("--lang ko");
    person_waits_for(&person, "Enter 시작");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
    start("--lang=ko walk 01");
    person_waits_for(&person, "좁은");
    person_leave(&person);
}

TEST(a_killed_lecture_goes_on_where_it_was)
{
    start("walk 01");
    person_waits_for(&person, "1/4");
    person_type(&person, "NN");
    person_waits_for(&person, "3/4");
    person_signal(&person, SIGKILL);
    person_waits_for(&person, "code 137");
    person_leave(&person);
    start("walk 01");
    person_waits_for(&person, "3/4");
    person_waits_for(&person, "you stopped here last time; :page 1 starts again");
    person_type(&person, ":page 1\r");
    person_waits_for(&person, "1/4");
    person_type(&person, "NNN");
    person_waits_for(&person, "4/4");
    person_type(&person, "=");
    person_waits_for(&person, "it is the last one; q quits");
    person_leave(&person);
}

TEST(without_a_display_a_page_with_a_window_shows_its_map)
{
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    start("walk other");
    person_waits_for(&person, "1/3");
    person_type(&person, " ");
    person_waits_for(&person, "2/3");
    person_waits_for(&person, "no window available; the map is below");
    person_waits_for(&person, "attn_weights, head 1");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

TEST(a_step_that_was_meant_as_a_page_is_told_and_undone)
{
    start("walk small");
    person_waits_for(&person, "1/4");
    person_type(&person, "n");
    person_waits_for(&person, "L returns");
    person_waits_for(&person, "you ran a step");
    person_type(&person, "L");
    person_waits_until_gone(&person, "L returns");
    person_leave(&person);
}

TEST(notes_in_a_second_terminal_follow_the_pages_and_the_size)
{
    static Person speaker;
    person_sit_down(&speaker, 80, 24, "set -m; cd /; \"$1\" walk small --present" TELL);
    person_waits_for(&speaker, "1/4");
    start("walk --notes");
    person_waits_for(&person, "A second paragraph of notes.");
    person_type(&speaker, "N");
    person_waits_for(&person, "2/4");
    person_waits_for(&person, "planned 4:00 of 8 min");
    person_type(&person, " "); // turns the page of the presentation
    person_waits_for(&speaker, "3/4");
    person_waits_for(&person, "3/4");
    person_type(&person, "p");
    person_waits_for(&speaker, "2/4");
    person_resize(&person, 40, 12);
    person_waits_for(&person, "2/4  A question");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
    person_leave(&speaker);
}

SUITE_WITH("terminal_walk", setup, scratch_close)
