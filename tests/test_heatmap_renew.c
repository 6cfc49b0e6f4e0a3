// A heatmap whose trace changes under it: what was chosen stays where the new tensors have it.
#include "looking.h"

#include <string.h>
#include "suite.h"

// Another trace that is run, for the heatmap to go on with.
typedef struct Run {
    Scenario scenario;
    Trace trace;
} Run;

static Looking it;
static Run after;

static void run(Run *made, TinyShape shape)
{
    tiny_scenario(&made->scenario, shape, 6);
    ck_assert_msg(trace_open(&made->trace, &made->scenario, &it.err) &&
                      trace_run(&made->trace, &it.err),
                  "%s", it.err.text);
}

static void draw(void)
{
    looking_draw(&it);
}

static void apply(const char *words)
{
    looking_say(&it, words);
}

// Three sequences, four heads of 6 x 6.
static void open_heatmap(void)
{
    looking_open(&it, tiny_self(3, 4, 6));
    draw();
}

static void close_heatmap(void)
{
    looking_close(&it);
    if (after.trace.step_count > 0) {
        trace_close(&after.trace);
        scenario_finish(&after.scenario);
    }
    after = (Run){.trace = {.step_count = 0}};
}

static void renew_with(TinyShape shape)
{
    run(&after, shape);
    int weights = trace_find(&after.trace, "attn_weights");
    ck_assert_msg(heatmap_renew(&it.heatmap, &after.trace, weights, &it.err), "%s", it.err.text);
    draw();
}

static const char *shown_tensor(void)
{
    return it.heatmap.trace->tensors[it.heatmap.request.tensor].name;
}

// A view of which everything was chosen: what is not the default is seen to be lost.
static void choose_everything(void)
{
    apply("size 300 300 1000");
    apply("tensor scores_scaled");
    apply("batch 2");
    apply("head 3");
    apply("map magma");
    apply("scale head");
    apply("dark");
    for (int i = 0; i < 6; i++)
        apply("zoom_in");
    apply("cursor 3 4 5");
    apply("lock_row");
}

START_TEST(everything_chosen_stays_in_tensors_of_the_same_shape)
{
    choose_everything();
    FigureRequest was = it.heatmap.request;
    ck_assert_int_ne(was.zoom, 0);
    ck_assert_int_gt(was.first_column, 0);
    renew_with(tiny_self(3, 4, 6));
    const FigureRequest *is = &it.heatmap.request;
    ck_assert_ptr_eq(it.heatmap.trace, &after.trace);
    ck_assert_str_eq(shown_tensor(), "scores_scaled");
    ck_assert_int_eq(is->batch, 2);
    ck_assert_int_eq(is->head, 3);
    ck_assert_int_eq(is->mode, FIGURE_HEAD);
    ck_assert_int_eq(is->map, COLOUR_MAGMA);
    ck_assert_int_eq(is->scale, FIGURE_SCALE_HEAD);
    ck_assert(is->dark && is->has_cursor);
    ck_assert_int_eq(is->cursor.head, 3);
    ck_assert_int_eq(is->cursor.row, 4);
    ck_assert_int_eq(is->cursor.column, 5);
    ck_assert_int_eq(is->lock, FIGURE_LOCKED_ROW);
    ck_assert_int_eq(is->zoom, was.zoom);
    ck_assert_int_eq(is->first_row, was.first_row);
    ck_assert_int_eq(is->first_column, was.first_column);
}
END_TEST

START_TEST(what_is_not_there_any_more_becomes_the_nearest_that_is)
{
    choose_everything();
    renew_with(tiny_self(2, 2, 5));
    const FigureRequest *is = &it.heatmap.request;
    ck_assert_str_eq(shown_tensor(), "scores_scaled");
    ck_assert_int_eq(is->batch, 1);
    ck_assert_int_eq(is->head, 1);
    ck_assert_int_eq(is->cursor.head, 1);
    ck_assert_int_eq(is->cursor.row, 4);
    ck_assert_int_eq(is->cursor.column, 4);
    ck_assert_int_eq(is->lock, FIGURE_UNLOCKED); // key 5 is not there
    ck_assert_int_eq(is->zoom, 0);
    ck_assert_int_eq(is->map, COLOUR_MAGMA);
}
END_TEST

