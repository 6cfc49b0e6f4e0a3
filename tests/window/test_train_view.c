// A training as a picture: what is drawn of it, and what lies where; without a window.
#include "train_view.h"
#include "suite.h"
#include "listed.h"

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
    ck_assert_msg(train_view_open(&view, false, &err), "%s", err.text);
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

FIXTURE(setup, finish)

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
    check_says("what heads of layer 0 of 0–1 look at, text 1 of 4, after step 0");
    check_says("Which word is next?");
    ck_assert_int_eq(view.figure.map_count, 1);
    ck_assert_int_eq(view.figure.rows, 24);
    press("Right");
    check_says("what heads of layer 1 of 0–1 look at");
    check_says("head 1.0");
    const Trace *trace = &view.text.trace;
    const Tensor *weights = &trace->tensors[trace_find(trace, "layer1.attn_weights")].tensor;
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
    check_says("remove a head, or restore it");
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
    check_says("Space resume");
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

// --- Two trainings as a picture beside each other: what is drawn of both, and what lies where; without a
// window.

enum { MIDDLE = 800 };

static TrainingWatch sides[WATCH_SIDES];
static TrainView whole;

// The other one has two heads, and both are small.
static void setup_pair(void)
{
    Error err = {.text = ""};
    TrainingRecipe recipe = training_recipe(&grammar_english);
    recipe.batch = 5;
    recipe.width = 12;
    recipe.steps = 40;
    recipe.threads = 1;
    TrainingRecipe other = recipe;
    other.heads = 2;
    ck_assert_msg(training_watch_open(sides, &recipe, &err) &&
                      training_watch_open_other(sides, &sides[1], &other, &err),
                  "%s", err.text);
    sides[0].name = "the one";
    sides[1].name = "the other";
    ck_assert_msg(training_watch_begin(sides, &err), "%s", err.text);
    ck_assert_msg(train_view_open(&whole, true, &err), "%s", err.text);
    whole.width = 2 * MIDDLE;
}

static void finish_pair(void)
{
    train_view_close(&whole);
    training_watch_close(sides);
}

static void press_pair(const char *key)
{
    Error err = {.text = ""};
    ck_assert_msg(training_watch_press(sides, key, &err), "%s", err.text);
}

static void draw(void)
{
    Error err = {.text = ""};
    ck_assert_msg(train_view_draw(&whole, sides, &err), "%s", err.text);
}

// Where a text that begins so is drawn, from the left; -1: nowhere.
static int place_of(const char *text, int from)
{
    for (size_t i = 0; i < whole.list.item_count; i++) {
        const DisplayItem *item = &whole.list.items[i];
        if (item->kind == DISPLAY_TEXT && item->x >= from &&
            strncmp(whole.list.texts + item->at, text, strlen(text)) == 0)
            return item->x;
    }
    return -1;
}

FIXTURE(setup_pair, finish_pair)

TEST(each_side_has_its_name_and_its_maps)
{
    draw();
    ck_assert_int_eq(whole.list.width, 2 * MIDDLE);
    ck_assert_int_lt(place_of("the one", 0), MIDDLE);
    ck_assert_int_gt(place_of("the other", 0), MIDDLE);
    ck_assert_int_ge(place_of("two trainings", 0), 0);
    ck_assert_int_eq(whole.sides[0].figure.map_count, 3);
    ck_assert_int_eq(whole.sides[1].figure.map_count, 2);
    int cells[2] = {0};
    for (size_t i = 0; i < whole.list.item_count; i++)
        if (whole.list.items[i].kind == DISPLAY_CELLS)
            cells[whole.list.items[i].x > MIDDLE]++;
    ck_assert_int_ge(cells[0], 3);
    ck_assert_int_ge(cells[1], 2);
}

// The cells of both sides are those of their own lists, wherever they lie in the list of both.
TEST(cells_go_along)
{
    draw();
    size_t at = 0;
    for (int side = 0; side < WATCH_SIDES; side++) {
        const DisplayList *list = &whole.sides[side].list;
        ck_assert_uint_gt(list->cell_count, 0);
        ck_assert_mem_eq(whole.list.cells + at, list->cells,
                         list->cell_count * sizeof *list->cells);
        at += list->cell_count;
    }
    ck_assert_uint_eq(whole.list.cell_count, at);
    unsigned long version = whole.list.cells_version;
    draw();
    ck_assert(whole.list.cells_version != version);
}

// A head's name on the right is pressed for both; what is under the pointer is read out on both sides.
TEST(the_pointer_is_for_both)
{
    draw();
    const TrainButton *right = NULL;
    for (int i = 0; i < whole.button_count; i++)
        if (whole.buttons[i].x > MIDDLE && strcmp(whole.buttons[i].key, "1") == 0)
            right = &whole.buttons[i];
    ck_assert_ptr_nonnull(right);
    ck_assert_str_eq(train_view_press(&whole, right->x + 1, right->y + 1), "1");
    press_pair("1");
    ck_assert_uint_eq(sides[0].without, 2);
    ck_assert_uint_eq(sides[1].without, 2);
    draw();
    const Figure *figure = &whole.sides[1].figure;
    const FigureMap *map = &figure->maps[0];
    int x = whole.sides[1].x + map->x + figure->cell_width * 3 + 1;
    int y = whole.sides[1].y + whole.sides[1].figure_y + map->y + figure->cell_height * 2 + 1;
    ck_assert(train_view_point(&whole, x, y));
    for (int side = 0; side < WATCH_SIDES; side++) {
        ck_assert_int_eq(whole.sides[side].cursor.row, 2);
        ck_assert_int_eq(whole.sides[side].cursor.column, 3);
    }
    ck_assert(!train_view_point(&whole, 1, 1));
}

TEST(keys_of_a_pair_are_told)
{
    press_pair("?");
    draw();
    ck_assert_int_ge(place_of("Space ", 0), 0);
    ck_assert_int_eq(place_of("the other", 0), -1);
    ck_assert_int_eq(place_of("n  ", 0), -1); // a single parameter is not looked at
    press_pair("?");
    draw();
    ck_assert_int_gt(place_of("the other", 0), MIDDLE);
}

TEST(no_room_is_no_fault)
{
    const int sizes[][2] = {{1, 1}, {60, 960}, {1600, 120}, {200, 300}, {5000, 3000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        whole.width = sizes[i][0];
        whole.height = sizes[i][1];
        draw();
    }
}

SUITE("train_view")
