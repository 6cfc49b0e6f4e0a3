// Heads picked to be shown together: by number, key and click; which of them are is seen without
// colours, and every map has the numbers of its own head.
#include "drawn.h"

#include <stdlib.h>
#include <string.h>
#include "looking.h"
#include "suite.h"

static Drawn drawn;
static Looking it;

// Five heads of 3 x 3. Every weight of head h is h fifths, but the first, which is 0.
static void open_five(void)
{
    drawn_open(&drawn, tiny_self(1, 5, 3));
    Tensor weights = drawn_tensor(&drawn, "attn_weights");
    for (ptrdiff_t i = 0; i < 5 * 9; i++)
        weights.storage.f32[weights.offset + i] = i % 9 == 0 ? 0.0f : (float)(i / 9) / 5.0f;
    drawn.request.keys = true;
    looking_open_over(&it, &drawn.scenario);
    looking_draw(&it);
    it.view.keys = true;
}

static void close_five(void)
{
    looking_close(&it);
    drawn_close(&drawn);
}

static void pick(ptrdiff_t head)
{
    figure_heads_put(&drawn.request.heads, head, true);
}

static void apply(const char *words)
{
    looking_say(&it, words);
}

static void press(const char *key)
{
    looking_press(&it, key);
}

// The heads that have a map, "1 3 ".
static const char *shown(void)
{
    static char text[64];
    text[0] = '\0';
    for (int map = 0; map < it.view.figure.map_count; map++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%td ",
                 it.view.figure.maps[map].head);
    return text;
}

TEST(picked_heads_have_a_map_with_their_name_and_others_none)
{
    pick(1);
    pick(3);
    for (int lines = 0; lines < 2; lines++) {
        drawn.request.mode = lines ? FIGURE_ALL_LINES : FIGURE_GRID;
        drawn_draw(&drawn, 1000, 700, 1.0);
        ck_assert_int_eq(drawn.figure.map_count, 2);
        ck_assert_int_eq(drawn.figure.maps[0].head, 1);
        ck_assert_int_eq(drawn.figure.maps[1].head, 3);
        ck_assert_ptr_nonnull(drawn_text(&drawn, "head 1"));
        ck_assert_ptr_nonnull(drawn_text(&drawn, "head 3"));
        ck_assert_ptr_null(drawn_text(&drawn, "head 0"));
        ck_assert_ptr_nonnull(drawn_part(&drawn, "heads 1, 3 of 0\xe2\x80\x93"
                                                 "4"));
    }
}

// Head 1 has 8 weights of 1/5, head 3 8 of 3/5: 16 lines, and those of head 3 are the thick ones.
TEST(lines_are_those_of_the_picked_heads)
{
    pick(1);
    pick(3);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1000, 700, 1.0);
    int lines = 0;
    for (size_t i = 0; i < drawn.list.item_count; i++) {
        const DisplayItem *item = &drawn.list.items[i];
        if (item->kind != DISPLAY_CURVE || item->width != drawn.figure.cell_width)
            continue;
        const FigureMap *maps = drawn.figure.maps;
        bool first = item->x == maps[0].x && item->y < maps[0].y + 3 * drawn.figure.cell_height;
        ck_assert(first || (item->x == maps[1].x && item->y >= maps[1].y));
        // a fifth, and three, of the thickest: 10 points of 16 sixteenths each
        ck_assert_int_eq(item->thickness, first ? 32 : 96);
        lines++;
    }
    ck_assert_int_eq(lines, 16);
}

static bool is_number(const DisplayItem *item, int head, int x, int width)
{
    char number[16];
    snprintf(number, sizeof number, "%d", head);
    return item->kind == DISPLAY_TEXT && item->x > x && item->x < x + width &&
           item->y > drawn.figure.strip.y && strcmp(drawn.list.texts + item->at, number) == 0;
}

TEST(the_strip_tells_the_picked_ones_and_the_current_one_without_colour)
{
    pick(1);
    pick(3);
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn.request.head = 2;
    drawn_draw(&drawn, 1000, 700, 1.0);
    const FigureStrip *strip = &drawn.figure.strip;
    ck_assert_int_eq(strip->count, 5);
    for (int head = 0; head < 5; head++) {
        int x = strip->x + head * (strip->width + strip->gap), filled = 0, lined = 0, bold = 0;
        bool in = head == 1 || head == 3;
        for (size_t i = 0; i < drawn.list.item_count; i++) {
            const DisplayItem *item = &drawn.list.items[i];
            bool here =
                item->kind == DISPLAY_RECTANGLE && item->x == x && item->width == strip->width;
            if (item->y < strip->y + strip->height)
                bold += is_number(item, head, x, strip->width) && item->bold;
            filled += here && item->y == strip->y && item->height == strip->height;
            lined += here && item->y >= strip->y + strip->height && item->height < 5;
        }
        ck_assert_int_eq(filled, in);
        ck_assert_int_eq(bold, in);
        ck_assert_int_eq(lined, head == 2);
    }
}