START_TEST(a_lock_stays_where_its_cell_does)
{
    apply("head 1");
    apply("cursor 1 2 3");
    apply("lock_cell");
    renew_with(tiny_self(3, 4, 9));
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_LOCKED_CELL);
    ck_assert_int_eq(it.heatmap.request.cursor.row, 2);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 3);
}
END_TEST

// Without heads in front nothing is called scores_masked; only a causal run has it.
START_TEST(a_tensor_that_is_gone_gives_way_to_the_one_that_was_named)
{
    run(&after, tiny_causal(3, 4, 6));
    int masked = trace_find(&after.trace, "scores_masked");
    ck_assert_int_ge(masked, 0);
    ck_assert(heatmap_renew(&it.heatmap, &after.trace, masked, &it.err));
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    apply("tensor scores_masked");
    apply("map cividis");
    int weights = trace_find(&it.trace, "attn_weights");
    ck_assert_int_lt(trace_find(&it.trace, "scores_masked"), 0);
    ck_assert(heatmap_renew(&it.heatmap, &it.trace, weights, &it.err));
    draw();
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    ck_assert_int_eq(it.heatmap.request.map, COLOUR_VIRIDIS); // shares are no scores
}
END_TEST

// 1.0 is the last colour of viridis, 0.0 the first.
START_TEST(numbers_that_changed_in_place_have_other_cells_of_another_version)
{
    Tensor weights = it.trace.tensors[it.heatmap.request.tensor].tensor;
    apply("scale unit");
    *tensor_at4(&weights, 0, 0, 0, 0) = 0.0f;
    ck_assert(heatmap_renew(&it.heatmap, &it.trace, it.heatmap.request.tensor, &it.err));
    draw();
    unsigned long version = it.heatmap.list.cells_version;
    ck_assert_uint_eq(it.heatmap.list.cells[0], 0x440154);
    *tensor_at4(&weights, 0, 0, 0, 0) = 1.0f;
    ck_assert(heatmap_renew(&it.heatmap, &it.trace, it.heatmap.request.tensor, &it.err));
    ck_assert(it.heatmap.changed);
    draw();
    ck_assert_uint_eq(it.heatmap.list.cells[0], 0xfde725);
    ck_assert_uint_ne(it.heatmap.list.cells_version, version);
}
END_TEST

START_TEST(from_tensor_to_tensor_the_view_stays_too)
{
    choose_everything();
    int zoom = it.heatmap.request.zoom;
    apply("next_tensor"); // the weights, of the same shape
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    ck_assert_int_eq(it.heatmap.request.zoom, zoom);
    ck_assert_int_eq(it.heatmap.request.lock, FIGURE_LOCKED_ROW);
    ck_assert_int_eq(it.heatmap.request.map, COLOUR_VIRIDIS);
    apply("map magma");
    apply("next_tensor"); // context_heads: 6 x 2
    ck_assert_str_eq(shown_tensor(), "context_heads");
    ck_assert_int_eq(it.heatmap.request.head, 3);
    ck_assert_int_eq(it.heatmap.request.cursor.row, 4);
    ck_assert_int_eq(it.heatmap.request.cursor.column, 1);
    ck_assert_int_eq(it.heatmap.request.zoom, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("heatmap_renew");
    TCase *tcase = tcase_create("renew");
    tcase_add_checked_fixture(tcase, open_heatmap, close_heatmap);
    tcase_add_test(tcase, everything_chosen_stays_in_tensors_of_the_same_shape);
    tcase_add_test(tcase, what_is_not_there_any_more_becomes_the_nearest_that_is);
    tcase_add_test(tcase, a_lock_stays_where_its_cell_does);
    tcase_add_test(tcase, a_tensor_that_is_gone_gives_way_to_the_one_that_was_named);
    tcase_add_test(tcase, numbers_that_changed_in_place_have_other_cells_of_another_version);
    tcase_add_test(tcase, from_tensor_to_tensor_the_view_stays_too);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
