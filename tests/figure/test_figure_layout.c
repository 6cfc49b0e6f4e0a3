// Where things lie: nothing outside the picture, no map over another, at every size and for every
// number of heads and tokens.
#include "drawn.h"

#include <stdlib.h>
#include <string.h>
#include "suite.h"

static Drawn drawn;

static float *row_numbers;

static void open_large(int heads, int tokens)
{
    row_numbers = drawn_open_large(&drawn, heads, tokens);
}

static bool is_inside(const DisplayItem *item)
{
    int left = item->x, width = item->width;
    if (item->kind == DISPLAY_TEXT) {
        width = font_width(&font_metrics_usual, drawn.list.texts + item->at, item->size);
        left -= item->upright || item->anchor == DISPLAY_LEFT ? 0
                : item->anchor == DISPLAY_RIGHT               ? width
                                                              : width / 2;
        width = item->upright ? 0 : width;
    }
    return left >= 0 && left + width <= drawn.list.width && item->y >= 0 &&
           item->y <= drawn.list.height;
}

// The names of heads stand between maps, never on one.
static void check_names(const char *what)
{
    const DisplayItem *map = drawn_map(&drawn, 0);
    for (int a = 0; a < drawn.figure.map_count; a++) {
        char name[32];
        snprintf(name, sizeof name, "head %d", a);
        const DisplayItem *text = drawn_text(&drawn, name);
        for (int b = 0; text && b < drawn.figure.map_count; b++) {
            const FigureMap *other = &drawn.figure.maps[b];
            bool on_it = text->x >= other->x && text->x < other->x + map->width &&
                         text->y >= other->y && text->y < other->y + map->height;
            ck_assert_msg(!on_it, "%s: the name of head %d is on map %d", what, a, b);
        }
    }
}

static void check_layout(const char *what)
{
    for (size_t i = 0; i < drawn.list.item_count; i++)
        ck_assert_msg(is_inside(&drawn.list.items[i]), "%s at %dx%d: item %zu at %d,%d is outside",
                      what, drawn.list.width, drawn.list.height, i, drawn.list.items[i].x,
                      drawn.list.items[i].y);
    for (int a = 0; a < drawn.figure.map_count; a++)
        for (int b = 0; b < a; b++) {
            const FigureMap *one = &drawn.figure.maps[a], *other = &drawn.figure.maps[b];
            const DisplayItem *map = drawn_map(&drawn, a);
            bool apart = one->x >= other->x + map->width || other->x >= one->x + map->width ||
                         one->y >= other->y + map->height || other->y >= one->y + map->height;
            ck_assert_msg(apart, "%s: maps %d and %d overlap", what, a, b);
        }
    check_names(what);
}

TEST(everything_lies_inside_and_apart_at_every_size)
{
    static const int heads[] = {1, 2, 12, 40}, tokens[] = {1, 3, 20, 200};
    static const int sizes[][2] = {{480, 360}, {800, 600}, {1280, 960}, {1600, 1200}, {900, 1400}};
    for (int h = 0; h < 4; h++)
        for (int t = 0; t < 4; t++) {
            open_large(heads[h], tokens[t]);
            drawn.request.has_cursor = drawn.request.keys = true;
            for (int s = 0; s < 5; s++) {
                char what[64];
                snprintf(what, sizeof what, "%d heads of %d tokens", heads[h], tokens[t]);
                drawn_draw(&drawn, sizes[s][0], sizes[s][1], 1.0);
                ck_assert_int_eq(drawn.figure.map_count, heads[h]);
                check_layout(what);
            }
            drawn_close(&drawn);
        }
}

TEST(a_picture_of_one_pixel_is_drawn_too)
{
    open_large(12, 20);
    for (int side = 1; side < 300; side += 23)
        drawn_draw(&drawn, side, side, 1.0);
    drawn_close(&drawn);
}

TEST(forty_heads_are_told_apart_by_label)
{
    open_large(40, 10);
    drawn_draw(&drawn, 1280, 960, 1.0);
    for (int head = 0; head < 40; head++) {
        char name[32];
        snprintf(name, sizeof name, "head %d", head);
        ck_assert_ptr_nonnull(drawn_text(&drawn, name));
    }
    drawn_close(&drawn);
}