TEST(a_picture_to_keep_has_no_strip_but_the_names)
{
    pick(2);
    drawn.request.keys = false;
    drawn.request.mode = FIGURE_ALL_LINES;
    drawn_draw(&drawn, 1000, 700, 1.0);
    ck_assert_int_eq(drawn.figure.strip.count, 0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "head 2"));
    ck_assert_ptr_nonnull(drawn_part(&drawn, "head 2 of 0\xe2\x80\x93"
                                             "4"));
}

// viridis at 2/5 and 3/5, which are 6 and 9 fifteenths, is 0x2a788e and 0x22a884.
TEST(maps_are_never_those_of_heads_picked_before)
{
    pick(2);
    pick(4);
    drawn_draw(&drawn, 1000, 700, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 1, 1), 0x2a788e);
    pick(3);
    figure_heads_put(&drawn.request.heads, 4, false);
    drawn_draw(&drawn, 1000, 700, 1.0);
    ck_assert_uint_eq(drawn_cell(&drawn, 0, 1, 1), 0x2a788e);
    ck_assert_uint_eq(drawn_cell(&drawn, 1, 1, 1), 0x22a884);
}

TEST(a_scale_of_each_head_is_that_of_the_cursors_head)
{
    pick(1);
    pick(3);
    drawn.request.scale = FIGURE_SCALE_HEAD;
    drawn.request.has_cursor = true;
    drawn.request.cursor = (FigureCell){3, 0, 0};
    drawn_draw(&drawn, 1000, 700, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "each head; 3"));
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.6")); // head 3 ends at 3/5
    drawn.request.cursor.head = 1;
    drawn_draw(&drawn, 1000, 700, 1.0);
    ck_assert_ptr_nonnull(drawn_text(&drawn, "0.2")); // head 1 ends at 1/5
    ck_assert_ptr_null(drawn_text(&drawn, "0.6"));
}

TEST(keys_put_heads_in_and_take_them_out)
{
    press("l");
    ck_assert_str_eq(shown(), "0 ");
    press("x"); // head 0 stays, others may come
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_ALL_LINES);
    ck_assert_str_eq(shown(), "0 ");
    press("]");
    press("]");
    ck_assert_str_eq(shown(), "0 "); // head 2 is only marked
    ck_assert_int_eq(it.session.picture.request.head, 2);
    press("x");
    ck_assert_str_eq(shown(), "0 2 ");
    press("[");
    press("[");
    press("x");
    ck_assert_str_eq(shown(), "2 ");
    press("Return");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_LINES);
    press("Return");
    ck_assert_str_eq(shown(), "2 ");
    press("L");
    ck_assert_str_eq(shown(), "0 1 2 3 4 ");
    press("L");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_GRID);
    press("x"); // of all, head 0 goes
    ck_assert_str_eq(shown(), "1 2 3 4 ");
    press("Escape");
    ck_assert_str_eq(shown(), "0 1 2 3 4 ");
}

TEST(the_cursor_is_in_a_head_that_is_shown)
{
    apply("heads 1,3");
    apply("cell [3,1,2]");
    press("x"); // without head 3
    ck_assert_int_eq(it.session.picture.request.head, 3);
    ck_assert_int_eq(it.session.picture.request.cursor.head, 1);
    press("]");
    ck_assert_int_eq(it.session.picture.request.cursor.head, 1);
    press("x");
    ck_assert_int_eq(it.session.picture.request.cursor.head, 4);
}

TEST(the_last_head_stays)
{
    apply("heads 1,2");
    press("x");
    ck_assert_str_eq(shown(), "2 ");
    press("]");
    ck_assert(!looking_try(&it, "head-pick"));
    ck_assert_ptr_nonnull(strstr(it.err.text, "at least one head must stay; g shows all"));
    ck_assert_str_eq(shown(), "2 ");
}

static void click(int head)
{
    const FigureStrip *strip = &it.view.figure.strip;
    ck_assert_int_gt(strip->count, head);
    looking_click(&it, strip->x + head % strip->columns * (strip->width + strip->gap) + 3,
                  strip->y + head / strip->columns * (strip->height + strip->gap) + 3);
}

