// The session: what every command does to what is shown. The numbers come from document 002, which
// prints Q, K, V and the attention weights they give.
#include "session.h"

#include "suite.h"
#include "talking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- stepping

TEST(a_session_opens_on_the_first_step_and_computes_no_other)
{
    stepping_open_printed(&it);
    ck_assert_str_eq(stepping_step(&it), "score");
    ck_assert_int_eq(it.session.run.trace.steps_done, 1);
    ck_assert_str_eq(session_tensor(&it.session)->name, "scores");
    close_all();
}

TEST(stepping_forward_computes_one_step_and_back_computes_none)
{
    stepping_open_printed(&it);
    say("next");
    ck_assert_str_eq(stepping_step(&it), "scale");
    ck_assert_int_eq(it.session.run.trace.steps_done, 2);
    say("next");
    say("previous 2");
    ck_assert_str_eq(stepping_step(&it), "score");
    ck_assert_int_eq(it.session.run.trace.steps_done, 3);
    close_all();
}

TEST(the_weights_are_the_ones_the_document_prints)
{
    // document 002: tensor([[[0.3473, 0.3045, 0.3481], [0.3804, 0.2514, 0.3683], ...
    static const double printed[3][3] = {
        {0.3473, 0.3045, 0.3481}, {0.3804, 0.2514, 0.3683}, {0.3705, 0.2641, 0.3654}};
    stepping_open_printed(&it);
    say("goto softmax");
    const Tensor *weights = &session_tensor(&it.session)->tensor;
    for (ptrdiff_t i = 0; i < 3; i++)
        for (ptrdiff_t j = 0; j < 3; j++)
            ck_assert_double_le(fabs((double)*tensor_at3(weights, 0, i, j) - printed[i][j]), 1e-4);
    close_all();
}

TEST(the_ends_of_the_pipeline_say_so)
{
    stepping_open_printed(&it);
    say("previous");
    ck_assert_str_eq(it.session.message.text, "this is the first step");
    say("last");
    ck_assert_str_eq(it.session.message.text, "");
    ck_assert_str_eq(stepping_step(&it), "weighted_sum");
    say("next");
    ck_assert_str_eq(it.session.message.text, "this is the last step");
    ck_assert_str_eq(stepping_step(&it), "weighted_sum");
    say("first");
    ck_assert_str_eq(it.session.message.text, "");
    ck_assert_str_eq(stepping_step(&it), "score");
    close_all();
}

TEST(steps_are_found_by_name_by_stage_and_by_number)
{
    open_tiny();
    say("goto transpose k");
    ck_assert_int_eq(it.session.cursor.step, 7);
    say("goto view"); // the first of its three
    ck_assert_str_eq(stepping_step(&it), "view q");
    say("goto 12");
    ck_assert_str_eq(stepping_step(&it), "softmax");
    ck_assert(!try_words("goto sofmax"));
    ck_assert_str_eq(it.err.text,
                     "unknown step \"sofmax\"; steps are 1 to 15 and names such as \"softmax\"");
    ck_assert_str_eq(it.session.message.text, it.err.text);
    ck_assert(!try_words("goto 0"));
    ck_assert(!try_words("goto 16"));
    ck_assert_str_eq(stepping_step(&it), "softmax");
    close_all();
}

TEST(a_step_that_cannot_be_computed_is_shown_and_nothing_is_lost)
{
    static unsigned char flags[4];
    stepping_open_printed(&it);
    session_close(&it.session);
    it.scenario.masked = true;
    scenario_add(&it.scenario, "mask", "mask",
                 tensor_over(flags, DTYPE_BOOL, 2, (ptrdiff_t[]){2, 2}), "a mask for two tokens");
    ck_assert(session_open(&it.session, &it.scenario, &it.err));
    say("last");
    ck_assert_str_eq(stepping_step(&it), "mask");
    ck_assert(it.session.run.failed);
    ck_assert_ptr_nonnull(strstr(it.session.run.failure.text, "(2, 2)"));
    ck_assert(!session_has_values(&it.session));
    say("next");
    ck_assert_str_eq(stepping_step(&it), "mask");
    ck_assert(!try_words("down"));
    say("previous");
    ck_assert(!it.session.run.failed);
    ck_assert_str_eq(session_tensor(&it.session)->name, "scores_scaled");
    ck_assert(session_has_values(&it.session));
    close_all();
}

// --- tensors of a step

TEST(a_step_shows_its_output_and_then_its_inputs)
{
    stepping_open_printed(&it);
    static const char *const round[] = {"scores", "q", "k", "scores"};
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(session_tensor(&it.session)->name, round[i]);
        say("tensor-next");
    }
    say("tensor k");
    say("tensor-previous");
    ck_assert_str_eq(session_tensor(&it.session)->name, "q");
    ck_assert(!try_words("tensor v"));
    ck_assert_str_eq(session_tensor(&it.session)->name, "q");
    close_all();
}

