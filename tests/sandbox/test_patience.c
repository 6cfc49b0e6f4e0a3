// How long a process is waited for: whether it computes, waits, or is not let run.
#include "worker_internal.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "suite.h"

static pid_t process;

static void setup(void)
{
    process = 0;
}

static void teardown(void)
{
    if (process > 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
    }
}

static void begin(bool computes)
{
    process = fork();
    ck_assert_int_ge(process, 0);
    if (process > 0)
        return;
    for (volatile int again = 1; again;)
        if (!computes)
            pause();
    _exit(0);
}

static TimeLimitEnd follow(TimeLimit time_limit, bool is_heard)
{
    while (time_limit_goes_on(&time_limit, process, is_heard))
        sched_yield();
    return time_limit.end;
}

START_TEST(what_computes_uses_its_time_up)
{
    begin(true);
    TimeLimit time_limit = time_limit_begin(process, 60, 1000000, 0);
    ck_assert_int_eq(follow(time_limit, true), TIME_LIMIT_COMPUTED);
    ck_assert_int_ge(time_limit_computed(&time_limit, process), 60);
}

START_TEST(what_sleeps_uses_its_waiting_up_and_no_processor_time)
{
    begin(false);
    TimeLimit time_limit = time_limit_begin(process, 60, 100, 0);
    ck_assert_int_eq(follow(time_limit, true), TIME_LIMIT_WAITED);
    ck_assert_int_lt(time_limit_computed(&time_limit, process), 60);
}

START_TEST(what_is_stopped_waits_too)
{
    begin(true);
    kill(process, SIGSTOP);
    ck_assert_int_eq(waitpid(process, NULL, WUNTRACED), process);
    ck_assert_int_eq(follow(time_limit_begin(process, 1000, 100, 0), true), TIME_LIMIT_WAITED);
}

// A process whose words nobody takes may wait for us.
START_TEST(a_wait_for_us_is_not_held_against_it)
{
    begin(false);
    TimeLimit time_limit = time_limit_begin(process, 60, 100, 0);
    time_limit.guard = 300;
    ck_assert_int_eq(follow(time_limit, false), TIME_LIMIT_GUARD);
}

START_TEST(waiting_is_counted_from_one_call_to_the_next)
{
    begin(false);
    TimeLimit time_limit = time_limit_begin(process, 60, 1000000, 999900);
    ck_assert_int_eq(follow(time_limit, true), TIME_LIMIT_WAITED);
}

START_TEST(a_process_that_is_not_there_yet_has_done_nothing)
{
    TimeLimit time_limit = time_limit_begin(0, 60, 100, 0);
    time_limit.guard = 100;
    ck_assert_int_eq(time_limit_computed(&time_limit, 0), -1);
    ck_assert_int_eq(follow(time_limit, true), TIME_LIMIT_GUARD);
}

int main(void)
{
    Suite *suite = suite_create("time_limit");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, what_computes_uses_its_time_up);
    tcase_add_test(tests, a_wait_for_us_is_not_held_against_it);
    tcase_add_test(tests, a_process_that_is_not_there_yet_has_done_nothing);
    // Without /proc nobody can see that a process sleeps: it has all of its time.
    if (access("/proc/self/stat", R_OK) == 0) {
        tcase_add_test(tests, what_sleeps_uses_its_waiting_up_and_no_processor_time);
        tcase_add_test(tests, what_is_stopped_waits_too);
        tcase_add_test(tests, waiting_is_counted_from_one_call_to_the_next);
    }
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
