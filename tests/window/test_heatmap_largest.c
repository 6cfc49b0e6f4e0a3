// The cell that a window opens with: the largest that is shown and means something.
#include "looking.h"

#include <math.h>
#include "suite.h"

static Looking it;

static Tensor tensor(const char *name)
{
    Trace *trace = &it.session.run.trace;
    int number = trace_find(trace, name);
    ck_assert_int_ge(number, 0);
    return trace->tensors[number].tensor;
}

// Two sequences, two heads of 3 x 3.
static void open_it(void)
{
    looking_open(&it, tiny_self(2, 2, 3));
}

static void close_it(void)
{
    looking_close(&it);
}

// Every weight is a third but those that the test writes.
static Tensor even_weights(void)
{
    Tensor weights = tensor("attn_weights");
    for (ptrdiff_t i = 0; i < tensor_count(&weights); i++)
        weights.storage.f32[i] = 1.0f / 3.0f;
    return weights;
}

static void check_cursor(ptrdiff_t head, ptrdiff_t row, ptrdiff_t column)
{
    const FigureRequest *request = &it.session.picture.request;
    looking_say(&it, "cell-largest");
    ck_assert(request->has_cursor);
    ck_assert_int_eq(request->cursor.head, head);
    ck_assert_int_eq(request->cursor.row, row);
    ck_assert_int_eq(request->cursor.column, column);
}

TEST(the_largest_is_chosen_and_of_equal_ones_the_first)
{
    Tensor weights = even_weights();
    check_cursor(0, 0, 0);
    *tensor_at4(&weights, 0, 1, 0, 2) = 0.5f;
    *tensor_at4(&weights, 0, 1, 1, 0) = 0.5f;
    *tensor_at4(&weights, 1, 0, 0, 0) = 0.9f; // of the other sequence
    *tensor_at4(&weights, 0, 0, 0, 0) = NAN;
    check_cursor(1, 0, 2);
    ck_assert_int_eq(picture_chosen(&it.session).column, 2); // the session's element, too
    ck_assert_int_eq(it.session.picture.request.head, 1);
}

TEST(only_what_is_shown_counts)
{
    Tensor weights = even_weights();
    *tensor_at4(&weights, 0, 0, 2, 1) = 0.5f;
    *tensor_at4(&weights, 0, 1, 1, 0) = 0.75f;
    check_cursor(1, 1, 0);
    looking_say(&it, "heads 0");
    check_cursor(0, 2, 1);
    looking_say(&it, "picture-as grid");
    looking_say(&it, "sequence 1");
    *tensor_at4(&weights, 1, 1, 2, 2) = 0.5f;
    check_cursor(1, 2, 2);
}

// Means by hand: (0.5 + 1/3) / 2 < (0.45 + 0.45) / 2 = 0.45.
TEST(of_the_mean_it_is_the_largest_mean)
{
    Tensor weights = even_weights();
    *tensor_at4(&weights, 0, 0, 2, 1) = 0.5f;
    *tensor_at4(&weights, 0, 0, 1, 2) = *tensor_at4(&weights, 0, 1, 1, 2) = 0.45f;
    looking_say(&it, "mean");
    check_cursor(0, 1, 2);
}

TEST(neither_padding_nor_masked_cells_are_chosen)
{
    close_it();
    TinyShape shape = tiny_self(1, 1, 3);
    shape.vocabulary = 7;
    looking_open(&it, shape);
    Tensor weights = even_weights(), padding = tensor("key_padding_mask");
    for (int token = 0; token < 3; token++)
        *tensor_flag2(&padding, 0, token) = token == 2;
    *tensor_at4(&weights, 0, 0, 2, 0) = 0.9f; // what padding looks at
    *tensor_at4(&weights, 0, 0, 0, 2) = 0.8f; // a look at padding
    *tensor_at4(&weights, 0, 0, 1, 1) = 0.5f;
    check_cursor(0, 1, 1);
    close_it();
    looking_open(&it, tiny_causal(1, 1, 3));
    weights = even_weights();
    *tensor_at4(&weights, 0, 0, 0, 2) = 0.9f; // behind the mask
    looking_say(&it, "scale all");
    *tensor_at4(&weights, 0, 0, 1, 1) = 0.5f;
    check_cursor(0, 1, 1);
}

// Under a causal mask the first query has one key, whose weight is 1 whatever was learnt: 1 of 1 is an
// even share. 0.75 of 2 is one and a half, 0.6 of 3 nearly two.
TEST(where_colours_show_shares_the_largest_share_is_chosen)
{
    close_it();
    looking_open(&it, tiny_causal(1, 1, 3));
    Tensor weights = even_weights();
    ck_assert_int_eq(it.session.picture.request.scale, FIGURE_SCALE_EVEN);
    *tensor_at4(&weights, 0, 0, 0, 0) = 1.0f;
    *tensor_at4(&weights, 0, 0, 1, 1) = 0.75f;
    *tensor_at4(&weights, 0, 0, 2, 1) = 0.6f;
    check_cursor(0, 2, 1);
    looking_say(&it, "scale all");
    check_cursor(0, 0, 0);
}

TEST(where_nothing_is_to_be_seen_nothing_is_chosen)
{
    Tensor weights = tensor("attn_weights");
    for (ptrdiff_t i = 0; i < tensor_count(&weights); i++)
        weights.storage.f32[i] = NAN;
    ck_assert(!looking_try(&it, "cell-largest"));
    ck_assert(!it.session.picture.request.has_cursor);
}

SUITE_WITH("heatmap_largest", open_it, close_it)