TEST(of_several_outputs_the_one_the_step_is_for_is_shown_first)
{
    // ids with padding and positions: pad also writes a mask, position also its table
    static const char *const shown[][2] = {
        {"pad", "input_ids"}, {"position", "x"}, {"mask", "scores_masked"}};
    tiny_scenario(&it.scenario, tiny_shapes[3], 1);
    ck_assert(session_open(&it.session, &it.scenario, &it.err));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char words[64];
        snprintf(words, sizeof words, "goto %s", shown[i][0]);
        say(words);
        ck_assert_str_eq(session_tensor(&it.session)->name, shown[i][1]);
    }
    close_all();
}

// --- moving

TEST(the_chosen_element_stays_inside_the_tensor)
{
    stepping_open_printed(&it); // scores (1, 3, 3)
    say("down 1000000");
    say("right 2");
    ck_assert_int_eq(at()[1], 2);
    ck_assert_int_eq(at()[2], 2);
    say("right");
    ck_assert_int_eq(at()[2], 2);
    say("up");
    say("left 9223372036854775807");
    ck_assert_int_eq(at()[1], 1);
    ck_assert_int_eq(at()[2], 0);
    say("line-end");
    say("bottom");
    ck_assert_int_eq(at()[1], 2);
    ck_assert_int_eq(at()[2], 2);
    say("line-start");
    say("top");
    ck_assert_int_eq(at()[1], 0);
    ck_assert_int_eq(at()[2], 0);
    say("@[0, 2, 1]");
    ck_assert_int_eq(at()[1], 2);
    ck_assert_int_eq(at()[2], 1);
    ck_assert(!try_words("@[0, 3, 1]"));
    ck_assert_str_eq(it.err.text, "scores has no element (0, 3, 1); its shape is (1, 3, 3)");
    ck_assert(!try_words("@[2, 1]"));
    ck_assert_int_eq(at()[1], 2);
    close_all();
}

TEST(pages_and_scrolling_follow_the_room_that_the_screen_has)
{
    open_tiny(); // q (2, 3, 4)
    say("room [2,3]");
    say("right 3");
    say("room [2,3]");
    ck_assert_int_eq(session_view(&it.session)->first_column, 1);
    say("page-down");
    ck_assert_int_eq(at()[1], 2);
    say("room [2,3]");
    ck_assert_int_eq(session_view(&it.session)->first_row, 1);
    say("page-up");
    say("line-start");
    say("room [2,3]");
    ck_assert_int_eq(session_view(&it.session)->first_row, 0);
    ck_assert_int_eq(session_view(&it.session)->first_column, 0);
    say("right 3");
    say("room [2,3]");
    say("room [9,9]"); // more room than there are numbers
    ck_assert_int_eq(session_view(&it.session)->first_column, 0);
    close_all();
}

TEST(the_index_follows_along_axes_of_the_same_name)
{
    open_tiny();
    say("goto score"); // (B, H, Lq, Lk)
    say("@[1,1,2,0]");
    say("goto softmax");
    ck_assert_int_eq(at()[0], 1);
    ck_assert_int_eq(at()[1], 1);
    ck_assert_int_eq(at()[2], 2);
    say("tensor-next"); // scores_scaled
    ck_assert_int_eq(at()[2], 2);
    say("next"); // context (B, H, Lq, d_v)
    ck_assert_int_eq(at()[0], 1);
    ck_assert_int_eq(at()[2], 2);
    close_all();
}

// --- help, quit

TEST(help_opens_scrolls_and_closes)
{
    stepping_open_printed(&it);
    say("help");
    say("room [10,80]");
    say("down 1000");
    ck_assert_int_eq(it.session.help.line, help_page_lines() - 10);
    say("page-up");
    ck_assert_int_eq(it.session.help.line, help_page_lines() - 20);
    say("top");
    ck_assert_int_eq(it.session.help.line, 0);
    ck_assert_int_eq(at()[1], 0); // the tensor has not moved
    say("back");
    ck_assert(!it.session.help.open);
    say("help");
    say("next"); // a step closes it
    ck_assert(!it.session.help.open);
    ck_assert_str_eq(stepping_step(&it), "scale");
    close_all();
}

TEST(every_change_has_a_new_revision)
{
    stepping_open_printed(&it);
    unsigned long before = it.session.revision;
    say("right");
    ck_assert_uint_ne(it.session.revision, before);
    before = it.session.revision;
    try_words("tensor nothing"); // a message is a change too
    ck_assert_uint_ne(it.session.revision, before);
    say("quit");
    ck_assert(it.session.quit);
    close_all();
}

SUITE("session")
