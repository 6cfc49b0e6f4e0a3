// Breakpoints, in document 002's weights, as the document prints them:
//
//   0.3473 0.3045 0.3481
//   0.3804 0.2514 0.3683
//   0.3705 0.2641 0.3654
#include "suite.h"
#include "talking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char at_the_end[] =
    "no breakpoint was hit before the last step; < and R run again from the start";

// Where a run stopped, and what it said.
static void run_to(const char *chosen, const char *message)
{
    say("run");
    ck_assert_str_eq(it.session.message.text, message);
    ck_assert_str_eq(stepping_chosen(&it), chosen);
}

// A pipeline whose mask has the wrong shape.
static void open_failing(void)
{
    static unsigned char flags[4];
    stepping_open_printed(&it);
    it.scenario.masked = true;
    scenario_add(&it.scenario, "mask", "mask",
                 tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 2}), "a mask for two tokens");
    stepping_open_again(&it);
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
    open_failing();
    say("break weighted_sum");
    say("run");
    ck_assert_str_eq(stepping_step(&it), "mask");
    ck_assert(it.session.run.failed);
    stepping_close(&it);
}

// --- Walking at three depths. The numbers are worked out by hand from document 002's printed Q and K:
//
//   q[0] = -0.1392 0.5523 0.2820 0.0902        k[0] = 0.5735 0.6561 -0.0016 -0.1080
//   products -0.0798312 0.36236403 -0.0004512 -0.0097416
//   sums     -0.0798312 0.28253283  0.28208163  0.27234003

static SessionTerm term_now(void)
{
    SessionTerm term;
    ck_assert(session_term(&it.session, &term));
    return term;
}

static bool is_near(float number, double wanted)
{
    return fabs((double)number - wanted) < 1e-7;
}

// --- elements

TEST(by_elements_the_walk_goes_through_the_output_in_the_order_of_the_loop)
{
    static const char *const order[] = {"scores[0, 0, 0]", "scores[0, 0, 1]", "scores[0, 0, 2]",
                                        "scores[0, 1, 0]", "scores[0, 1, 1]"};
    stepping_open_printed(&it);
    say("depth element");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        ck_assert_str_eq(stepping_chosen(&it), order[i]);
        say("next");
    }
    say("previous 2");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 1, 0]");
    ck_assert_int_eq(session_element(&it.session), 3);
    ck_assert_int_eq(session_element_count(&it.session), 9);
    stepping_close(&it);
}

TEST(after_the_last_element_comes_the_next_step_and_before_the_first_the_one_before)
{
    stepping_open_printed(&it);
    say("depth element");
    say("next 9");
    ck_assert_str_eq(stepping_chosen(&it), "scores_scaled[0, 0, 0]");
    say("previous");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 2, 2]");
    say("next 19"); // 9 of scale, 9 of softmax, and one
    ck_assert_str_eq(stepping_chosen(&it), "context_heads[0, 0, 0]");
    say("previous 27");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 0, 0]");
    stepping_close(&it);
}

TEST(the_ends_of_the_walk_say_so_and_hold)
{
    stepping_open_printed(&it);
    say("depth element");
    say("previous 4");
    ck_assert_str_eq(it.session.message.text, "this is the first element of the first step");
    say("next 9223372036854775807");
    ck_assert_str_eq(it.session.message.text, "this is the last element of the last step");
    ck_assert_str_eq(stepping_chosen(&it), "context_heads[0, 2, 3]");
    say("depth term");
    say("next 2");
    ck_assert_str_eq(it.session.message.text, "");
    say("next");
    ck_assert_str_eq(it.session.message.text, "this is the last term of the last step");
    ck_assert_int_eq(term_now().number, 2);
    stepping_close(&it);
}

TEST(elements_the_walk_has_not_come_to_are_not_there_yet)
{
    stepping_open_printed(&it);
    ck_assert(session_has_reached(&it.session, (ptrdiff_t[]){0, 2, 2})); // by stages all are
    say("depth element");
    say("next 4"); // [0, 1, 1]
    ck_assert(session_has_reached(&it.session, (ptrdiff_t[]){0, 0, 2}));
    ck_assert(session_has_reached(&it.session, (ptrdiff_t[]){0, 1, 1}));
    ck_assert(!session_has_reached(&it.session, (ptrdiff_t[]){0, 1, 2}));
    ck_assert(!session_has_reached(&it.session, (ptrdiff_t[]){0, 2, 0}));
    say("tensor k"); // an input is whole
    ck_assert(session_has_reached(&it.session, (ptrdiff_t[]){0, 2, 3}));
    stepping_close(&it);
}

