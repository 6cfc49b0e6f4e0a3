// The panel of errors: what it shows is of the tensor and number looked at, and follows what is changed.
#include "suite.h"
#include "talking_screen.h"

#include <string.h>

enum { COLUMNS = 80, ROWS = 24 };

static void look_after(const char *words)
{
    say(words);
    draw(COLUMNS, ROWS);
}

static const SessionExact *exact(void)
{
    return &it.session.exact;
}

// Document 002 divides by 2, which takes nothing from any number; softmax rounds.
TEST(errors_are_of_the_tensor_looked_at)
{
    stepping_open_printed(&it);
    look_after("goto scale");
    look_after("exact");
    ck_assert(exact()->known);
    ck_assert_double_eq(exact()->error_alone.largest, 0.0);
    ck_assert_int_eq(exact()->error_alone.nearest, 9);
    ck_assert(exact()->error_since.largest > 0.0); // the scores it reads are sums
    ck_assert_msg(strstr(screen, "scores_scaled beside float64"), "%s", screen);
    ck_assert_msg(strstr(screen, "9 / 9"), "%s", screen);
    ck_assert(strstr(screen, "PyTorch has the same bits"));
    look_after("goto softmax");
    ck_assert(exact()->known && exact()->error_alone.largest > 0.0);
    ck_assert_msg(strstr(screen, "PyTorch's error is unknown"), "%s", screen);
    close_screen();
}

// 0.1f + 0.2f of test_exact.c, as a dot product: q = (0.1, 0.2, 0, 0), k = (1, 1, 0, 0). What float64
// makes of them is 0.300000004470348; the float32 is a quarter of a unit more.
TEST(a_number_that_is_changed_is_computed_again)
{
    stepping_open_printed(&it);
    look_after("goto score");
    look_after("@[0,0,0]");
    look_after("exact");
    static const char *const sets[] = {"set q[0,0,0]=0.1", "set q[0,0,1]=0.2", "set q[0,0,2]=0",
                                       "set q[0,0,3]=0",   "set k[0,0,0]=1",   "set k[0,0,1]=1"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        look_after(sets[i]);
    TraceCell cell = session_cell(&it.session);
    ck_assert(exact()->known);
    ck_assert_double_eq(trace_exact_number(&exact()->alone, cell), 40265319.0 / 134217728.0);
    ck_assert_msg(strstr(screen, "0.30000000447 "), "%s", screen);
    ck_assert_msg(strstr(screen, " 0.25 "), "%s", screen);
    close_screen();
}

TEST(inputs_and_closed_panels_have_none)
{
    stepping_open_printed(&it);
    look_after("goto score");
    look_after("tensor q");
    look_after("exact");
    ck_assert(!exact()->known);
    ck_assert_msg(strstr(screen, "this is not computed yet"), "%s", screen);
    look_after("tensor scores");
    ck_assert(exact()->known);
    look_after("exact");
    ck_assert(!exact()->known && !exact()->since.trace && !exact()->alone.trace);
    close_screen();
}

TEST(the_run_of_a_mistake_says_why_it_has_none)
{
    stepping_open_printed(&it);
    look_after("goto scale");
    look_after("exact");
    look_after("compare mistake scale-missing");
    look_after("compare-swap");
    ck_assert(!exact()->known || it.session.look.detail != DETAIL_EXACT);
    while (it.session.look.detail != DETAIL_EXACT)
        look_after("exact");
    ck_assert(!exact()->known);
    ck_assert_msg(strstr(screen, "scale is replaced here"), "%s", screen);
    look_after("compare-swap");
    ck_assert(exact()->known);
    close_screen();
}

SUITE("exact panel")
