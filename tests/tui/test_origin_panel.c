// The origin panel as it is drawn: the law of origin holds for what a person reads, for every stage
// of every tiny pipeline; and the parts of the panel say what they should.

#include "suite.h"
#include "talking_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *row_text(int row)
{
    static char text[2048];
    size_t used = 0;
    for (int column = 0; column < cells.columns; column++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 cells_at(&cells, row, column)->text);
    return text;
}

// The row with this text, from the text on; NULL where there is none.
static const char *find(const char *wanted)
{
    for (int row = 0; row < cells.rows; row++) {
        const char *found = strstr(row_text(row), wanted);
        if (found)
            return found;
    }
    return NULL;
}

static void check_shown(const char *wanted)
{
    ck_assert_msg(find(wanted) != NULL, "\"%s\" is not on screen", wanted);
}

// The row where `first` stands goes on with `then`.
static void check_row(const char *first, const char *then)
{
    const char *row = find(first);
    ck_assert_msg(row && strstr(row, then), "no row with \"%s\" and \"%s\"", first, then);
}

static void check_not_shown(const char *wanted)
{
    ck_assert_msg(find(wanted) == NULL, "\"%s\" is on screen", wanted);
}

static void finish(void)
{
    cells_finish(&cells);
    stepping_close(&it);
}

// --- the law, as it is read