TEST(a_view_computes_nothing_so_all_of_it_is_there)
{
    TinyShape shape = {
        .batch = 1, .queries = 3, .keys = 3, .heads = 2, .d_k = 2, .d_v = 2, .d_in = 5};
    stepping_open_tiny(&it, shape, 1);
    say("goto transpose q");
    say("depth element");
    ck_assert(session_has_reached(&it.session, (ptrdiff_t[]){0, 1, 2, 1}));
    say("next 3"); // (B, H, L, d_k): in index order
    ck_assert_str_eq(stepping_chosen(&it), "q_heads[0, 0, 1, 1]");
    stepping_close(&it);
}

TEST(going_deeper_starts_at_the_chosen_element_and_choosing_another_one_jumps)
{
    stepping_open_printed(&it);
    say("@[0, 2, 1]");
    say("tensor q");
    say("depth element");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 2, 1]");
    say("up");
    say("next");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 1, 2]");
    stepping_close(&it);
}

TEST(looking_at_an_input_does_not_move_the_walk)
{
    stepping_open_printed(&it);
    say("@[0, 1, 1]");
    say("depth element");
    say("tensor q");
    say("@[0, 2, 3]");
    say("tensor scores");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 1, 1]");
    say("tensor q");
    say("next"); // shows what it walks through
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 1, 2]");
    stepping_close(&it);
}

// --- terms

TEST(by_terms_every_product_and_every_sum_is_the_one_worked_out_by_hand)
{
    static const double products[] = {-0.0798312, 0.36236403, -0.0004512, -0.0097416};
    static const double sums[] = {-0.0798312, 0.28253283, 0.28208163, 0.27234003};
    stepping_open_printed(&it);
    say("depth term");
    for (ptrdiff_t d = 0; d < 4; d++) {
        SessionTerm now = term_now();
        ck_assert_int_eq(now.number, d);
        ck_assert_int_eq(now.count, 4);
        ck_assert_str_eq(it.session.run.trace.tensors[now.term.sources[0].tensor].name, "q");
        ck_assert_int_eq(now.term.sources[0].at[2], d);
        ck_assert(is_near(now.term.value, products[d]));
        ck_assert(is_near(now.term.running, sums[d]));
        say("next");
    }
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 0, 1]");
    ck_assert_int_eq(term_now().number, 0);
    say("previous");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 0, 0]");
    ck_assert_int_eq(term_now().number, 3);
    float stored = *tensor_at3(stepping_tensor(&it), 0, 0, 0);
    ck_assert_mem_eq(&stored, &(float){term_now().term.running}, sizeof stored);
    stepping_close(&it);
}

TEST(a_term_is_told_in_the_numbers_of_the_trace)
{
    char text[SESSION_WALK_MAX];
    stepping_open_printed(&it);
    ck_assert_str_eq(session_walk_text(&it.session, text), "");
    say("depth element");
    say("next");
    ck_assert_str_eq(session_walk_text(&it.session, text), "element 2 of 9, in loop order");
    say("depth term");
    say("next 2");
    // q[0] k[1]: -0.1392 * -0.7842 = 0.10916064, + 0.5523 * -0.0042 = 0.10684098,
    //            0.2820 * -0.3043 = -0.0858126, sum 0.02102838
    session_walk_text(&it.session, text);
    const char *start = "term 3 of 4: q[0,0,2] 0.282 * k[0,1,2] -0.3043 = -0.0858126";
    ck_assert_mem_eq(text, start, strlen(start));
    ck_assert_ptr_nonnull(strstr(text, ", running sum 0.0210283"));
    say("next");
    ck_assert_ptr_nonnull(strstr(session_walk_text(&it.session, text), ": the element"));
    stepping_close(&it);
}

// The same term as above.
TEST(a_product_is_one_in_korean_too)
{
    char text[SESSION_WALK_MAX];
    language_choose(LANGUAGE_KOREAN);
    stepping_open_printed(&it);
    say("depth element");
    say("next");
    say("depth term");
    say("next 2");
    session_walk_text(&it.session, text);
    language_choose(LANGUAGE_ENGLISH);
    ck_assert_ptr_nonnull(strstr(text, "q[0,0,2] 0.282 * k[0,1,2] -0.3043 = -0.0858126"));
    stepping_close(&it);
}

