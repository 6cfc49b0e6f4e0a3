// A person watches a layer learn in a real terminal, takes a head away, leaves and goes on.
#include "person.h"

#include "scratch.h"
#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TELL "; printf 'code%%s\\n' \" $?\"; read line"

static Person person;

static void setup(void)
{
    scratch_open();
    setenv("LC_ALL", "C.UTF-8", 1);
}

static void start_titled(int columns, int rows, const char *options, const char *title)
{
    char script[1024];
    snprintf(script, sizeof script, "set -m; cd '%s'; \"$1\" train --threads 1 %s" TELL,
             scratch_path("."), options);
    person_sit_down(&person, columns, rows, script);
    person_waits_for(&person, title);
}

static void start(int columns, int rows, const char *options)
{
    start_titled(columns, rows, options, "training  step");
}

TEST(heads_form_and_one_is_taken_away)
{
    start(110, 34, "--steps 12");
    person_waits_for(&person, "done");
    person_waits_for(&person, "step 10");
    person_type(&person, "1");
    person_waits_for(&person, "no head 1");
    person_type(&person, "ㅜ"); // n, while the keyboard writes Hangul
    person_waits_for(&person, "in update 12:");
    person_type(&person, "\r-2");
    person_waits_for(&person, "w = -2_");
    person_type(&person, "\r");
    person_waits_for(&person, "Changed by hand");
    person_type(&person, "q");
    person_waits_for(&person, "weight on the answer");
    person_waits_for(&person, "A weight was changed by hand:");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

// 80 x 24 has room for a whole sentence; what is typed to go on is printed, and goes on: as a shell
// takes it.
TEST(who_leaves_is_told_how_to_go_on)
{
    start(80, 24, "--steps 900 --out 't 1.safetensors'");
    person_waits_for(&person, "singer");
    person_type(&person, " ");
    person_waits_for(&person, "Paused.");
    person_waits_for(&person, "Space resume");
    person_type(&person, "sq");
    person_waits_for(&person, "attnscope train --steps 900 --out 't 1.safetensors'");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
    start(80, 24, "--steps 900 --out 't 1.safetensors'");
    person_waits_for_bytes(&person, "resuming from step");
    person_leave(&person);
}

// The locale of these tests would choose English.
TEST(who_leaves_in_korean_goes_on_in_korean)
{
    start_titled(80, 24, "--steps 900 --lang ko --out k.safetensors", "학습  스텝");
    person_type(&person, " ");
    person_waits_for(&person, "멈췄습니다.");
    person_type(&person, "q");
    person_waits_for(&person, "attnscope --lang ko train --steps 900 --out k.safetensors");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

TEST(two_trainings_are_seen_beside_each_other)
{
    start_titled(110, 34, "--steps 12 --compare 'scale none'", "two trainings  step");
    person_waits_for(&person, "scale none");
    person_waits_for(&person, "Both are done.");
    person_type(&person, "q");
    person_waits_for(&person, "the recipe        loss");
    person_waits_for(&person, "who     right 0.");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(a_rate_of_1000_stops_with_the_step)
{
    start(110, 34, "--rate 1000");
    person_waits_for(&person, "step 2: the loss is infinite or NaN");
    person_type(&person, "q");
    person_waits_for(&person, "code 1");
    person_leave(&person);
}

TEST(any_size_will_do_and_a_signal_restores_the_terminal)
{
    setenv("NO_COLOR", "1", 1);
    start(110, 34, "--steps 900");
    person_type(&person, " ");
    person_waits_for(&person, "Paused.");
    person_resize(&person, 20, 6);
    person_waits_until_gone(&person, "what head 0 looks at");
    person_resize(&person, 110, 34);
    person_waits_for(&person, "what head 0 looks at");
    person_signal(&person, SIGTERM);
    person_waits_for(&person, "code 143");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
    unsetenv("NO_COLOR");
}

TEST(lines_are_told_when_lines_are_asked)
{
    char script[1024];
    snprintf(script, sizeof script, "\"$1\" train --steps 1 --threads 1 --lines" TELL);
    person_sit_down(&person, 110, 34, script);
    person_waits_for(&person, "step 1   loss");
    person_waits_for(&person, "code 0");
    ck_assert(!person.alternate_screen);
    person_leave(&person);
}

SUITE_WITH("terminal_train", setup, scratch_close)
