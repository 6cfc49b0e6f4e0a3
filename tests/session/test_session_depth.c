// Walking at three depths. The numbers are worked out by hand from document 002's printed Q and K:
//
//   q[0] = -0.1392 0.5523 0.2820 0.0902        k[0] = 0.5735 0.6561 -0.0016 -0.1080
//   products -0.0798312 0.36236403 -0.0004512 -0.0097416
//   sums     -0.0798312 0.28253283  0.28208163  0.27234003

#include "suite.h"
#include "talking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    static unsigned char flags[4];
    stepping_open_printed(&it);
    it.scenario.masked = true;
    scenario_add(&it.scenario, "mask", "mask",
                 tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 2}), "a mask for two tokens");
    stepping_open_again(&it);
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

SUITE("session_depth")