TEST(choosing_another_element_starts_with_its_first_term)
{
    stepping_open_printed(&it);
    say("depth term");
    say("next 2");
    say("down");
    ck_assert_int_eq(term_now().number, 0);
    say("up");
    ck_assert_int_eq(term_now().number, 2);
    say("next 12"); // 4 terms an element: three elements on
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 1, 0]");
    ck_assert_int_eq(term_now().number, 2);
    stepping_close(&it);
}

TEST(by_terms_the_inputs_show_the_factors)
{
    stepping_open_printed(&it);
    say("@[0, 2, 1]");
    say("depth term");
    say("next 3");
    say("tensor q");
    ck_assert_str_eq(stepping_chosen(&it), "q[0, 2, 3]");
    say("tensor k");
    ck_assert_str_eq(stepping_chosen(&it), "k[0, 1, 3]");
    say("tensor scores");
    ck_assert_str_eq(stepping_chosen(&it), "scores[0, 2, 1]");
    stepping_close(&it);
}

// The law of origin, walked: the last term of every element of every stage is the stored number.
SLICE_TEST(every_walk_through_terms_ends_in_the_stored_bits, tiny_shape_count, 1)
{
    stepping_open_tiny(&it, tiny_shapes[_i], 7);
    say("depth term");
    for (int step = 0; step < it.session.run.trace.step_count; step++) {
        say("depth element");
        ck_assert_int_eq(it.session.cursor.step, step);
        ptrdiff_t elements = session_element_count(&it.session);
        for (ptrdiff_t element = 0; element < elements; element++) {
            say("depth term");
            SessionTerm now = term_now();
            char words[32];
            snprintf(words, sizeof words, "next %td", now.count - 1);
            say(words);
            now = term_now();
            ck_assert_int_eq(session_element(&it.session), element);
            ck_assert_int_eq(now.number, now.count - 1);
            const Tensor *tensor = stepping_tensor(&it);
            ptrdiff_t place = tensor_place(tensor, stepping_at(&it));
            float stored = tensor->dtype == DTYPE_I64 ? (float)tensor->storage.i64[place]
                                                      : tensor->storage.f32[place];
            ck_assert(now.term.running == stored || (isnan(stored) && isnan(now.term.running)));
            say("depth element");
            say("next");
        }
    }
    stepping_close(&it);
}

// --- the depth

TEST(the_depth_has_a_key_and_names)
{
    stepping_open_printed(&it);
    for (int depth = 1; depth <= DEPTH_COUNT; depth++) {
        say("depth-next");
        ck_assert_int_eq(it.session.cursor.depth, depth % DEPTH_COUNT);
    }
    ck_assert(!stepping_try(&it, "depth elemnt"));
    ck_assert_str_eq(
        it.err.text,
        "the depth must be stage, element or term, not \"elemnt\"; did you mean \"element\"?");
    say("depth term");
    ck_assert(!stepping_try(&it, "next 1000001"));
    say("goto softmax");
    ck_assert_int_eq(it.session.cursor.depth, DEPTH_TERM);
    ck_assert_int_eq(term_now().count, 3 + 3 + 1 + 1); // maxima, exponentials, sum, quotient
    stepping_close(&it);
}

TEST(a_step_that_cannot_be_computed_ends_the_walk)
{
    open_failing();
    say("depth element");
    say("next 1000");
    ck_assert_str_eq(stepping_step(&it), "mask");
    ck_assert(it.session.run.failed);
    ck_assert_int_eq(session_element_count(&it.session), 0);
    say("next");
    say("previous");
    ck_assert_str_eq(stepping_chosen(&it), "scores_scaled[0, 2, 2]");
    say("next");
    say("depth term");
    say("next");
    say("previous");
    ck_assert_str_eq(stepping_chosen(&it), "scores_scaled[0, 2, 2]");
    stepping_close(&it);
}

// --- Walking from an element into its inputs, down to a weight or a token, and back. The numbers are
// worked out by hand from document 002's printed Q and K:
//
//   q[0] = -0.1392 0.5523 0.2820 0.0902        k[0] = 0.5735 0.6561 -0.0016 -0.1080
//   products -0.0798312 0.36236403 -0.0004512 -0.0097416, so by size: terms 1, 0, 3, 2

