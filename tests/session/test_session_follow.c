// Walking from an element into its inputs, down to a weight or a token, and back. The numbers are
// worked out by hand from document 002's printed Q and K:
//
//   q[0] = -0.1392 0.5523 0.2820 0.0902        k[0] = 0.5735 0.6561 -0.0016 -0.1080
//   products -0.0798312 0.36236403 -0.0004512 -0.0097416, so by size: terms 1, 0, 3, 2

#include "suite.h"
#include "talking.h"

#include <string.h>

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

SUITE("session_follow")