// Four maps of 128 cells beside each other, 2 pixels each, are 1024 wide. Of 1270 pixels 24 at each side
// are free and 112 the scale's; "000" takes 3 x 0.62 x 12 = 23, and 10 more: 1077 are left, 1023 between
// three gaps of 18, 1053 between three of 8.
TEST(maps_come_closer_where_that_makes_their_cells_larger)
{
    static const struct {
        int width, pixels, gap;
    } cases[] = {{1300, 2, 18}, {1270, 2, 8}, {1230, 1, 18}};
    open_large(8, 128);
    for (int i = 0; i < 3; i++) {
        drawn_draw(&drawn, cases[i].width, 800, 1.0);
        const Figure *figure = &drawn.figure;
        ck_assert_int_eq(figure->cell_width, cases[i].pixels);
        ck_assert_int_eq(figure->maps[1].x - figure->maps[0].x,
                         128 * cases[i].pixels + cases[i].gap);
    }
    drawn_close(&drawn);
}

// Heads beside and below each other, each with its lines below its name.
static void check_panels(int heads, int width, int height)
{
    const Figure *figure = &drawn.figure;
    int high = (int)figure->rows * figure->cell_height;
    ck_assert_int_eq(figure->map_count, heads);
    for (int map = 0; map < heads; map++) {
        const FigureMap *at = &figure->maps[map];
        ck_assert_int_ge(at->x, 0);
        ck_assert_int_le(at->x + figure->cell_width, width);
        ck_assert_int_le(at->y + high, height);
        for (int other = 0; other < map; other++) {
            const FigureMap *was = &figure->maps[other];
            bool beside =
                was->x + figure->cell_width <= at->x || at->x + figure->cell_width <= was->x;
            ck_assert_msg(beside || was->y + high + 10 <= at->y, "%d heads at %dx%d: %d, %d", heads,
                          width, height, other, map);
        }
    }
}

TEST(lines_of_many_heads_lie_apart_at_every_size)
{
    static const int sizes[][2] = {{480, 360}, {640, 480}, {1280, 960}, {1600, 1200}};
    static const int heads[] = {3, 12, 40};
    for (int i = 0; i < 3; i++) {
        open_large(heads[i], 6);
        drawn.request.mode = FIGURE_ALL_LINES;
        for (int size = 0; size < 4; size++) {
            drawn_draw(&drawn, sizes[size][0], sizes[size][1], 1.0);
            check_panels(heads[i], sizes[size][0], sizes[size][1]);
        }
        drawn_close(&drawn);
    }
}

TEST(lines_of_three_heads_leave_no_quarter_empty)
{
    open_large(3, 6);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1280, 800, 1.0);
    ck_assert_int_eq(drawn.figure.map_count, 3);
    ck_assert_int_eq(drawn.figure.maps[2].y, drawn.figure.maps[0].y);
    drawn_close(&drawn);
}

// Heads lie all beside or all below each other: two and one below them would leave a quarter empty.
TEST(lines_of_three_heads_leave_no_quarter_empty_in_any_picture)
{
    open_large(3, 11);
    drawn.request.mode = FIGURE_ALL_LINES;
    for (int width = 300; width <= 1500; width += 100)
        for (int height = 300; height <= 1500; height += 100) {
            drawn_draw(&drawn, width, height, 1.0);
            const FigureMap *maps = drawn.figure.maps;
            bool beside = maps[0].y == maps[2].y, below = maps[0].x == maps[2].x;
            ck_assert_msg(beside || (below && maps[0].x == maps[1].x), "%dx%d", width, height);
        }
    drawn_close(&drawn);
}

// 220 pixels less margins, title and name are 118 for eleven words, 10 for each: still read.
TEST(lines_of_one_head_have_every_word_as_long_as_it_can_be_read)
{
    open_large(1, 11);
    drawn.request.mode = FIGURE_LINES;
    drawn_draw(&drawn, 300, 220, 1.0);
    ck_assert_int_eq(drawn.figure.rows, 11);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "10"));
    drawn_close(&drawn);
    open_large(1, 20);
    drawn.request.mode = FIGURE_LINES;
    drawn_draw(&drawn, 300, 220, 1.0);
    ck_assert_int_lt(drawn.figure.rows, 20);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "queries 0")); // to what is visible
    drawn_close(&drawn);
}

// Sentences of a thousand words: as many words of each head as can be read.
TEST(lines_of_long_sequences_are_a_part_of_them)
{
    open_large(12, 1024);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1280, 960, 1.0);
    check_panels(12, 1280, 960);
    ck_assert_int_ge(drawn.figure.rows, 12);
    ck_assert_int_ge(drawn.figure.cell_height, 9);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "queries left, keys right"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "11")); // the twelfth word
    drawn_close(&drawn);
}

