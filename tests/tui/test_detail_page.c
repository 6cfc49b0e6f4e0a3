// A page beside the values that is longer than its place says how many lines are left over, and J and K
// reach every one of them.
//
// The statistics of weights are 15 lines: a title and the heads of the columns, four counts, a heading
// and four numbers, a heading and three sums of rows.
#include "suite.h"
#include "talking_screen.h"

#include <string.h>

enum { COLUMNS = 60 };

static void open_at(const char *name, int rows)
{
    open_named(name);
    ck_assert(cells_resize(&cells, COLUMNS, rows, &it.err));
}

TEST(lines_without_room_are_counted_and_reached)
{
    // Of 14 rows, title, keys, message and two lines of the stage leave 9: 8 lines and the sign.
    open_at("causal", 14);
    say_and_draw("goto softmax");
    say_and_draw("statistics");
    ck_assert_msg(shows(" +7 lines: J down, K up\n"), "%s", screen);
    ck_assert(shows("statistics of attn_weights") && !shows("smallest row"));
    say_and_draw("term-next 2");
    ck_assert(!shows("statistics of attn_weights") && !shows("visible slice") && shows("numbers "));
    say_and_draw("terms-down"); // ten lines further is further than the end
    ck_assert_msg(shows("largest row") && !shows("masked "), "%s", screen);
    say_and_draw("term-previous 7"); // and nothing was kept of the way too far
    ck_assert_msg(shows("statistics of attn_weights"), "%s", screen);
    close_screen();
}

TEST(a_page_that_has_room_has_no_sign)
{
    open_at("causal", 24);
    say_and_draw("goto softmax");
    say_and_draw("statistics");
    ck_assert_msg(!shows(" lines: J") && shows("largest row"), "%s", screen);
    close_screen();
}

TEST(terms_without_a_row_are_counted_in_the_title)
{
    open_at("causal", 14);
    say_and_draw("goto softmax");
    say_and_draw("origin"); // 6 keys
    ck_assert_msg(shows(" +6 terms if taller \u2500\n"), "%s", screen);
    // 9 rows: title, formula, the stored number, heads of columns, four of 12 terms, an input
    say_and_draw("first");
    ck_assert_msg(shows(" 4 of 12 terms: J K \u2500\n"), "%s", screen);
    say_and_draw("terms-down");
    ck_assert_msg(shows("\u25b8   10 "), "%s", screen);
    close_screen();
}

TEST(another_page_begins_at_its_top)
{
    open_at("causal", 12);
    say_and_draw("set attention.scale=none");
    say_and_draw("last");
    say_and_draw("statistics");
    say_and_draw("terms-down");
    say_and_draw("changes");
    ck_assert_msg(shows("what if\n"), "%s", screen);
    close_screen();
}

TEST(what_an_edit_moved_is_seen_on_a_narrow_screen_and_names_no_weights)
{
    open_at("scaled-dot-product", 24);
    say_and_draw("last");
    say_and_draw("set q_proj.weight[0,0]=0.5");
    ck_assert_msg(cells_resize(&cells, 50, 24, &(Error){.text = ""}), "no memory");
    say_and_draw("changes");
    ck_assert_msg(shows("largest diff"), "%s", screen);
    // q[i,0] = sum_d x[i,d] * weight[0,d]: with x = (1,0,1,0), (0,2,0,2), (1,1,1,1) two of the three
    // first numbers have the weight in them; a number is computed again for each of the three tokens.
    ck_assert_msg(shows("\n q                    3           2 "), "%s", screen);
    ck_assert(!shows("k_proj.weight"));
    close_screen();
}

TEST(another_pipeline_shows_only_what_came_out_otherwise)
{
    open_at("scaled-dot-product", 24);
    say_and_draw("last");
    say_and_draw("set attention.scale=none");
    say_and_draw("changes");
    // Without the division q, k, v and the scores are what they were; the weights and what they weigh
    // are not.
    ck_assert_msg(shows("\n attn_weights ") && shows("\n context_heads "), "%s", screen);
    ck_assert_msg(!shows("\n q ") && !shows("\n scores "), "%s", screen);
    ck_assert_msg(shows(" 4 more have the same bits as before\n"), "%s", screen);
    close_screen();
}

SUITE("detail_page")
