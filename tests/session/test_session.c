// The session: what every command does to what is shown. The numbers come from document 002, which
// prints Q, K, V and the attention weights they give.
#include "session.h"
#include "scratch.h"
#include "suite.h"
#include "talking.h"
#include "tensor_formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- stepping

FIXTURE(NULL, NULL)

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

// --- Playing: what the session tells the loop that waits for keys.

FIXTURE(NULL, NULL)

TEST(playing_asks_for_next_as_often_as_it_was_told)
{
    stepping_open_printed(&it);
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    say("play 4");
    ck_assert_int_eq(session_next_tick(&it.session), 250);
    say("pause");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    say("play-pause"); // as fast as before
    ck_assert_int_eq(session_next_tick(&it.session), 250);
    say("play-pause");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    say("play");
    ck_assert_int_eq(session_next_tick(&it.session), 1000);
    stepping_close(&it);
}

TEST(it_ends_at_the_end)
{
    stepping_open_printed(&it); // four steps
    say("play");
    for (int step = 1; step < 4; step++) {
        say("next");
        ck_assert_int_eq(session_next_tick(&it.session), 1000);
    }
    say("next");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    ck_assert_str_eq(it.session.message.text, "this is the last step");
    say("depth element");
    say("play 2");
    say("@[0, 2, 2]");
    say("next");
    ck_assert_int_eq(session_next_tick(&it.session), 500);
    say("next");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    stepping_close(&it);
}

TEST(it_ends_where_somebody_takes_over_but_not_where_somebody_looks)
{
    static const char *const takes_over[] = {"previous", "goto softmax", "first", "last"};
    static const char *const looks[] = {"down", "tensor q", "flip", "depth element"};
    stepping_open_printed(&it);
    for (int i = 0; i < 4; i++) {
        say("first");
        say("play");
        say(looks[i]);
        ck_assert_int_eq(session_next_tick(&it.session), 1000);
        say(takes_over[i]);
        ck_assert_int_eq(session_next_tick(&it.session), -1);
    }
    stepping_close(&it);
}

TEST(a_speed_that_nobody_can_follow_is_refused)
{
    stepping_open_printed(&it);
    say("play 60");
    ck_assert(!stepping_try(&it, "play 61"));
    ck_assert_str_eq(it.err.text, "\"play\" takes a rate from 1 to 60 per second, not 61");
    ck_assert(!stepping_try(&it, "play 0"));
    ck_assert_int_eq(it.session.play.rate, 60);
    stepping_close(&it);
}

// --- Saving the visible slice: what stands in the file, and that no file is lost.

// "save NAME", in the scratch folder.
static const char *words_for(const char *verb, const char *name)
{
    static char words[512];
    snprintf(words, sizeof words, "%s %s", verb, scratch_path(name));
    return words;
}

static void expect_file(const char *name, const char *wanted)
{
    size_t length;
    unsigned char *bytes = scratch_read(scratch_path(name), &length);
    ck_assert_uint_eq(length, strlen(wanted));
    ck_assert_mem_eq(bytes, wanted, length);
    free(bytes);
}

// Two heads of 2 x 3 numbers in place of document 002's weights.
static float numbers[] = {1.5f, NAN, -INFINITY, 0.1f, -0.0f, 1e-7f, 7, 8, 9, 10, 11, 12};

static void open_numbers(void)
{
    stepping_open_printed(&it);
    say("goto softmax");
    it.session.run.trace.tensors[it.session.cursor.tensor].tensor =
        tensor_over(numbers, DTYPE_F32, 3, (ptrdiff_t[]){2, 2, 3});
}

FIXTURE(scratch_open, scratch_close)

TEST(csv_holds_every_digit_of_the_slice_that_is_shown)
{
    open_numbers();
    say(words_for("save", "a.csv"));
    expect_file("a.csv", ",0,1,2\r\n0,1.5,nan,-inf\r\n1,0.1,-0,1e-07\r\n");
    ck_assert_ptr_nonnull(strstr(it.session.message.text, "saved "));
    ck_assert_ptr_nonnull(strstr(it.session.message.text, ": the slice of attn_weights, 2 x 3"));
    say("axis 0");
    say("pick 1");
    say("flip");
    say(words_for("save", "b.csv"));
    expect_file("b.csv", ",0,1\r\n0,7,10\r\n1,8,11\r\n2,9,12\r\n");
    ck_assert_int_eq(scratch_count(), 2); // and no temporary one
    stepping_close(&it);
}

TEST(npy_holds_rows_and_columns_as_they_are_shown)
{
    static const float transposed[] = {7, 10, 8, 11, 9, 12};
    Arena arena = {0};
    Tensor read;
    size_t length;
    open_numbers();
    say("axis 0");
    say("pick 1");
    say("flip");
    say(words_for("save", "a.npy"));
    unsigned char *bytes = scratch_read(scratch_path("a.npy"), &length);
    ck_assert_msg(npy_read(bytes, length, "a.npy", &arena, &read, &it.err), "%s", it.err.text);
    ck_assert_int_eq(read.rank, 2);
    ck_assert_int_eq(read.shape[0], 3);
    ck_assert_int_eq(read.shape[1], 2);
    for (ptrdiff_t row = 0; row < 3; row++)
        for (ptrdiff_t column = 0; column < 2; column++)
            ck_assert_float_eq(*tensor_at2(&read, row, column), transposed[2 * row + column]);
    free(bytes);
    arena_finish(&arena);
    stepping_close(&it);
}

