// A number's origin as a film, its patterns and its longest line.
#include <math.h>
#include <string.h>
#include "drawn.h"
#include "looking.h"
#include "number_text.h"
#include "suite.h"

static Looking it;

static bool says(const char *text)
{
    return drawn_find(&it.view.list, text, false) != NULL;
}

static void open_it(void)
{
    looking_open(&it, tiny_causal(1, 2, 3));
    looking_draw(&it);
}

static void close_it(void)
{
    looking_close(&it);
}

static bool says_number(float number)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", (double)number);
    return drawn_find(&it.view.list, text, true) != NULL;
}

// Of the two products a film has gone through one: its inputs are there, the other product, the sum and
// what they come to are not.
TEST(a_film_shows_what_it_has_gone_through)
{
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    looking_press(&it, "o");
    const Trace *trace = &it.session.run.trace;
    Tensor q = trace->tensors[trace_find(trace, "q_heads")].tensor;
    Tensor k = trace->tensors[trace_find(trace, "k_heads")].tensor;
    float first = *tensor_at4(&q, 0, 1, 2, 0) * *tensor_at4(&k, 0, 1, 0, 0);
    float second = *tensor_at4(&q, 0, 1, 2, 1) * *tensor_at4(&k, 0, 1, 0, 1);
    float sum = fmaf(*tensor_at4(&q, 0, 1, 2, 1), *tensor_at4(&k, 0, 1, 0, 1), first);
    for (int gone = 1; gone <= 2; gone++) {
        it.session.picture.request.origin_gone = gone;
        looking_size(&it, 1280, 800);
        ck_assert(says_number(*tensor_at4(&q, 0, 1, 2, 1)) && says_number(first));
        ck_assert_int_eq(says_number(second), gone == 2);
        ck_assert_int_eq(says_number(sum), gone == 2);
        ck_assert_int_eq(says("stored: "), gone == 2);
        ck_assert_int_eq(says("scores[0,1,2,0] = "), gone == 2);
    }
}

// Each exp of a weight takes the maximum away, which is found before the first of them; their sum is not.
TEST(a_film_of_a_weight_says_the_maximum_from_the_beginning)
{
    char text[64], number[NUMBER_FULL_TEXT_MAX];
    looking_say(&it, "cell [1,2,0]");
    looking_press(&it, "o");
    const Trace *trace = &it.session.run.trace;
    Tensor scores = trace->tensors[trace_find(trace, "scores_scaled")].tensor;
    float most = fmaxf(fmaxf(*tensor_at4(&scores, 0, 1, 2, 0), *tensor_at4(&scores, 0, 1, 2, 1)),
                       *tensor_at4(&scores, 0, 1, 2, 2));
    snprintf(text, sizeof text, "maximum %s", number_full_text(most, number));
    for (int gone = 1; gone <= 3; gone++) {
        it.session.picture.request.origin_gone = gone;
        looking_size(&it, 1280, 800);
        ck_assert(says(text));
        ck_assert_int_eq(says("sum of all exps"), gone == 3);
    }
}

// The line of the marked term ends with its running sum; it is written smaller before that is cut.
TEST(the_running_sum_is_not_cut)
{
    looking_say(&it, "show scores");
    looking_say(&it, "cell [1,2,0]");
    looking_press(&it, "o");
    looking_size(&it, 1280, 800);
    const DisplayItem *wide = drawn_find(&it.view.list, "term 1 of 2", false);
    int size = wide->size, room = font_width(&it.view.metrics, it.view.list.texts + wide->at, size);
    looking_size(&it, room + 40, 800); // 8 less than its margins leave
    const DisplayItem *line = drawn_find(&it.view.list, "term 1 of 2", false);
    ck_assert_ptr_null(strstr(it.view.list.texts + line->at, "\xe2\x80\xa6"));
    ck_assert_int_lt(line->size, size);
}

// Shares are of the whole sum, so they come with its last exp.
TEST(a_film_of_a_softmax_ends_with_the_shares)
{
    looking_say(&it, "cell [1,2,0]");
    looking_press(&it, "o");
    const Trace *trace = &it.session.run.trace;
    Tensor weights = trace->tensors[trace_find(trace, "attn_weights")].tensor;
    ptrdiff_t keys = weights.shape[3];
    for (ptrdiff_t gone = keys - 1; gone <= keys; gone++) {
        it.session.picture.request.origin_gone = gone;
        looking_size(&it, 1280, 800);
        ck_assert_int_eq(says_number(*tensor_at4(&weights, 0, 1, 2, 0)), gone == keys);
    }
}

// The first query of a causal text sees one key: the scores of the others are -inf.
TEST(a_pattern_of_an_origin_has_its_legend)
{
    looking_close(&it);
    looking_open(&it, tiny_causal(1, 1, 3));
    looking_say(&it, "cell [0,0,0]");
    looking_press(&it, "o");
    looking_size(&it, 1280, 800);
    ck_assert(drawn_find(&it.view.list, "-infinity", true) != NULL);
    ck_assert(drawn_find(&it.view.list, "NaN", true) == NULL);
    looking_press(&it, "o");
    looking_say(&it, "cell [0,2,0]"); // the last sees all
    looking_press(&it, "o");
    ck_assert(drawn_find(&it.view.list, "-infinity", true) == NULL);
}

SUITE_WITH("figure_film", open_it, close_it)
