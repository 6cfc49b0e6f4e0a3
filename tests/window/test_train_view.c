// A training as a picture: what is drawn of it, and what lies where; without a window.
#include "train_view.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

static TrainingWatch watch;
static TrainView view;

static void open_with(const Grammar *grammar)
{
    Error err = {.text = ""};
    TrainingRecipe recipe = training_recipe(grammar);
    recipe.batch = 5;
    recipe.width = 12;
    recipe.steps = 40;
    recipe.threads = 1;
    ck_assert_msg(training_watch_open(&watch, &recipe, &err), "%s", err.text);
    ck_assert_msg(training_watch_begin(&watch, &err), "%s", err.text);
    ck_assert_msg(train_view_open(&view, &err), "%s", err.text);
}

static void setup(void)
{
    open_with(&grammar_english);
}

static void finish(void)
{
    train_view_close(&view);
    training_watch_close(&watch);
}

static void press(const char *key)
{
    Error err = {.text = ""};
    ck_assert_msg(training_watch_press(&watch, key, &err), "%s", err.text);
}

static const char *drawn(void)
{
    static char text[1 << 18];
    Error err = {.text = ""};
    ck_assert_msg(train_view_draw(&view, &watch, &err), "%s", err.text);
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    display_list_print(&view.list, 0, out);
    fclose(out);
    return text;
}

static void check_says(const char *text)
{
    const char *picture = drawn();
    ck_assert_msg(strstr(picture, text) != NULL, "no \"%s\" in:\n%s", text, picture);
}

TEST(every_head_has_its_map)
{
    drawn();
    ck_assert_int_eq(view.figure.map_count, 3);
    ck_assert_int_eq(view.figure.rows, 11); // the words of the document's sentence, and no padding
    check_says("text 1 of 4, after step 0");
    check_says("Every word has the questions who, before and mark.");
    ck_assert_ptr_null(
        strstr(drawn(), "this head's question")); // the figure says it below its maps
    press("Tab");
    check_says("text 2 of 4, after step 0");
    ck_assert_int_eq(view.figure.rows, watch.sentences.texts[1].length);
}

static int times(const char *text)
{
    int count = 0;
    for (const char *at = drawn(); (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

// Of two layers the one of the chosen head is drawn, with the numbers of its weights; taking a head away
// covers its map alone.
TEST(arrows_go_from_layer_to_layer)
{
    finish();
    open_with(&grammar_memory);
    check_says("what heads of layer 0 of 2 look at, text 1 of 4, after step 0");
    check_says("Which word is next?");
    ck_assert_int_eq(view.figure.map_count, 1);
    ck_assert_int_eq(view.figure.rows, 24);
    press("Right");
    check_says("what heads of layer 1 of 2 look at");
    check_says("head 1.0");
    const Trace *trace = &view.text.trace;
    const Tensor *weights = &trace->tensors[trace_find(trace, "layer2.attn_weights")].tensor;
    for (int at = 0; at < 24; at++)
        ck_assert_float_eq(*tensor_at4(weights, 0, 0, at, 3),
                           training_watch_weight(&watch, &watch.now, 1, at, 3));
    press("0");
    check_says("head 0.0 away");
    ck_assert_int_eq(times("removed"), 1); // what is said below
    press("1");
    check_says("head 1.0 away");
    ck_assert_int_eq(times("removed"), 2); // and over the map
    check_says("Correct without the removed heads: ");
    press("?");
    check_says("next: which word comes next");
}

// The numbers are those that the terminal shows: of one forward pass with the same weights.
TEST(the_maps_are_those_of_the_weights_now)
{
    press("s");
    press("s");
    drawn();
    const Trace *trace = &view.text.trace;
    const Tensor *weights = &trace->tensors[trace_find(trace, "attn_weights")].tensor;
    for (int at = 0; at < 11; at++)
        for (int to = 0; to < 11; to++)
            ck_assert_float_eq(*tensor_at4(weights, 0, 0, at, to),
                               training_watch_weight(&watch, &watch.now, watch.head, at, to));
}

TEST(a_click_on_a_head_takes_it_away)
{
    ck_assert_ptr_null(strstr(drawn(), "removed"));
    const char *key = NULL;
    for (int i = 0; i < view.button_count && !key; i++)
        if (strcmp(view.buttons[i].key, "1") == 0)
            key = train_view_press(&view, view.buttons[i].x + 1, view.buttons[i].y + 1);
    ck_assert_ptr_nonnull(key);
    press(key);
    check_says("removed");
    check_says("head 1 away");
    ck_assert_uint_eq(watch.without, 2);
}

TEST(the_pointer_reads_out_a_cell)
{
    drawn();
    const FigureMap *map = &view.figure.maps[2];
    int x = map->x + 3 * view.figure.cell_width + 1;
    int y = map->y + view.figure_y + 2 * view.figure.cell_height + 1;
    ck_assert(train_view_point(&view, x, y));
    ck_assert_int_eq(view.cursor.head, 2);
    ck_assert_int_eq(view.cursor.row, 2);
    ck_assert_int_eq(view.cursor.column, 3);
    ck_assert(!train_view_point(&view, 1, 1));
    drawn();
    ck_assert_int_eq(view.cursor.head, 2);
    press("Right"); // from head 0
    drawn();
    ck_assert_int_eq(view.cursor.head, 1);
}

TEST(keys_and_numbers_take_the_place_of_the_maps)
{
    press("n");
    press("s");
    check_says("in update 1:");
    ck_assert_int_eq(view.figure.map_count, 0);
    check_says("Tab matrix");
    check_says("Enter type");
    ck_assert_ptr_null(strstr(drawn(), "Tab text"));
    press("n");
    press("?");
    check_says("takes a head away, or puts it back");
    press("?");
    drawn();
    ck_assert_int_eq(view.figure.map_count, 3);
}

static bool has_button(const char *key)
{
    for (int i = 0; i < view.button_count; i++)
        if (strcmp(view.buttons[i].key, key) == 0)
            return true;
    return false;
}

TEST(the_row_of_keys_says_what_space_does_now)
{
    check_says("Space pause");
    press("Space");
    check_says("Space go on");
    ck_assert_ptr_null(strstr(drawn(), "Space pause"));
    watch.state = WATCH_ENDED;
    ck_assert_ptr_null(strstr(drawn(), "Space"));
    ck_assert(!has_button("Space") && !has_button("s")); // neither does anything there
}

TEST(a_small_window_has_less_and_breaks_nothing)
{
    static const int sizes[][2] = {{1, 1}, {120, 80}, {400, 300}, {640, 2000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        view.width = sizes[i][0];
        view.height = sizes[i][1];
        drawn();
    }
}

SUITE_WITH("train_view", setup, finish)
