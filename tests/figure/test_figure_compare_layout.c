// Where the maps of a comparison lie: as large as there is room, with their numbers and words, and without
// the words around them in small pictures.
#include "figure.h"

#include "comparing.h"
#include "drawn.h"
#include "suite.h"

// Sizes at which titles, scales and read-outs have no room: the maps stay, and the picture says that words
// are missing.
TEST(in_a_small_picture_the_maps_stay_and_words_go)
{
    static const int sizes[][2] = {{200, 150}, {300, 220}, {400, 280}};
    pair.view.keys = false;
    for (int i = 0; i < 3; i++) {
        looking_size(&pair, sizes[i][0], sizes[i][1]);
        drawn_check_apart(&pair.view.list);
        ck_assert(pair_says("too small for the rest", true) && pair_says("compared with", false));
        for (int map = 0; map < 6; map++) {
            const FigureMap *at = &pair.view.figure.maps[map];
            ck_assert_int_ge(pair.view.figure.cell_height, 4);
            ck_assert_int_le(at->y + 4 * pair.view.figure.cell_height, sizes[i][1] - 20);
        }
    }
}

// Eleven words three times below each other: 1000 pixels less 48 of margins, 84 of header, 46 of footer,
// 16 between heads, and 42 and at most 86 of words above each leave 422 for 33 rows, 12 for each. Letters
// of 9 pixels are read there, as cells are a quarter higher.
TEST(three_heads_of_a_sentence_have_their_numbers)
{
    open_pair("sentence-causal");
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    ck_assert_int_ge(pair.view.figure.cell_height, 12);
    ck_assert(pair_says("1.000", true) && pair_says("-0.42", true));
    drawn_check_apart(&pair.view.list);
}

// Ten rows four times below each other are low only when words stand above every head.
TEST(twelve_heads_have_words_at_their_axes)
{
    open_pair("self-attention");
    looking_say(&pair, "compare mistake scale-missing");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1230, 770);
    ck_assert_int_eq(pair.view.figure.map_count, 36);
    int rows = 0; // the words of rows end at a map; 0 to 9 at each of the leftmost ones
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        rows += item->kind == DISPLAY_TEXT && item->anchor == DISPLAY_RIGHT &&
                item->x < pair.view.figure.maps[0].x;
        ck_assert(item->kind != DISPLAY_TEXT || item->anchor != DISPLAY_RIGHT ||
                  item->size <= pair.view.figure.cell_height);
    }
    ck_assert_int_ge(rows, 10);
    ck_assert_int_eq(rows % 10, 0);
}

// The frame lies outside of a low cell but for one pixel: none of its number is covered.
TEST(the_frame_of_what_differs_most_covers_no_number)
{
    open_pair("sentence-causal");
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    const Figure *figure = &pair.view.figure;
    int frames = 0;
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        if (item->kind != DISPLAY_FRAME)
            continue;
        frames++; // of a cell, whose corner lies at whole cells from some map's
        bool outside = false;
        for (int map = 0; map < figure->map_count; map++) {
            int x = item->x + item->thickness - figure->maps[map].x;
            int y = item->y + item->thickness - figure->maps[map].y;
            outside |=
                x >= 0 && y >= 0 && x % figure->cell_width <= 1 && y % figure->cell_height <= 1;
        }
        ck_assert(outside);
    }
    ck_assert_int_eq(frames, 2 * 3); // in three maps
}

// 24 maps of 128 x 128 numbers have some 130 pixels each way: numbers of a pixel would not be seen.
TEST(many_numbers_are_squares_that_are_seen)
{
    close_it();
    looking_open(&pair, tiny_causal(1, 8, 128));
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    const Figure *figure = &pair.view.figure;
    char text[128];
    ck_assert_int_gt(figure->block_rows, 1);
    ck_assert_int_ge(figure->cell_width, 4);
    ck_assert_int_eq(figure->cell_width, figure->cell_height);
    snprintf(text, sizeof text,
             "a square shows the largest of %td x %td cells, of differences the farthest from 0",
             figure->block_rows, figure->block_rows);
    ck_assert(pair_says(text, false));
}

// Words of rows that end between the first two maps of the first head.
static int words_between(void)
{
    int count = 0;
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        count += item->kind == DISPLAY_TEXT && item->anchor == DISPLAY_RIGHT &&
                 item->x > pair.view.figure.maps[0].x && item->x < pair.view.figure.maps[1].x;
    }
    return count;
}

// Eleven words three times below each other, which are others in another sentence.
TEST(rows_of_the_other_run_have_its_words)
{
    open_pair("sentence-trained");
    looking_say(&pair, "compare text Jimin is really tall . She is a kind teacher .");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    const DisplayItem *here = drawn_find(&pair.view.list, "Jungkook", true);
    const DisplayItem *there = drawn_find(&pair.view.list, "Jimin", true);
    ck_assert_int_eq(words_between(), 33);
    ck_assert_ptr_nonnull(here);
    ck_assert_ptr_nonnull(there);
    ck_assert_int_eq(here->y, there->y);
    ck_assert_int_lt(there->x, pair.view.figure.maps[1].x);
    drawn_check_apart(&pair.view.list);
}

TEST(rows_with_the_same_words_have_them_once)
{
    open_pair("sentence-causal");
    looking_say(&pair, "compare mistake mask-off-by-one");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1600, 1000);
    ck_assert_int_eq(words_between(), 0);
}

// The frame of the first difference is two points wide within its cell, of which + and - leave the rest.
TEST(a_difference_fits_into_its_cell_with_its_sign)
{
    open_pair("four-heads");
    looking_say(&pair, "show context_concat");
    looking_say(&pair, "compare model.heads=2");
    looking_say(&pair, "picture-compare");
    looking_size(&pair, 1230, 770);
    int signs = 0;
    for (size_t i = 0; i < pair.view.list.item_count; i++) {
        const DisplayItem *item = &pair.view.list.items[i];
        const char *text = pair.view.list.texts + item->at;
        if (item->kind != DISPLAY_TEXT || text[0] != '+')
            continue;
        signs++;
        ck_assert_int_le(font_width(&pair.view.metrics, text, item->size),
                         pair.view.figure.cell_width - 4);
    }
    ck_assert_int_gt(signs, 8);
}

// What is written into the cells of the first map.
static bool is_in_first_map(const DisplayItem *item)
{
    const Figure *figure = &pair.view.figure;
    const FigureMap *map = &figure->maps[0];
    return item->kind == DISPLAY_TEXT && item->x > map->x && item->y > map->y &&
           item->x < map->x + figure->columns * figure->cell_width &&
           item->y < map->y + figure->rows * figure->cell_height;
}

// As in a picture of one run, where numbers of more than 13 points take seven tenths of a cell at most.
TEST(large_numbers_have_paper_around_them)
{
    int large = 0;
    for (int wide = 700; wide < 1700; wide += 20) {
        looking_size(&pair, wide, wide * 5 / 8);
        for (size_t i = 0; i < pair.view.list.item_count; i++) {
            const DisplayItem *item = &pair.view.list.items[i];
            if (!is_in_first_map(item) || item->size <= 13)
                continue;
            const char *text = pair.view.list.texts + item->at;
            ck_assert_msg(10 * font_width(&pair.view.metrics, text, item->size) <=
                              7 * pair.view.figure.cell_width,
                          "%s at %d pixels", text, wide);
            large++;
        }
    }
    ck_assert_int_gt(large, 100);
}

SUITE_WITH("figure_compare_layout", open_causal, close_it)
