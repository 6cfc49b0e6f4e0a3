// Breakpoints, in document 002's weights, as the document prints them:
//
//   0.3473 0.3045 0.3481
//   0.3804 0.2514 0.3683
//   0.3705 0.2641 0.3654

#include "suite.h"
#include "talking.h"

static const char at_the_end[] =
    "no breakpoint was hit before the last step; < and R run again from the start";

// Where a run stopped, and what it said.
static void run_to(const char *chosen, const char *message)
{
    say("run");
    ck_assert_str_eq(it.session.message.text, message);
    ck_assert_str_eq(stepping_chosen(&it), chosen);
}

// --- setting them

TEST(breakpoints_are_numbered_listed_and_taken_away)
{
    stepping_open_printed(&it);
    say("breaks");
    ck_assert_str_eq(it.session.message.text, "there are no breakpoints");
    say("break softmax");
    ck_assert_str_eq(it.session.message.text, "breakpoint 1: softmax. R runs until one is hit");
    say("break attn_weights > 0.36");
    say("break @[0, 2, 1]");
    say("breaks");
    ck_assert_str_eq(it.session.message.text,
                     "1: softmax   2: attn_weights > 0.36   3: scores[0,2,1]   (R runs to the "
                     "next, :unbreak N removes one)");
    say("unbreak 2");
    ck_assert_str_eq(
        it.session.message.text,
        "1: softmax   3: scores[0,2,1]   (R runs to the next, :unbreak N removes one)");
    say("break 2");
    ck_assert_str_eq(it.session.message.text, "breakpoint 4: scale. R runs until one is hit");
    ck_assert(session_breaks_at(&it.session, 0));
    ck_assert(session_breaks_at(&it.session, 1));
    ck_assert(!session_breaks_at(&it.session, 3));
    stepping_close(&it);
}

TEST(a_breakpoint_is_set_and_taken_away_where_one_stands)
{
    stepping_open_printed(&it);
    say("break-here");
    ck_assert_str_eq(it.session.message.text, "breakpoint 1: score. R runs until one is hit");
    say("depth element");
    say("next 4");
    say("break-here");
    ck_assert_str_eq(it.session.message.text,
                     "breakpoint 2: scores[0,1,1]. R runs until one is hit");
    say("break-here");
    say("breaks");
    ck_assert_str_eq(it.session.message.text,
                     "1: score   (R runs to the next, :unbreak N removes one)");
    say("tensor q");
    ck_assert(!stepping_try(&it, "break-here"));
    ck_assert_str_eq(it.err.text, "q is an input; no step computes it");
    stepping_close(&it);
}

TEST(what_cannot_be_stopped_at_is_refused)
{
    static const char *const refused[][2] = {
        {"break sofmax", "unknown step \"sofmax\"; steps are 1 to 4 and names such as \"softmax\""},
        {"break scores > much", "a comparison needs a number, as in > 0.4, not \"much\""},
        {"break k > 0", "k is an input; no step computes it"},
        {"break weights > 0.4", "unknown tensor \"weights\"; did you mean \"attn_weights\"?"},
        {"break @[0, 3, 0]", "scores has no element (0, 3, 0); its shape is (1, 3, 3)"},
        {"unbreak 1", "unknown breakpoint 1; \"breaks\" lists them"},
        {"unbreak 0", "unknown breakpoint 0; \"breaks\" lists them"},
        {"break softmax > 0.4", "softmax is a step; its result is \"attn_weights\""},
        {"break 9", "unknown step \"9\"; steps are 1 to 4 and names such as \"score\""},
        {"break > much", "a comparison needs a number, as in > 0.4, not \"much\""},
        {"run",
         "no breakpoints; b sets one here, \":break > 0.4\" sets one at the next such number"},
    };
    stepping_open_printed(&it);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert_msg(!stepping_try(&it, refused[i][0]), "%s", refused[i][0]);
        ck_assert_str_eq(it.err.text, refused[i][1]);
    }
    for (int i = 0; i < SESSION_BREAKS_MAX; i++)
        say("break score");
    ck_assert(!stepping_try(&it, "break score"));
    ck_assert_str_eq(it.err.text, "there are already 16 breakpoints; unbreak N removes one");
    stepping_close(&it);
}