TEST(a_file_that_exists_is_replaced_only_when_asked)
{
    open_numbers();
    scratch_write("a.csv", "precious", 8);
    ck_assert(!stepping_try(&it, words_for("save", "a.csv")));
    ck_assert_ptr_nonnull(strstr(it.err.text, "already exists; \"save-over "));
    expect_file("a.csv", "precious");
    say(words_for("save-over", "a.csv"));
    ck_assert_ptr_nonnull(strstr(it.session.message.text, "replaced "));
    expect_file("a.csv", ",0,1,2\r\n0,1.5,nan,-inf\r\n1,0.1,-0,1e-07\r\n");
    stepping_close(&it);
}

TEST(what_cannot_be_saved_is_refused_and_leaves_nothing)
{
    open_numbers();
    ck_assert(!stepping_try(&it, words_for("save", "a.txt")));
    ck_assert_ptr_nonnull(strstr(it.err.text, "a slice can be saved as .csv or .npy, not "));
    ck_assert(!stepping_try(&it, words_for("save", "no-such-folder/a.csv")));
    ck_assert_ptr_nonnull(strstr(it.err.text, "No such file or directory"));
    ck_assert_int_eq(scratch_count(), 0);
    stepping_close(&it);
}

TEST(words_stand_behind_their_index_and_are_quoted)
{
    static const char *const words[] = {"=1+1", "a,b", "\"so\"", "d", "e", "f", "g", "h", "i"};
    TinyShape shape = {
        .batch = 1, .queries = 3, .keys = 3, .d_k = 2, .d_v = 2, .d_in = 2, .vocabulary = 9};
    stepping_open_tiny(&it, shape, 1);
    int64_t *tokens = scenario_tensor(&it.scenario, "tokens")->tensor.storage.i64;
    for (int i = 0; i < 3; i++)
        tokens[i] = i;
    it.scenario.vocabulary = words;
    stepping_open_again(&it);
    say("goto softmax");
    say(words_for("save", "a.csv"));
    size_t length;
    unsigned char *bytes = scratch_read(scratch_path("a.csv"), &length);
    const char *start = ",0 =1+1,\"1 a,b\",\"2 \"\"so\"\"\"\r\n0 =1+1,";
    ck_assert_uint_gt(length, strlen(start));
    ck_assert_mem_eq(bytes, start, strlen(start));
    free(bytes);
    stepping_close(&it);
}

// --- The session's choice of axes: which two are rows and columns, and where the others stand.

FIXTURE(NULL, NULL)

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
    check_step("layer1 softmax");
    ck_assert_int_eq(at()[1], 1); // the same number of the other layer
    ck_assert_int_eq(at()[2], 2);
    press("]"); // behind the layers stands what reads them
    check_step("half_square");
    press("]");
    ck_assert_str_eq(it.session.message.text, "no layer after this one");
    press("[");
    check_step("layer1 softmax");
    press("[");
    check_step("softmax");
    press("+");
    ck_assert_int_eq(at()[1], 1); // of two heads the last
    press("-");
    ck_assert_int_eq(at()[1], 0);
    say("goto layer0 score"); // the first layer's go without
    check_step("score");
    ck_assert_int_eq(trace_find(&it.session.run.trace, "layer0.scores"),
                     trace_find(&it.session.run.trace, "scores"));
    say("goto softmax_backward");
    check_step("layer1 softmax_backward");
    press("[");
    check_step("softmax_backward");
    press("[");
    check_step("softmax_backward"); // nothing is embedded here
    ck_assert_str_eq(it.session.message.text, "no layer before this one");
    close_all();
    open_tiny();
    say("goto score");
    press("]");
    ck_assert_int_eq(at()[1], 1);
    expect_refusal("layer-next", "this model has one layer");
    close_all();
}

// Both gradients of a gate are products, each in a line of its own.
TEST(the_line_of_a_term_is_that_of_the_gradient_shown)
{
    static const char *const wanted[][2] = {{"tensor grad.ff_gate", "* slope"},
                                            {"tensor grad.ff_expanded", "* silu(gate)"}};
    TinyShape shape = tiny_self(1, 1, 2);
    shape.d_out = shape.d_in;
    shape.residual = shape.rms_norm = shape.gated = shape.backward = true;
    shape.feed_forward = 2;
    open_shape(shape);
    say("depth term");
    for (int i = 0; i < 2; i++) {
        say("goto swiglu_backward");
        say(wanted[i][0]);
        SessionTerm now;
        for (int term = 0; term < 2; term++)
            if (session_term(&it.session, &now) && now.term.kind != TERM_FACTOR)
                say("next");
        ptrdiff_t line = session_code_of_term(&it.session);
        ck_assert_int_ge(line, 0);
        ck_assert_str_eq(session_tensor(&it.session)->name, wanted[i][0] + strlen("tensor "));
        const char *text = session_code(&it.session)->lines[line];
        ck_assert_msg(strstr(text, wanted[i][1]) != NULL, "%s", text);
    }
    close_all();
}

SUITE("session")