static void check_chosen(const char *step, const char *cell)
{
    ck_assert_str_eq(stepping_step(&it), step);
    ck_assert_str_eq(stepping_chosen(&it), cell);
}

static void check_refused(const char *words, const char *sentence)
{
    ck_assert_msg(!stepping_try(&it, words), "%s", words);
    ck_assert_str_eq(it.err.text, sentence);
    ck_assert_str_eq(it.session.message.text, sentence);
}

TEST(enter_shows_the_origin_first_and_then_walks_into_it)
{
    stepping_open_printed(&it);
    say("goto softmax");
    say("@[0,2,1]");
    say("enter");
    ck_assert_int_eq(it.session.look.detail, DETAIL_ORIGIN);
    check_chosen("softmax", "attn_weights[0, 2, 1]");
    say("enter");
    check_chosen("scale", "scores_scaled[0, 2, 1]");
    say("enter");
    check_chosen("score", "scores[0, 2, 1]");
    say("enter 2");
    check_chosen("score", "k[0, 1, 0]"); // given: no step makes it, score reads it
    ck_assert_int_eq(it.session.origin.trail_length, 3);
    check_refused("enter", "this is the beginning: k is given (document 002), not computed");
    stepping_close(&it);
}

TEST(the_way_back_leads_through_the_same_elements_and_their_marked_terms)
{
    stepping_open_printed(&it);
    say("goto softmax");
    say("@[0,2,1]");
    say("origin");
    ck_assert_int_eq(it.session.origin.marked, 1); // its own key
    say("term 2");
    say("enter");
    check_chosen("scale", "scores_scaled[0, 2, 2]");
    say("enter");
    say("term-next 3");
    say("input-second");
    check_chosen("score", "k[0, 2, 3]");
    say("down"); // on one's own
    say("back-out");
    check_chosen("score", "scores[0, 2, 2]");
    ck_assert_int_eq(it.session.origin.marked, 3);
    say("back-out");
    check_chosen("scale", "scores_scaled[0, 2, 2]");
    say("back-out");
    check_chosen("softmax", "attn_weights[0, 2, 1]");
    ck_assert_int_eq(it.session.origin.marked, 2);
    check_refused("back-out", "you started here");
    stepping_close(&it);
}

TEST(closing_the_origin_ends_the_walk)
{
    stepping_open_printed(&it);
    say("goto scale");
    say("origin");
    say("enter");
    ck_assert_int_eq(it.session.origin.trail_length, 1);
    say("origin");
    ck_assert_int_eq(it.session.look.detail, DETAIL_NONE);
    check_refused("back-out", "you started here");
    stepping_close(&it);
}

TEST(terms_are_marked_by_position_and_by_size)
{
    static const int by_size[] = {1, 0, 3, 2};
    stepping_open_printed(&it);
    check_refused("term-next", "no terms are shown; \"origin\" (o) shows them");
    say("origin");
    ck_assert_int_eq(it.session.origin.marked, 0);
    say("term-next 2");
    ck_assert_int_eq(it.session.origin.marked, 2);
    say("terms-down");
    ck_assert_int_eq(it.session.origin.marked, 3);
    say("terms-up");
    ck_assert_int_eq(it.session.origin.marked, 0);
    say("origin-order size");
    ck_assert_int_eq(it.session.origin.marked, 0); // the same term, now the second
    say("terms-up");
    for (int rank = 0; rank < 4; rank++) {
        ck_assert_int_eq(session_term_at(&it.session, rank), by_size[rank]);
        ck_assert_int_eq(session_marked_rank(&it.session), rank);
        ck_assert_int_eq(it.session.origin.marked, by_size[rank]);
        say("term-next");
    }
    say("@[0,0,1]"); // another element: its largest term
    ck_assert_int_eq(session_marked_rank(&it.session), 0);
    say("origin-sort");
    ck_assert(!it.session.look.by_size);
    check_refused("term 4", "terms are numbered 0 to 3, so term 4 does not exist");
    check_refused("origin-order age",
                  "terms can be ordered by \"position\" or by \"size\", not by \"age\"");
    check_refused("enter 3", "there are 2 inputs here, no input 3");
    stepping_close(&it);
}

