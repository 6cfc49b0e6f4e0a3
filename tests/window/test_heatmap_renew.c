// A picture whose run changes under it: what was chosen stays where the new tensors have it.
#include "drawn.h"
#include "looking.h"
#include "session_actions.h"
#include "suite.h"

#include <string.h>

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

FIXTURE(open_heatmap, close_heatmap)

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

// --- What options and scripts say to a heatmap: how large letters are, which heads, and what the picture
// is called.

// Five heads of `tokens` x `tokens`.
static void open_tokens(ptrdiff_t tokens)
{
    looking_open(&it, tiny_self(1, 5, tokens));
    looking_draw(&it);
}

static void open_words(void)
{
    open_tokens(3);
}

static void close_words(void)
{
    looking_close(&it);
}

static void press(const char *key)
{
    looking_press(&it, key);
}

static const DisplayItem *find(const char *text)
{
    return drawn_find(&it.view.list, text, true);
}

static int size_of(const char *text)
{
    const DisplayItem *item = find(text);
    ck_assert_msg(item != NULL, "%s", text);
    return item->size;
}

FIXTURE(open_words, close_words)

TEST(letters_become_larger_and_smaller_and_come_back)
{
    it.session.picture.request.title = "title";
    looking_draw(&it);
    int usual = size_of("title");
    apply("letters 2000");
    ck_assert_int_eq(size_of("title"), 2 * usual);
    apply("letters 1000");
    for (int i = 0; i < 5; i++)
        press(">");
    ck_assert_int_gt(size_of("title"), usual + usual / 3);
    for (int i = 0; i < 5; i++)
        press("<");
    ck_assert_int_eq(size_of("title"), usual);
    for (int i = 0; i < 40; i++)
        press("Ctrl+=");
    ck_assert_double_eq(it.session.picture.letters, 4.0);
    for (int i = 0; i < 80; i++)
        press("Ctrl+-");
    ck_assert_double_eq(it.session.picture.letters, 0.5);
    ck_assert(!looking_try(&it, "letters 0"));
    ck_assert(!looking_try(&it, "letters 4001"));
    ck_assert_double_eq(it.session.picture.letters, 0.5);
}

static void check_heads(const char *words, const char *shown)
{
    char found[64] = "";
    apply(words);
    for (int map = 0; map < it.view.figure.map_count; map++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%td ",
                 it.view.figure.maps[map].head);
    ck_assert_str_eq(found, shown);
}

TEST(heads_are_named_one_by_one_and_from_one_to_another)
{
    check_heads("heads 1-3", "1 2 3 ");
    check_heads("heads 0,3-4", "0 3 4 ");
    check_heads("heads 2-2", "2 ");
    check_heads("heads all", "0 1 2 3 4 ");
    static const char *const wrong[] = {"heads 3-1", "heads 1-",    "heads -1",
                                        "heads 0-5", "heads 1-2-3", "heads 0-4294967296"};
    for (int i = 0; i < 6; i++)
        ck_assert_msg(!looking_try(&it, wrong[i]), "%s", wrong[i]);
    check_heads("up", "0 1 2 3 4 ");
}

TEST(a_title_takes_the_place_of_the_name_which_goes_below_it)
{
    char name[128];
    it.scenario.name = "/home/somebody/mine.yaml";
    looking_draw(&it);
    ck_assert_ptr_nonnull(find("Attention weights")); // a picture's; a window has the tensor's name
    int first = find("Attention weights")->y;
    it.session.picture.request.title = "Who looks\nat whom?"; // one line
    looking_draw(&it);
    ck_assert_int_eq(find("Who looks at whom?")->y, first);
    ck_assert_ptr_null(find("Attention weights"));
    snprintf(name, sizeof name, "%s", "attn_weights of mine.yaml    (B, H, Lq, Lk) = (1, 5, 3, 3)");
    bool below = false;
    for (size_t i = 0; i < it.view.list.item_count; i++)
        below = below ||
                (it.view.list.items[i].kind == DISPLAY_TEXT &&
                 strncmp(it.view.list.texts + it.view.list.items[i].at, name, strlen(name)) == 0 &&
                 it.view.list.items[i].y > first);
    ck_assert(below);
}

// 300 words are more than a picture of lines has room for.
TEST(lines_begin_near_the_word_that_is_looked_at)
{
    close_words();
    open_tokens(300);
    apply("cell [2,250,7]");
    press("l");
    const Figure *figure = &it.view.figure;
    ck_assert(figure->lines && !figure->all_visible);
    ck_assert_int_le(figure->first_row, 250);
    ck_assert_int_gt(figure->first_row + figure->rows, 250);
    ck_assert_int_le(figure->first_column, 7);
    press("L");
    ck_assert_int_le(figure->first_row, 250);
    ck_assert_int_gt(figure->first_row + figure->rows, 250);
}

TEST(the_page_of_keys_says_which_of_them_do_the_same)
{
    press("?");
    ck_assert_ptr_nonnull(find("Up or k"));
    ck_assert_ptr_nonnull(find("] or PageDown"));
    ck_assert_ptr_nonnull(find("Enter"));
    ck_assert_ptr_null(find("Return"));
    ck_assert_ptr_nonnull(find(","));
}

TEST(the_line_of_keys_names_sequences_where_there_are_several)
{
    it.view.keys = true;
    looking_draw(&it);
    ck_assert_ptr_nonnull(find("> < letters"));
    ck_assert_ptr_null(find("n b sequence"));
    close_words();
    looking_open(&it, tiny_self(2, 5, 3));
    it.view.keys = true;
    looking_draw(&it);
    ck_assert_ptr_nonnull(find("n b sequence"));
}

SUITE("heatmap_renew")
