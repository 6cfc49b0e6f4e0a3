// The session's choice of axes: which two are rows and columns, and where the others stand.

#include "suite.h"
#include "talking.h"

TEST(the_last_two_axes_are_rows_and_columns_and_the_others_are_picked)
{
    open_tiny();
    say("goto score"); // (2, 2, 3, 3)
    const SessionView *view = session_view(&it.session);
    ck_assert_int_eq(view->row_axis, 2);
    ck_assert_int_eq(view->column_axis, 3);
    ck_assert_int_eq(view->marked_axis, 1);
    say("pick-next");
    ck_assert_int_eq(view->at[1], 1);
    say("pick-next");
    ck_assert_int_eq(view->at[1], 1);
    say("axis-next");
    say("pick 1");
    ck_assert_int_eq(view->at[0], 1);
    say("pick-previous 5");
    ck_assert_int_eq(view->at[0], 0);
    ck_assert(!try_words("pick 2"));
    ck_assert_int_eq(view->at[0], 0);
    say("axis H");
    ck_assert_int_eq(view->marked_axis, 1);
    say("axis 0");
    ck_assert_int_eq(view->marked_axis, 0);
    ck_assert(!try_words("axis Lk"));
    ck_assert_str_eq(it.err.text, "axis Lk is already on screen, as columns");
    ck_assert(!try_words("axis Z"));
    close_all();
}

TEST(any_axis_can_be_rows_or_columns)
{
    open_tiny();
    say("goto score");
    const SessionView *view = session_view(&it.session);
    say("rows"); // H in place of Lq
    ck_assert_int_eq(view->row_axis, 1);
    ck_assert_int_eq(view->marked_axis, 2);
    say("axis B");
    say("columns"); // B in place of Lk
    ck_assert_int_eq(view->column_axis, 0);
    ck_assert_int_eq(view->marked_axis, 3);
    say("flip");
    ck_assert_int_eq(view->row_axis, 0);
    ck_assert_int_eq(view->column_axis, 1);
    say("down");
    ck_assert_int_eq(view->at[0], 1);
    close_all();
}

TEST(a_vector_is_a_row_and_has_no_axes_to_pick)
{
    TinyShape shape = {
        .batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2, .bias = true};
    tiny_scenario(&it.scenario, shape, 1);
    ck_assert(session_open(&it.session, &it.scenario, &it.err));
    say("tensor q_proj.bias");
    say("down");
    say("right");
    ck_assert_int_eq(at()[0], 1);
    ck_assert(!try_words("pick-next"));
    ck_assert_str_eq(it.err.text, "all axes of q_proj.bias are already on screen");
    ck_assert(!try_words("rows"));
    ck_assert(!try_words("axis-next"));
    say("flip"); // now a column
    say("up");
    ck_assert_int_eq(at()[0], 0);
    close_all();
}

// Two heads of two features: head 1 is columns 2 and 3 of what is put together again.
TEST(a_head_is_a_block_where_heads_are_put_together)
{
    open_tiny();
    say("last");
    say("goto softmax");
    say("@[1,1,2,0]");
    say("show context_concat");
    ck_assert_int_eq(at()[0], 1);
    ck_assert_int_eq(at()[1], 2);
    ck_assert_int_eq(at()[2], 2);
    say("@[1,2,3]");
    say("show context_heads");
    ck_assert_int_eq(at()[1], 1);
    ck_assert_int_eq(at()[3], 1);
    say("@[1,0,2,1]");
    say("show context_concat");
    ck_assert_int_eq(at()[2], 1);
    close_all();
}

static void press(const char *key)
{
    Command command;
    ck_assert_msg(session_key(&it.session, key, &command), "%s", key);
    ck_assert_msg(session_apply(&it.session, &command, &it.err), "%s", it.err.text);
}

static void check_step(const char *wanted)
{
    char name[64];
    ck_assert_str_eq(trace_step_name(&it.session.run.trace, it.session.cursor.step, name), wanted);
}

// The way back has its steps in the layers, too; what there is one of has the keys of the index.
TEST(brackets_go_between_layers)
{
    TinyShape shape = tiny_causal(1, 2, 3);
    shape.layers = 2;
    shape.residual = shape.backward = true;
    open_shape(shape);
    say("goto softmax");
    say("@[0,1,2,1]");
    press("]");
    check_step("layer2 softmax");
    ck_assert_int_eq(at()[1], 1); // the same number of the other layer
    ck_assert_int_eq(at()[2], 2);
    press("]");
    check_step("layer2 softmax");
    ck_assert_str_eq(it.session.message.text, "this is the last layer");
    press("[");
    check_step("softmax");
    press("+");
    ck_assert_int_eq(at()[1], 1); // of two heads the last
    press("-");
    ck_assert_int_eq(at()[1], 0);
    say("goto softmax_backward");
    check_step("layer2 softmax_backward");
    press("[");
    check_step("softmax_backward");
    close_all();
    open_tiny();
    say("goto score");
    press("]");
    ck_assert_int_eq(at()[1], 1);
    expect_refusal("layer-next", "this model has one layer");
    close_all();
}

SUITE("session_axes")