TEST(shrinking_is_said_and_keeps_the_largest)
{
    // 4096 columns in at most 1280 pixels: blocks of 4 or more; only column 1000 is 1
    open_large(1, 4096);
    row_numbers[1000] = 1.0f;
    drawn_draw(&drawn, 1280, 960, 1.0);
    int block = (int)drawn.figure.block_columns;
    ck_assert_int_ge(block, 4);
    ck_assert_int_eq(drawn_map(&drawn, 0)->columns, (4096 + block - 1) / block);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1000 / block), 0xfde725);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1000 / block + 1), 0x481a6c);
    char said[64];
    snprintf(said, sizeof said, "the largest of %d x %d cells", block, block);
    ck_assert_ptr_nonnull(drawn_part(&drawn, said));
    drawn_close(&drawn);
}

TEST(zooming_shows_whole_cells_from_the_chosen_corner)
{
    open_large(1, 200);
    row_numbers[50] = 1.0f;
    drawn.request.mode = FIGURE_HEAD;
    drawn.request.zoom = 16;
    drawn.request.first_row = 120;
    drawn.request.first_column = 50;
    drawn_draw(&drawn, 800, 600, 1.0);
    ck_assert_int_eq(drawn.figure.cell_width, 16);
    ck_assert_int_eq(drawn.figure.first_column, 50);
    ck_assert_int_eq(drawn.figure.first_row, 120);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 0), 0xfde725);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 0, 1), 0x481a6c);
    ck_assert(!drawn.figure.all_visible);
    ck_assert_ptr_nonnull(drawn_part(&drawn, "of 200"));
    drawn_close(&drawn);
}

TEST(a_pixel_belongs_to_the_cell_that_is_drawn_there)
{
    open_large(12, 20);
    drawn_draw(&drawn, 1280, 960, 1.0);
    const FigureMap *map = &drawn.figure.maps[7];
    int wide = drawn.figure.cell_width, high = drawn.figure.cell_height;
    FigureCell cell;
    ck_assert(figure_hit(&drawn.figure, map->x + 3 * wide, map->y + 6 * high - 1, &cell));
    ck_assert_int_eq(cell.head, 7);
    ck_assert_int_eq(cell.row, 5);
    ck_assert_int_eq(cell.column, 3);
    ck_assert(!figure_hit(&drawn.figure, map->x - 1, map->y, &cell));
    ck_assert(!figure_hit(&drawn.figure, map->x + 20 * wide, map->y, &cell));
    drawn_close(&drawn);
}

TEST(a_pixel_that_is_a_block_stands_for_its_first_cell)
{
    open_large(1, 4096);
    drawn_draw(&drawn, 1280, 960, 1.0);
    int block = (int)drawn.figure.block_rows;
    FigureCell cell;
    ck_assert(
        figure_hit(&drawn.figure, drawn.figure.maps[0].x + 10, drawn.figure.maps[0].y + 20, &cell));
    ck_assert_int_eq(cell.row, 20 * block);
    ck_assert_int_eq(cell.column, 10 * block);
    drawn_close(&drawn);
}

TEST(twice_the_density_is_twice_the_letters)
{
    open_large(2, 5);
    drawn_draw(&drawn, 800, 600, 1.0);
    int size = drawn_text(&drawn, "head 1")->size;
    drawn_draw(&drawn, 1600, 1200, 2.0);
    ck_assert_int_eq(drawn_text(&drawn, "head 1")->size, 2 * size);
    drawn_close(&drawn);
}

TEST(the_list_as_text_names_every_item)
{
    char *text = NULL;
    size_t bytes = 0;
    open_large(1, 1);
    row_numbers[0] = 1.0f;
    drawn_draw(&drawn, 480, 320, 1.0);
    FILE *out = open_memstream(&text, &bytes);
    display_list_print(&drawn.list, 4, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "480x320 ffffff\n"));
    ck_assert_ptr_nonnull(strstr(text, " of 1x1\n    fde725 \n"));
    ck_assert_ptr_nonnull(strstr(text, "\"1.0000\"\n"));
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    ck_assert_uint_eq(lines, 1 + drawn.list.item_count + 1); // a heading, and one row of cells
    free(text);
    drawn_close(&drawn);
}

SUITE("figure_layout")