TEST(a_click_on_a_number_does_the_same)
{
    press("l");
    click(3); // beside head 0, which was looked at
    ck_assert_str_eq(shown(), "0 3 ");
    click(0);
    ck_assert_str_eq(shown(), "3 ");
    click(3);
    ck_assert_str_eq(shown(), "3 ");
    ck_assert_ptr_nonnull(
        strstr(it.session.message.text, "at least one head must stay; L shows all"));
    click(1);
    ck_assert_str_eq(shown(), "1 3 ");
    ck_assert_str_eq(it.session.message.text, "");
}

TEST(words_name_them_and_wrong_words_change_nothing)
{
    static const char *const wrong[] = {"heads 1,5", "heads 5",   "heads",    "heads 1,",
                                        "heads x",   "heads 1 3", "heads -1", "heads 1,9999"};
    apply("picture-as lines");
    apply("heads 1,3");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_ALL_LINES);
    ck_assert_str_eq(shown(), "1 3 ");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!looking_try(&it, wrong[i]), "%s", wrong[i]);
        looking_draw(&it);
        ck_assert_str_eq(shown(), "1 3 ");
    }
    apply("heads 4");
    ck_assert_int_eq(it.session.picture.request.mode, FIGURE_LINES);
    ck_assert_str_eq(shown(), "4 ");
    apply("picture-as grid");
    apply("heads all");
    ck_assert_str_eq(shown(), "0 1 2 3 4 ");
}

TEST(numbers_as_csv_are_those_of_the_picked_heads)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    apply("heads 0,4");
    picture_csv(&it.session, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "\n0,0,"));
    ck_assert_ptr_nonnull(strstr(text, "\n4,2,"));
    ck_assert_ptr_null(strstr(text, "\n1,"));
    free(text);
}

TEST(a_tensor_with_fewer_maps_shows_those_it_has)
{
    apply("heads 1,3");
    apply("show context_heads");
    ck_assert_str_eq(shown(), "1 3 ");
    apply("show output");
    ck_assert_str_eq(shown(), "0 ");
    ck_assert(!looking_try(&it, "head-pick"));
    ck_assert_ptr_nonnull(strstr(it.err.text, "nothing to select"));
    ck_assert_ptr_null(drawn_part(&drawn, "of 0\xe2\x80\x93"));
    apply("show q_view"); // maps of three queries
    ck_assert_str_eq(shown(), "1 ");
    press("]");
    press("]");
    press("x");
    ck_assert_str_eq(shown(), "1 2 ");
    press("x");
    press("[");
    ck_assert(!looking_try(&it, "head-pick")); // query 3 is not there to stay
    ck_assert_str_eq(shown(), "1 ");
    apply("show attn_weights");
    ck_assert_str_eq(shown(), "1 3 ");
}

TEST(many_heads_are_told_by_those_that_are_missing)
{
    FigureHeads heads = {.bits = {0}};
    char text[64];
    for (ptrdiff_t head = 0; head < 40; head++)
        figure_heads_put(&heads, head, head != 7 && head != 20);
    ck_assert_str_eq(figure_heads_text(&heads, 40, text), "all but 7, 20");
    for (ptrdiff_t head = 0; head < 40; head++)
        figure_heads_put(&heads, head, head < 3);
    ck_assert_str_eq(figure_heads_text(&heads, 40, text), "0, 1, 2");
    for (ptrdiff_t head = 0; head < 40; head++)
        figure_heads_put(&heads, head, head % 2 == 0);
    ck_assert_ptr_nonnull(strstr(figure_heads_text(&heads, 40, text), "0, 2, 4, 6"));
    ck_assert_ptr_nonnull(strstr(text, " ..."));
}

TEST(forty_numbers_lie_within_a_small_picture)
{
    close_five();
    drawn_open(&drawn, tiny_self(1, 40, 2));
    looking_open_over(&it, &drawn.scenario);
    it.view.keys = true;
    looking_size(&it, 640, 480);
    apply("heads 1,39");
    const FigureStrip *strip = &it.view.figure.strip;
    ck_assert_int_eq(strip->count, 40);
    ck_assert_int_lt(strip->columns, 40);
    ck_assert_int_le(strip->x + strip->columns * (strip->width + strip->gap), 640);
    int rows = (40 + strip->columns - 1) / strip->columns;
    ck_assert_int_lt(strip->y + rows * (strip->height + strip->gap), it.view.figure.maps[0].y);
    click(39);
    ck_assert_str_eq(shown(), "1 ");
}

SUITE_WITH("figure_heads", open_five, close_five)
