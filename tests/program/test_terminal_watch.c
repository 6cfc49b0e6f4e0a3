// A learner watches an exercise in a real terminal: saves are checked, keys work, and the terminal is
// theirs again afterwards.
#include "person.h"

#include "scratch.h"
#include "suite.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TELL "; printf 'code%%s\\n' \" $?\"; read line"

static Person person;

static void setup(void)
{
    scratch_open();
    setenv("XDG_STATE_HOME", scratch_folder("state"), 1);
    setenv("XDG_CACHE_HOME", scratch_folder("cache"), 1);
    setenv("LC_ALL", "C.UTF-8", 1);
}

// Sits down before an exercise of a new workspace.
static void start_at(const char *exercise, const char *title)
{
    char script[1024];
    snprintf(script, sizeof script,
             "set -m; cd '%s'; \"$1\" init work; cd work; \"$1\" watch %s" TELL, scratch_path("."),
             exercise);
    person_sit_down(&person, 100, 30, script);
    person_waits_for(&person, title);
}

static void start(void)
{
    start_at("scale", "Exercise 9 of 31: scale");
}

static void save(const char *divisor)
{
    char text[1024];
    snprintf(text, sizeof text,
             "#include \"attnscope.h\"\n"
             "void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)\n{\n"
             "    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)\n"
             "    for (ptrdiff_t h = 0; h < scores->shape[1]; h++)\n"
             "    for (ptrdiff_t i = 0; i < scores->shape[2]; i++)\n"
             "    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)\n"
             "        *tensor_at4(scores_scaled, b, h, i, j) =\n"
             "            *tensor_at4(scores, b, h, i, j) / %s;\n}\n",
             divisor);
    scratch_write("work/exercises/scale.c", text, strlen(text));
}

TEST(what_is_saved_is_checked)
{
    start();
    save("d_k");
    person_waits_for(&person, "scale: 0 of 10 points");
    person_type(&person, "ㅗ"); // h, while the keyboard writes Hangul
    person_waits_for(&person, "each letter counts as its key");
    person_waits_for(&person, "hint 1 of 3");
    save("sqrtf(d_k)");
    person_waits_for(&person, "scale: 10 of 10 points");
    person_type(&person, "n");
    person_waits_for(&person, "Exercise 10 of 31");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

// The hints of `attnscope hint`, of the check that has ended.
TEST(hints_tell_another_formula_in_steps)
{
    static const char text[] =
        "#include \"attnscope.h\"\n"
        "void score(const Tensor *q, const Tensor *k, Tensor *scores)\n{\n"
        "    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)\n"
        "    for (ptrdiff_t h = 0; h < scores->shape[1]; h++)\n"
        "    for (ptrdiff_t i = 0; i < scores->shape[2]; i++)\n"
        "    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {\n"
        "        float sum = 0.0f;\n"
        "        for (ptrdiff_t d = 0; d < q->shape[3]; d++)\n"
        "            sum += *tensor_at4(q, b, h, i, d) * *tensor_at4(k, b, h, j, 0);\n"
        "        *tensor_at4(scores, b, h, i, j) = sum;\n    }\n}\n";
    start_at("score", "Exercise 8 of 31: score");
    // The first check may read what is saved before it ends; another one follows and takes the hint's place.
    person_waits_for(&person, "waiting for exercises/score.c");
    scratch_write("work/exercises/score.c", text, strlen(text));
    person_waits_for(&person, "score: 0 of 10 points");
    person_type(&person, "h");
    person_waits_for(&person, "differs in the step score");
    person_waits_for(&person, "hint 1 of 3");
    person_type(&person, "h");
    person_waits_for(&person, "an index is always 0");
    person_type(&person, "h");
    person_waits_for(&person, "yours: ");
    person_waits_for(&person, "k[b,h,j,0]");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

static int entries(const char *folder)
{
    int count = -2; // "." and ".."
    DIR *listing = opendir(folder);
    ck_assert_ptr_nonnull(listing);
    while (readdir(listing))
        count++;
    closedir(listing);
    return count;
}

// The loop takes seconds to be given up; nobody waits for that.
TEST(keys_are_heard_during_a_check_which_leaves_nothing_behind)
{
    const char *temporary = scratch_folder("temporary");
    setenv("TMPDIR", temporary, 1);
    start();
    person_waits_for(&person, "waiting for");
    save("sqrtf(d_k); for (;;)");
    for (int polls = 0; polls < 600 && entries(temporary) == 0; polls++)
        person_watches(&person, 1); // until the judge has been started
    person_type(&person, "h");
    person_waits_for(&person, "hint 1 of 3");
    person_waits_for(&person, "checking ...");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    ck_assert_int_eq(entries(temporary), 0);
    person_leave(&person);
}

TEST(a_signal_leaves_the_terminal_as_it_was)
{
    start();
    person_signal(&person, SIGTERM);
    person_waits_for(&person, "code 143");
    ck_assert(person_has_terminal_back(&person));
    person_leave(&person);
}

TEST(any_size_will_do)
{
    start();
    person_resize(&person, 20, 6);
    person_waits_for(&person, "9/31  scale");
    person_resize(&person, 100, 30);
    person_waits_for(&person, "Exercise 9 of 31: scale");
    person_type(&person, "q");
    person_waits_for(&person, "code 0");
    person_leave(&person);
}

SUITE_WITH("terminal_watch", setup, scratch_close)
