// Two trainings as a picture beside each other: what is drawn of both, and what lies where; without a
// window.
#include "train_view.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

enum { MIDDLE = 800 };

static TrainingPair pair;
static TrainPairView view;
static TrainView whole;

// The other one has two heads, and both are small.
static void setup(void)
{
    Error err = {.text = ""};
    TrainingRecipe recipe = training_recipe(&grammar_english);
    recipe.batch = 5;
    recipe.width = 12;
    recipe.steps = 40;
    recipe.threads = 1;
    TrainingRecipe other = recipe;
    other.heads = 2;
    ck_assert_msg(training_pair_open(&pair, &recipe, &other, &err), "%s", err.text);
    pair.names[0] = "the one";
    pair.names[1] = "the other";
    ck_assert_msg(training_pair_begin(&pair, &err), "%s", err.text);
    ck_assert_msg(train_pair_view_open(&view, &err) && train_view_open(&whole, &err), "%s",
                  err.text);
    whole.width = 2 * MIDDLE;
}

static void finish(void)
{
    train_pair_view_close(&view);
    train_view_close(&whole);
    training_pair_close(&pair);
}

static void press(const char *key)
{
    Error err = {.text = ""};
    ck_assert_msg(training_pair_press(&pair, key, &err), "%s", err.text);
}

static void draw(void)
{
    Error err = {.text = ""};
    ck_assert_msg(train_pair_view_draw(&view, &whole, &pair, &err), "%s", err.text);
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

TEST(each_side_has_its_name_and_its_maps)
{
    draw();
    ck_assert_int_eq(whole.list.width, 2 * MIDDLE);
    ck_assert_int_lt(place_of("the one", 0), MIDDLE);
    ck_assert_int_gt(place_of("the other", 0), MIDDLE);
    ck_assert_int_ge(place_of("two trainings", 0), 0);
    ck_assert_int_eq(view.sides[0].figure.map_count, 3);
    ck_assert_int_eq(view.sides[1].figure.map_count, 2);
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
    for (int side = 0; side < PAIR_SIDES; side++) {
        const DisplayList *list = &view.sides[side].list;
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
    press("1");
    ck_assert_uint_eq(pair.sides[0].without, 2);
    ck_assert_uint_eq(pair.sides[1].without, 2);
    draw();
    const Figure *figure = &view.sides[1].figure;
    const FigureMap *map = &figure->maps[0];
    int x = view.x[1] + map->x + figure->cell_width * 3 + 1;
    int y = view.y + view.sides[1].figure_y + map->y + figure->cell_height * 2 + 1;
    ck_assert(train_pair_view_point(&view, x, y));
    for (int side = 0; side < PAIR_SIDES; side++) {
        ck_assert_int_eq(view.sides[side].cursor.row, 2);
        ck_assert_int_eq(view.sides[side].cursor.column, 3);
    }
    ck_assert(!train_pair_view_point(&view, 1, 1));
}

TEST(keys_of_a_pair_are_told)
{
    press("?");
    draw();
    ck_assert_int_ge(place_of("Space ", 0), 0);
    ck_assert_int_eq(place_of("the other", 0), -1);
    ck_assert_int_eq(place_of("n  ", 0), -1); // a single parameter is not looked at
    press("?");
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

SUITE_WITH("train_pair_view", setup, finish)