TEST(from_a_weight_back_to_a_token_and_its_embedding)
{
    // tiny_shapes[3] starts from ids, pads them, adds positions, has heads and biases
    static const char *const way[] = {
        "attn_weights", "scores_scaled", "scores", "q_heads", "q_view", "q", "x",
        "embeddings",   "input_ids",     "tokens"};
    stepping_open_tiny(&it, tiny_shapes[3], 1);
    say("goto softmax");
    say("origin");
    for (size_t place = 0; place < sizeof way / sizeof *way; place++) {
        const char *name = session_tensor(&it.session)->name;
        if (strcmp(name, "scores_masked") == 0) {
            say("enter");
            name = session_tensor(&it.session)->name;
        }
        ck_assert_str_eq(name, way[place]);
        ck_assert(it.session.origin.known);
        if (place + 1 < sizeof way / sizeof *way)
            say("enter");
    }
    ck_assert_int_eq(stepping_at(&it)[0], 0);
    ck_assert_int_eq(it.session.origin.explanation.count, 0);
    while (it.session.origin.trail_length > 0)
        say("back-out");
    ck_assert_str_eq(session_tensor(&it.session)->name, "attn_weights");
    stepping_close(&it);
}

TEST(an_input_is_looked_at_in_the_step_that_reads_it)
{
    stepping_open_tiny(&it, tiny_shapes[0], 1);
    say("goto project k");
    say("@[1,2,3]");
    say("origin");
    say("enter 2");
    check_chosen("project k", "k_proj.weight[3, 0]");
    stepping_close(&it);
}

TEST(of_a_rule_there_is_nothing_behind)
{
    stepping_open_tiny(&it, tiny_shapes[3], 1); // sequence 2 has 2 of 4 tokens
    say("@[2,3]");
    say("origin");
    check_refused("enter", "this is the beginning: beyond the sequence's length, the pad id");
    check_refused("term-next", "input_ids is not a sum of terms");
    stepping_close(&it);
}

TEST(an_element_that_is_no_sum_offers_all_its_inputs)
{
    TraceCell inputs[SESSION_INPUTS_MAX];
    stepping_open_tiny(&it, tiny_shapes[3], 1);
    const Trace *trace = &it.session.run.trace;
    say("goto embed");
    say("@[1,2,3]");
    say("origin");
    ck_assert_int_eq(session_inputs(&it.session, inputs), 2);
    ck_assert_int_eq(inputs[0].tensor, trace_find(trace, "input_ids"));
    ck_assert_int_eq(inputs[1].tensor, trace_find(trace, "embedding.weight"));
    say("goto mask");
    say("@[0,0,1,0]"); // key 0 is a token: nothing forbids it
    ck_assert_int_eq(session_inputs(&it.session, inputs), 2);
    ck_assert_int_eq(inputs[0].tensor, trace_find(trace, "scores_scaled"));
    ck_assert_int_eq(inputs[1].tensor, trace_find(trace, "key_padding_mask"));
    ck_assert_int_eq(inputs[1].at[1], 0);
    say("input-second");
    check_chosen("pad", "key_padding_mask[0, 0]");
    stepping_close(&it);
}

TEST(at_term_depth_the_mark_follows_the_walk)
{
    stepping_open_printed(&it);
    say("origin");
    say("term 3");
    say("depth term");
    ck_assert_int_eq(it.session.origin.marked, 0);
    say("next 2");
    ck_assert_int_eq(it.session.origin.marked, 2);
    say("term-next"); // on one's own, until the walk goes on
    ck_assert_int_eq(it.session.origin.marked, 3);
    say("previous");
    ck_assert_int_eq(it.session.origin.marked, 1);
    stepping_close(&it);
}

TEST(the_oldest_places_of_a_very_long_way_are_forgotten)
{
    stepping_open_printed(&it);
    say("goto scale");
    say("origin");
    for (int turn = 0; turn < SESSION_TRAIL_MAX + 5; turn++) {
        say("enter"); // scores
        say("next");  // scores_scaled, by the pipeline
    }
    ck_assert_int_eq(it.session.origin.trail_length, SESSION_TRAIL_MAX);
    say("back-out");
    check_chosen("scale", "scores_scaled[0, 0, 0]");
    stepping_close(&it);
}

SUITE("session_break")