TEST(a_condition_alone_is_of_the_tensor_that_is_looked_at)
{
    stepping_open_printed(&it);
    say("goto softmax");
    say("break > 0.38"); // 0.3804 is the only one
    ck_assert_str_eq(it.session.message.text,
                     "breakpoint 1: attn_weights > 0.38. R runs until one is hit");
    run_to("attn_weights[0, 1, 0]", "stopped by breakpoint 1: attn_weights > 0.38");
    run_to("context_heads[0, 1, 0]", at_the_end);
    say("break largest");
    ck_assert_str_eq(it.session.message.text,
                     "breakpoint 2: context_heads largest. R runs until one is hit");
    stepping_close(&it);
}

// --- running

TEST(a_run_stops_at_a_step_and_goes_on_to_the_end)
{
    stepping_open_printed(&it);
    say("break softmax");
    run_to("attn_weights[0, 0, 0]", "stopped by breakpoint 1: softmax");
    ck_assert_int_eq(it.session.run.trace.steps_done, 3); // nothing beyond it was computed
    run_to("context_heads[0, 0, 0]", at_the_end);
    stepping_close(&it);
}

TEST(a_run_stops_at_every_element_that_fits_a_condition)
{
    stepping_open_printed(&it);
    say("break attn_weights > 0.36");
    const char *message = "stopped by breakpoint 1: attn_weights > 0.36";
    run_to("attn_weights[0, 1, 0]", message);
    run_to("attn_weights[0, 1, 2]", message);
    run_to("attn_weights[0, 2, 0]", message);
    run_to("attn_weights[0, 2, 2]", message);
    run_to("context_heads[0, 2, 0]", at_the_end);
    stepping_close(&it);
}

TEST(a_step_stops_before_its_elements_and_the_first_element_is_not_missed)
{
    stepping_open_printed(&it);
    say("break attn_weights > 0.34");
    say("break softmax");
    run_to("attn_weights[0, 0, 0]", "stopped by breakpoint 2: softmax");
    run_to("attn_weights[0, 0, 0]", "stopped by breakpoint 1: attn_weights > 0.34"); // 0.3473
    run_to("attn_weights[0, 0, 2]", "stopped by breakpoint 1: attn_weights > 0.34"); // 0.3481
    stepping_close(&it);
}

TEST(the_nearest_breakpoint_comes_first_whichever_was_set_first)
{
    stepping_open_printed(&it);
    say("break attn_weights < 0.26"); // [0, 1, 1]
    say("goto softmax");
    say("break @[0, 0, 1]");
    say("first");
    run_to("attn_weights[0, 0, 1]", "stopped by breakpoint 2: attn_weights[0,0,1]");
    run_to("attn_weights[0, 1, 1]", "stopped by breakpoint 1: attn_weights < 0.26");
    stepping_close(&it);
}

TEST(a_run_starts_where_the_person_is)
{
    stepping_open_printed(&it);
    say("goto softmax");
    say("break attn_weights > 0.36");
    say("@[0, 2, 0]"); // which fits, and is not passed yet
    run_to("attn_weights[0, 2, 0]", "stopped by breakpoint 1: attn_weights > 0.36");
    say("@[0, 1, 2]");
    say("depth element"); // by elements it has been computed
    run_to("attn_weights[0, 2, 0]", "stopped by breakpoint 1: attn_weights > 0.36");
    stepping_close(&it);
}

TEST(a_run_ends_at_a_step_that_cannot_be_computed)
{
    static unsigned char flags[4];
    stepping_open_printed(&it);
    it.scenario.masked = true;
    scenario_add(&it.scenario, "mask", "mask",
                 tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 2}), "a mask for two tokens");
    stepping_open_again(&it);
    say("break weighted_sum");
    say("run");
    ck_assert_str_eq(stepping_step(&it), "mask");
    ck_assert(it.session.run.failed);
    stepping_close(&it);
}

SUITE("session_break")
