// What a submission may take: never more than its minute, whatever its exercises do, and enough for
// whoever only computes.
#include "class.h"

#include "suite.h"

enum { EXERCISES = 16, MINUTE = 60 * 1000 };

// How many of so many exercises get a share when each takes these parts (in percent) of what it gets for
// compiling and for running. `most`: what all of them can have taken, in milliseconds.
static int judged(int exercises, int compiling, int running, long *most)
{
    Budget budget = budget_open();
    int count = 0;
    *most = 0;
    while (count < exercises && budget_share(&budget)) {
        long compiled = 2L * budget.compile_seconds * 10 * compiling;
        long ran = 2L * budget.time_limit * running / 100;
        *most = budget.spent + 2L * budget.compile_seconds * 1000 + 2L * budget.time_limit;
        budget_spend(&budget, compiled, ran);
        count++;
    }
    return count;
}

TEST(a_submission_ends_within_its_minute_whatever_it_does)
{
    long most;
    for (int compiling = 0; compiling <= 100; compiling++)
        for (int running = 0; running <= 100; running++) {
            int count = judged(1000, compiling, running, &most);
            ck_assert_msg(most <= MINUTE, "%d exercises that take %d and %d percent: %ld ms", count,
                          compiling, running, most);
        }
}

TEST(who_wastes_all_of_it_again_and_again_gets_less_and_less)
{
    Budget budget = budget_open();
    ck_assert(budget_share(&budget));
    ck_assert_int_eq(budget.compile_seconds, 8);
    ck_assert_int_eq(budget.time_limit, 2500);
    budget_spend(&budget, 16000, 5000); // 21.0 s are gone
    ck_assert(budget_share(&budget));
    ck_assert_int_eq(budget.compile_seconds, 4);
    ck_assert_int_eq(budget.time_limit, 1250);
    budget_spend(&budget, 8000, 2500); // 31.5 s
    budget_spend(&budget, 4000, 1250); // 36.75 s
    for (int i = 0; i < 7; i++) {      // 3 s each: 57.75 s
        ck_assert(budget_share(&budget));
        ck_assert_int_eq(budget.compile_seconds, 1);
        ck_assert_int_eq(budget.time_limit, 500);
        budget_spend(&budget, 2000, 1000);
    }
    ck_assert(!budget_share(&budget));
}

// A small machine takes five times as long as this one: 1.5 s for a program, of which there are two.
TEST(whoever_only_computes_is_judged_on_a_slow_machine_too)
{
    Budget budget = budget_open();
    for (int i = 0; i < EXERCISES; i++) {
        ck_assert_msg(budget_share(&budget), "exercise %d is not judged", i + 1);
        ck_assert_int_ge(budget.compile_seconds, 3);
        ck_assert_int_ge(budget.time_limit, 500);
        budget_spend(&budget, 3000, 400);
    }
}

TEST(one_that_never_ends_costs_the_others_nothing_that_they_need)
{
    Budget budget = budget_open();
    budget_spend(&budget, 16000, 5000);
    for (int i = 1; i < EXERCISES; i++) {
        ck_assert(budget_share(&budget));
        ck_assert_int_ge(budget.compile_seconds, 2);
        ck_assert_int_ge(budget.time_limit, 1000);
        budget_spend(&budget, 1200, 200);
    }
}

SUITE("budget")
