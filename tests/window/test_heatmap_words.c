// What options and scripts say to a heatmap: how large letters are, which heads, and what the picture
// is called.
#include "looking.h"

#include <string.h>
#include "drawn.h"
#include "suite.h"

static Looking it;

// Five heads of `tokens` x `tokens`.
static void open_tokens(ptrdiff_t tokens)
{
    looking_open(&it, tiny_self(1, 5, tokens));
    looking_draw(&it);
}

static void open_heatmap(void)
{
    open_tokens(3);
}

static void close_heatmap(void)
{
    looking_close(&it);
}

static void apply(const char *words)
{
    looking_say(&it, words);
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
    close_heatmap();
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
    close_heatmap();
    looking_open(&it, tiny_self(2, 5, 3));
    it.view.keys = true;
    looking_draw(&it);
    ck_assert_ptr_nonnull(find("n b sequence"));
}

SUITE_WITH("heatmap_words", open_heatmap, close_heatmap)