// The number in "= NUMBER, the stored number".
static float number_told(void)
{
    for (int row = cells.rows - 1; row >= 0; row--) {
        const char *text = row_text(row), *end = strstr(text, ", the stored number");
        if (!end)
            continue;
        const char *start = end;
        while (start > text && strncmp(start, "= ", 2) != 0)
            start--;
        start += 2;
        return strncmp(start, "True", 4) == 0    ? 1.0f
               : strncmp(start, "False", 5) == 0 ? 0.0f
                                                 : strtof(start, NULL);
    }
    ck_abort_msg("no stored number on screen");
    return NAN;
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static float stored(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    return tensor->dtype == DTYPE_F32   ? tensor->storage.f32[place]
           : tensor->dtype == DTYPE_I64 ? (float)tensor->storage.i64[place]
                                        : (float)tensor->storage.boolean[place];
}

static void check_tensor(int number)
{
    const TraceTensor *tensor = &it.session.run.trace.tensors[number];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    char words[160];
    snprintf(words, sizeof words, "goto %d", tensor->step + 1);
    say(words);
    snprintf(words, sizeof words, "tensor %s", tensor->name);
    say(words);
    int element = 0;
    for (bool more = true; more; more = tensor_next(&tensor->tensor, at), element++) {
        if (!suite_takes(element, 4))
            continue;
        Command command = {.kind = COMMAND_ELEMENT, .rank = tensor->tensor.rank};
        memcpy(command.index, at, sizeof command.index);
        ck_assert(session_apply(&it.session, &command, &it.err));
        draw(80, 24);
        ck_assert_msg(same_bits(number_told(), stored(&tensor->tensor, at)), "%s",
                      stepping_chosen(&it));
    }
}

SLICE_TEST(elements_of_every_stage_are_told_to_their_last_bit, tiny_shape_count, 1)
{
    stepping_open_tiny(&it, tiny_shapes[_i], (uint64_t)_i + 1);
    say("last");
    say("origin");
    for (int number = 0; number < it.session.run.trace.tensor_count; number++)
        if (it.session.run.trace.tensors[number].step >= 0)
            check_tensor(number);
    finish();
}

// --- what it says

TEST(a_sum_shows_its_indices_its_numbers_and_its_terms)
{
    // document 002's printed q[0] and k[0]; the sums by hand, see test_session_break.c
    stepping_open_printed(&it);
    say("origin");
    draw(120, 40);
    check_shown("= sum_d q[0,0,d] * k[0,0,d], d=0...3");
    check_shown("= -0.1392 * 0.5735 + 0.5523 * 0.6561 + 0.282 * -0.0016 + 0.0902 * -0.108");
    check_shown("running sum");
    // 0.07983 of 0.07983 + 0.36236 + 0.00045 + 0.00974 is 17.6 %
    check_row("-0.0798312", "17.6%");
    check_row("0.362364", "80.1%");
    check_row("0.362364", "0.2825328"); // -0.0798312 + 0.36236403
    check_shown("Enter q[0,0,0] = -0.1392");
    check_shown("2     k[0,0,0] = 0.5735");
    say("origin-order size");
    draw(120, 40);
    check_shown("share so far");
    check_row("-0.0798312", "97.7%"); // 80.1 + 17.6
    finish();
}

TEST(a_weight_is_shown_in_the_phases_of_softmax)
{
    stepping_open_printed(&it);
    say("goto softmax");
    say("@[0,0,1]");
    say("origin");
    draw(120, 40);
    static const char *const phases[] = {"maximum ", "shifted ", "exp ", "sum ", "quotient "};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        check_shown(phases[i]);
    check_shown("of all 3 exps, as 16 sums");
    // document 002 prints this weight as 0.3045
    ck_assert_float_eq_tol(number_told(), 0.3045f, 1e-4f);
    finish();
}

TEST(the_way_is_written_from_where_enter_was_pressed)
{
    stepping_open_printed(&it);
    say("goto softmax");
    say("origin");
    say("enter");
    say("enter");
    draw(200, 60);
    check_shown("attn_weights[0,0,0] > scores_scaled[0,0,0] > scores[0,0,0]");
    say("down");
    draw(200, 60);
    check_shown("scores_scaled[0,0,0] .. scores[0,1,0]");
    say("back-out");
    draw(200, 60);
    check_shown("attn_weights[0,0,0] > scores_scaled[0,0,0] ");
    say("back-out");
    draw(200, 60);
    check_not_shown("] > ");
    finish();
}

TEST(a_view_is_the_same_place_and_a_copy_is_another)
{
    // q (2, 3, 4), strides 12 4 1: element [1, 2, 3] of 2 heads of 2 is head 1, feature 1
    TinyShape shape = {
        .batch = 2, .queries = 3, .keys = 3, .heads = 2, .d_k = 2, .d_v = 2, .d_in = 5, .d_out = 4};
    stepping_open_tiny(&it, shape, 1);
    say("goto view q");
    say("@[1,2,1,1]");
    say("origin");
    draw(120, 40);
    check_shown("q[1,2,3]: 0 + 1*12 + 2*4 + 3*1 = 23");
    check_shown("q_view[1,2,1,1]: 0 + 1*12 + 2*4 + 1*2 + 1*1 = 23");
    check_shown("The same place in the same memory: no number has moved.");
    say("goto transpose q");
    say("@[1,1,2,1]");
    draw(120, 40);
    check_shown("q_heads[1,1,2,1]: 0 + 1*12 + 1*2 + 2*4 + 1*1 = 23");
    say("goto concat");
    say("@[1,2,3]"); // from head 1, feature 1: 12 + 6 + 4 + 1 of the heads' own memory
    draw(120, 40);
    check_shown("context_heads[1,1,2,1]: 0 + 1*12 + 1*6 + 2*2 + 1*1 = 23");
    check_shown("context_concat[1,2,3]: 0 + 1*12 + 2*4 + 3*1 = 23");
    check_shown("A copy, in new memory");
    finish();
}

TEST(rules_are_told_in_words)
{
    stepping_open_tiny(&it, tiny_shapes[3], 1); // sequence 2 has 2 of 4 tokens
    say("@[2,3]");
    say("origin");
    draw(120, 40);
    check_shown("rule: beyond the sequence's length, the pad id");
    check_shown("lengths[2] = 2, and this is place 3");
    say("goto embed");
    say("@[2,3,0]");
    draw(120, 40);
    check_shown("padding, selects the row");
    check_shown("The same id is at token 2, 3 of this sequence: the same row, the same");
    say("goto mask");
    say("@[2,0,1,3]");
    draw(120, 40);
    check_shown("rule: the key is padding");
    finish();
}

// What is divided, and by which number: in the online softmax by a row's sum, which is not a scale.
TEST(a_quotient_names_its_divisor)
{
    int number = 0;
    while (tiny_shapes[number].options.softmax_block == 0)
        number++;
    stepping_open_printed(&it);
    say("goto scale");
    say("@[0,0,1]");
    say("origin");
    draw(120, 40);
    check_shown("= scores[0,0,1] / 2");
    finish();
    stepping_open_tiny(&it, tiny_shapes[number], 1);
    say("goto normalise");
    say("@[0,0,1,0]");
    say("origin");
    draw(120, 40);
    check_shown("= running_output[0,0,2,1,0] / running_sum[0,0,2,1]");
    say("goto weights_again");
    say("@[0,0,1,0]");
    draw(120, 40);
    check_row("e^(score - maximum of the row), ", "scores");
    check_shown("divided by the sum of all blocks, running_sum[0,0,2,1]: ");
    finish();
}

TEST(nan_is_traced_to_where_it_begins)
{
    stepping_open_printed(&it);
    it.scenario.tensors[0].tensor.storage.f32[1] = INFINITY; // q[0,0,1]
    it.scenario.tensors[1].tensor.storage.f32[1] = 0.0f;     // k[0,0,1]
    stepping_open_again(&it);
    say("goto softmax");
    say("origin");
    draw(120, 40);
    check_shown("NaN came with scores_scaled[0,0,0].");
    say("enter");
    draw(120, 40);
    check_shown("NaN came with scores[0,0,0].");
    say("enter");
    ck_assert_int_eq(it.session.origin.marked, 1);
    draw(120, 40);
    check_shown("NaN begins here, with term 1 (multiply-add)");
    it.scenario.tensors[0].tensor.storage.f32[1] = 0.5523f;
    it.scenario.tensors[1].tensor.storage.f32[1] = 0.6561f;
    finish();
}

TEST(inputs_say_where_they_come_from)
{
    stepping_open_printed(&it);
    say("tensor k");
    say("origin");
    draw(80, 24);
    check_shown("Given, not computed: it starts here.");
    check_shown("k: document 002");
    finish();
}

// --- small screens

// Score (1, 0) of document 002 is a sum of four products. By hand, from the printed Q and K:
// 0.2970*0.5735 = 0.1703295, 0.8269*0.6561 = 0.5425291, 0.4085*0.0016 = 0.0006536, and
// -0.1327*0.1080 = -0.0143316.
TEST(a_small_screen_keeps_the_terms_of_a_sum)
{
    stepping_open_printed(&it);
    say("@[0, 1, 0]");
    say("origin");
    draw(80, 24); // everything
    check_shown("query 1, key 0");
    check_shown("= 0.297 * 0.5735 + 0.8269 * 0.6561 + ");
    draw(80, 15); // what the list says is not said above it too
    check_not_shown("query 1, key 0");
    check_not_shown("0.297 * 0.5735");
    check_row("= sum_d", "d=0...3");
    check_shown(" 0.17032");
    check_shown(" 0.542529 ");
    check_shown(" 0.0006536 ");
    check_shown(" -0.0143316 ");
    check_row("Enter q[0,1,0]", "0.297");
    finish();
}

SUITE("origin_panel")
