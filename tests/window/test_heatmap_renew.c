// A picture whose run changes under it: what was chosen stays where the new tensors have it.
#include "drawn.h"
#include "looking.h"

#include <string.h>
#include "session_actions.h"
#include "suite.h"

static Looking it;
static Scenario after; // for the session to go on with

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
    scenario_finish(&after);
    after = (Scenario){.name = NULL};
}

// As an edit does that makes another pipeline.
static void go_on_with(const Scenario *scenario)
{
    int lost;
    ck_assert_msg(session_replan(&it.session, scenario, &lost, &it.err), "%s", it.err.text);
    apply("redraw");
}

static void renew_with(TinyShape shape)
{
    tiny_scenario(&after, shape, 6);
    go_on_with(&after);
}

static const char *shown_tensor(void)
{
    return picture_tensor_name(&it.session);
}

// A view of which everything was chosen: what is not the default is seen to be lost.
static void choose_everything(void)
{
    looking_size(&it, 300, 300);
    apply("show scores_scaled");
    apply("sequence 2");
    apply("head 3");
    apply("colours magma");
    apply("scale head");
    apply("dark");
    for (int i = 0; i < 6; i++)
        apply("zoom-in");
    apply("cell [3,4,5]");
    apply("row-lock");
}

TEST(everything_chosen_stays_in_tensors_of_the_same_shape)
{
    choose_everything();
    FigureRequest was = it.session.picture.request;
    ck_assert_int_ne(was.zoom, 0);
    ck_assert_int_gt(was.first_column, 0);
    renew_with(tiny_self(3, 4, 6));
    const FigureRequest *is = &it.session.picture.request;
    ck_assert_ptr_eq(picture_trace(&it.session)->scenario, &after);
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

TEST(what_is_not_there_any_more_becomes_the_nearest_that_is)
{
    choose_everything();
    renew_with(tiny_self(2, 2, 5));
    const FigureRequest *is = &it.session.picture.request;
    ck_assert_str_eq(shown_tensor(), "scores_scaled");
    ck_assert_int_eq(is->batch, 1);
    ck_assert_int_eq(is->head, 1);
    ck_assert_int_eq(is->cursor.head, 1);
    ck_assert_int_eq(is->cursor.row, 4);
    ck_assert_int_eq(is->cursor.column, 4);
    ck_assert_int_eq(is->lock, FIGURE_UNLOCKED); // head 3 is not there
    ck_assert_int_eq(is->zoom, 0);
    ck_assert_int_eq(is->map, COLOUR_MAGMA);
}

TEST(a_lock_stays_where_its_cell_does)
{
    apply("head 1");
    apply("cell [1,2,3]");
    apply("cell-lock");
    renew_with(tiny_self(3, 4, 9));
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_CELL);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 2);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 3);
}

// A word is locked as a query: it is one in the context, too, whose columns are features, and none where
// rows are keys.
TEST(a_locked_word_stays_where_rows_are_the_same_words)
{
    const FigureRequest *is = &it.session.picture.request;
    apply("cell [1,4,5]");
    apply("row-lock");
    apply("show context_heads");
    ck_assert_int_eq(is->lock, FIGURE_LOCKED_ROW);
    ck_assert_int_eq(is->cursor.row, 4);
    ck_assert_int_lt(is->cursor.column, it.session.picture.place.shape[3]);
    apply("show k_heads");
    ck_assert_int_eq(is->lock, FIGURE_UNLOCKED);
    apply("show attn_weights");
    apply("cell [1,4,1]");
    apply("cell-lock");
    apply("show scores_scaled");
    ck_assert_int_eq(is->lock, FIGURE_LOCKED_CELL);
    apply("show context_heads"); // key 1 is no feature 1
    ck_assert_int_eq(is->lock, FIGURE_UNLOCKED);
}

TEST(the_line_of_keys_says_what_space_does_now)
{
    const DisplayList *list = &it.view.list;
    it.view.keys = true;
    apply("cells-play");
    ck_assert(drawn_find(list, "Space pause", true) && !drawn_find(list, "Space play", true));
    apply("cells-play");
    ck_assert(drawn_find(list, "Space play", true) && !drawn_find(list, "Space pause", true));
}

// Only a causal run has scores_masked. Without it the session stands at another step of the rest.
TEST(a_tensor_that_is_gone_gives_way_to_the_one_that_is_looked_at)
{
    tiny_scenario(&after, tiny_causal(3, 4, 6), 6);
    go_on_with(&after);
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    apply("show scores_masked");
    apply("colours cividis");
    go_on_with(&it.scenario);
    ck_assert_int_lt(trace_find(&it.session.run.trace, "scores_masked"), 0);
    ck_assert_str_eq(shown_tensor(), session_tensor(&it.session)->name);
}

// 1.0 is the last colour of viridis, 0.0 the first.
TEST(numbers_that_changed_in_place_have_other_cells_of_another_version)
{
    Tensor weights = it.session.run.trace.tensors[it.session.picture.request.tensor].tensor;
    apply("scale unit");
    *tensor_at4(&weights, 0, 0, 0, 0) = 0.0f;
    it.session.run.number++;
    apply("redraw");
    unsigned long version = it.view.list.cells_version;
    ck_assert_uint_eq(it.view.list.cells[0], 0x440154);
    *tensor_at4(&weights, 0, 0, 0, 0) = 1.0f;
    it.session.run.number++;
    ck_assert(looking_try(&it, "redraw"));
    ck_assert(picture_view_is_stale(&it.view, &it.session));
    draw();
    ck_assert_uint_eq(it.view.list.cells[0], 0xfde725);
    ck_assert_uint_ne(it.view.list.cells_version, version);
}

TEST(from_tensor_to_tensor_the_view_stays_too)
{
    choose_everything();
    int zoom = it.session.picture.request.zoom;
    apply("show-next"); // the weights, of the same shape
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    ck_assert_int_eq(it.session.picture.request.zoom, zoom);
    ck_assert_int_eq(it.session.picture.request.lock, FIGURE_LOCKED_ROW);
    ck_assert_int_eq(it.session.picture.request.map, COLOUR_VIRIDIS);
    apply("colours magma");
    apply("show-next"); // context_heads: 6 x 2
    ck_assert_str_eq(shown_tensor(), "context_heads");
    ck_assert_int_eq(it.session.picture.request.head, 3);
    ck_assert_int_eq(it.session.picture.request.cursor.row, 4);
    ck_assert_int_eq(it.session.picture.request.cursor.column, 0); // a feature, which no key is
    ck_assert_int_eq(it.session.picture.request.zoom, 0);
    apply("show scores_scaled");
    apply("show k_heads"); // its rows are keys
    ck_assert_int_eq(it.session.picture.request.cursor.row, 5);
    apply("show scores_scaled");
    apply("show q_heads");
    ck_assert_int_eq(it.session.picture.request.cursor.row, 4);
    ck_assert_int_eq(it.session.picture.request.batch, 2);
}

SUITE_WITH("heatmap_renew", open_heatmap, close_heatmap)
