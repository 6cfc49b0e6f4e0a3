// What is known of the cell that is looked at: all of it at every size that has room for words, and
// maps that stay where they are whatever it is.
#include "drawn.h"

#include <stdlib.h>
#include "suite.h"

static const char ellipsis[] = "\xe2\x80\xa6";

static Drawn drawn;

// Rows of 13 numbers: 1/2, 1/4096, then 1/4, 1/8 ... 1/4096. They sum to 1; eleven are larger than the
// second. Entropy is the sum of k / 2^k for k = 1 to 11, 2 - 13/2048, and twice
// 12/4096: 2 - 1/2048 bits.
static void open_cell(void)
{
    float *row = drawn_open_large(&drawn, 2, 13);
    row[0] = 0.5f;
    row[1] = 1.0f / 4096.0f;
    for (int key = 2; key < 13; key++)
        row[key] = 1.0f / (float)(1 << key);
    Tensor scores = drawn_tensor(&drawn, "scores_scaled");
    *tensor_at4(&scores, 0, 1, 1, 1) =
        -0.123456789f; // 0.123456791, 7.5e-9 from the next: eight digits tell it
    drawn.request.keys = drawn.request.has_cursor = true;
    drawn.request.lock = FIGURE_LOCKED_CELL;
    drawn.request.cursor = (FigureCell){1, 1, 1};
}

static void close_cell(void)
{
    drawn_close(&drawn);
}

static int end_of(const DisplayItem *text)
{
    return text->x + font_width(&font_metrics_usual, drawn.list.texts + text->at, text->size);
}

// What the read-out says, below the line that closes the maps: within the picture, none over another.
static void check_places(void)
{
    const DisplayItem *value = drawn_text(&drawn, "value");
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *one = &drawn.list.items[i];
        if (one->kind != DISPLAY_TEXT || one->y < value->y)
            continue;
        ck_assert_int_le(end_of(one), drawn.list.width);
        ck_assert_int_lt(one->y + one->size / 2, drawn.list.height);
        for (size_t j = 0; j < i; j++) {
            const DisplayItem *other = &drawn.list.items[j];
            bool apart = other->kind != DISPLAY_TEXT || other->upright ||
                         abs(other->y - one->y) >= one->size || end_of(other) <= one->x ||
                         end_of(one) <= other->x;
            ck_assert_msg(apart, "%dx%d: '%s' is over '%s'", drawn.list.width, drawn.list.height,
                          drawn.list.texts + one->at, drawn.list.texts + other->at);
        }
    }
}

TEST(every_size_tells_everything)
{
    static const char *const words[] = {
        "locked",   "cell",    "0.00024414062", "-0.12345679",
        "12 of 13", "row sum", "1.000000",      "2.000 of 3.700 bits"};
    static const int sizes[][2] = {{240, 480}, {300, 300}, {320, 300}, {320, 480},  {399, 320},
                                   {400, 300}, {480, 300}, {480, 800}, {640, 480},  {747, 480},
                                   {748, 480}, {800, 600}, {840, 600}, {1280, 960}, {1600, 400}};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        int width = sizes[size][0], height = sizes[size][1];
        drawn_draw(&drawn, width, height, 1.0);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            ck_assert_msg(drawn_text(&drawn, words[i]) != NULL, "%dx%d: %s", width, height,
                          words[i]);
        ck_assert_ptr_nonnull(drawn_part(&drawn, "score before"));
        ck_assert_ptr_nonnull(drawn_part(&drawn, "rank"));
        ck_assert_ptr_nonnull(drawn_part(&drawn, "entropy"));
        ck_assert_ptr_null(drawn_text(&drawn, ellipsis));
        check_places();
    }
}

TEST(a_dense_screen_has_as_much_room_as_one_of_half_the_pixels)
{
    drawn_draw(&drawn, 640, 960, 2.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "2.000 of 3.700 bits"));
    ck_assert_ptr_null(drawn_text(&drawn, ellipsis));
    check_places();
}

TEST(what_has_no_room_is_the_end_and_is_said_to_be_missing)
{
    drawn_draw(&drawn, 180, 300, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.00024414062"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "-0.12345679"));
    ck_assert_ptr_null(drawn_text(&drawn, "2.000 of 3.700 bits"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, ellipsis));
    check_places();
}

TEST(wide_pictures_have_values_below_names_and_narrow_ones_beside)
{
    drawn_draw(&drawn, 1280, 960, 1.0);
    const DisplayItem *name = drawn_text(&drawn, "score before softmax");
    const DisplayItem *value = drawn_text(&drawn, "-0.12345679");
    ck_assert_int_eq(name->x, value->x);
    ck_assert_int_lt(name->y, value->y);
    ck_assert_int_eq(value->y, drawn_text(&drawn, "2.000 of 3.700 bits")->y);
    drawn_draw(&drawn, 480, 360, 1.0);
    name = drawn_text(&drawn, "score before softmax");
    value = drawn_text(&drawn, "-0.12345679");
    ck_assert_int_lt(name->x, value->x);
    ck_assert_int_eq(name->y, value->y);
    ck_assert_int_lt(value->y, drawn_text(&drawn, "2.000 of 3.700 bits")->y);
}

TEST(words_too_long_for_the_line_go_into_rows_even_in_a_wide_picture)
{
    static const char word[] = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk";
    static const char *const words[7] = {word, word, word, word, word, word, word};
    close_cell();
    TinyShape shape = tiny_self(1, 2, 4);
    shape.vocabulary = 7;
    drawn_open(&drawn, shape);
    drawn.request.has_cursor = true;
    drawn_draw(&drawn, 760, 600, 1.0);
    ck_assert_int_eq(drawn_text(&drawn, "row sum")->x, drawn_text(&drawn, "1.000000")->x);
    drawn.scenario.vocabulary = words;
    drawn_draw(&drawn, 760, 600, 1.0);
    ck_assert_ptr_nonnull(drawn_part(&drawn, word));
    ck_assert_int_eq(drawn_text(&drawn, "row sum")->y, drawn_text(&drawn, "1.000000")->y);
    ck_assert_ptr_null(drawn_text(&drawn, ellipsis));
    check_places();
}

// A masked cell has more to be told than any other, a locked one too.
TEST(maps_stay_where_they_are_whatever_the_cell_is)
{
    static const int sizes[][2] = {{300, 400}, {480, 360}, {800, 600}, {1280, 960}};
    close_cell();
    drawn_open(&drawn, tiny_causal(1, 2, 5));
    for (int size = 0; size < 4; size++) {
        drawn.request.has_cursor = true;
        drawn.request.lock = FIGURE_UNLOCKED;
        drawn.request.cursor = (FigureCell){0, 0, 0};
        drawn_draw(&drawn, sizes[size][0], sizes[size][1], 1.0);
        FigureMap before = drawn.figure.maps[1];
        ck_assert_ptr_null(drawn_text(&drawn, "this cell is"));
        drawn.request.lock = FIGURE_LOCKED_CELL;
        drawn.request.cursor = (FigureCell){0, 0, 4};
        drawn_draw(&drawn, sizes[size][0], sizes[size][1], 1.0);
        ck_assert_ptr_nonnull(drawn_text(&drawn, "masked"));
        ck_assert_int_eq(drawn.figure.maps[1].x, before.x);
        ck_assert_int_eq(drawn.figure.maps[1].y, before.y);
    }
}

SUITE_WITH("figure_read_out", open_cell, close_cell)
