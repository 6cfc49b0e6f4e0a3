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

// --- The panel of the other run on a screen that leaves no room for the values beside it: which rows it
// shows, where the chosen element is, and what its signs mean.
//
// `causal` has 6 queries and 6 keys; its scores are divided by sqrt(4), so without the division every
// visible score is twice as large.

enum { BESIDE_COLUMNS = 80, BESIDE_ROWS = 24 };

static void open_beside(const char *name)
{
    open_named(name);
    ck_assert(cells_resize(&cells, BESIDE_COLUMNS, BESIDE_ROWS, &it.err));
}

TEST(rows_that_have_room_stay_when_the_chosen_one_moves)
{
    open_beside("causal");
    say_and_draw("goto scale");
    say_and_draw("compare mistake scale-missing");
    say_and_draw("@[0, 0, 5, 1]");
    expect("\u2502 0 *-0.0999    -inf");
    expect("\u2502 5\u25b8 *0.1409*-0.1240"); // marked, in its row
    expect("0      \u25be1       2");         // and above its column
    close_screen();
}

TEST(every_view_says_what_its_signs_mean)
{
    open_beside("causal");
    say_and_draw("goto scale");
    say_and_draw("compare mistake scale-missing");
    expect("* differs  ! first  ' next  Y other view\n");
    say_and_draw("compare-next");
    expect("= same bits  ! first other  ' next  Y other view\n");
    say_and_draw("compare-next");
    expect("\u00b7 not computed yet"); // softmax and what follows
    say_and_draw("last");
    ck_assert_ptr_null(strstr(screen, "not computed yet"));
    close_screen();
}

TEST(without_a_run_the_panel_says_which_keys_open_one)
{
    open_beside("causal");
    say_and_draw("beside");
    expect("There is no other run. W lists");
    expect(":compare");
    expect("attention.scale=none");
    say_and_draw("compare attention.scale=none"); // the words it names do what it says
    say_and_draw("compare causal-dropout");
    ck_assert(it.session.comparison.open);
    close_screen();
}

TEST(the_list_of_mistakes_begins_at_one_that_can_show)
{
    open_beside(
        "causal"); // from vectors: the first mistakes, of padding and embedding, cannot show
    say_and_draw("mistakes");
    ck_assert_int_gt(it.session.look.mistake, 0);
    ck_assert_ptr_null(strstr(screen, "It does not show here"));
    say_and_draw("term-previous 1"); // still there for who wants to read about it
    expect("It does not show here");
    close_screen();
}

// --- The panel of errors: what it shows is of the tensor and number looked at, and follows what is changed.

static void look_after(const char *words)
{
    say(words);
    draw(BESIDE_COLUMNS, BESIDE_ROWS);
}

static const SessionExact *exact(void)
{
    return &it.session.exact;
}

// Document 002 divides by 2, which takes nothing from any number; softmax rounds.
TEST(errors_are_of_the_tensor_looked_at)
{
    stepping_open_printed(&it);
    look_after("goto scale");
    look_after("exact");
    ck_assert(exact()->known);
    ck_assert_double_eq(exact()->error_alone.largest, 0.0);
    ck_assert_int_eq(exact()->error_alone.nearest, 9);
    ck_assert(exact()->error_since.largest > 0.0); // the scores it reads are sums
    ck_assert_msg(strstr(screen, "scores_scaled beside float64"), "%s", screen);
    ck_assert_msg(strstr(screen, "9 / 9"), "%s", screen);
    ck_assert(strstr(screen, "PyTorch has the same bits"));
    look_after("goto softmax");
    ck_assert(exact()->known && exact()->error_alone.largest > 0.0);
    ck_assert_msg(strstr(screen, "PyTorch's error is unknown"), "%s", screen);
    close_screen();
}

// 0.1f + 0.2f of test_exact.c, as a dot product: q = (0.1, 0.2, 0, 0), k = (1, 1, 0, 0). What float64
// makes of them is 0.300000004470348; the float32 is a quarter of a unit more.
TEST(a_number_that_is_changed_is_computed_again)
{
    stepping_open_printed(&it);
    look_after("goto score");
    look_after("@[0,0,0]");
    look_after("exact");
    static const char *const sets[] = {"set q[0,0,0]=0.1", "set q[0,0,1]=0.2", "set q[0,0,2]=0",
                                       "set q[0,0,3]=0",   "set k[0,0,0]=1",   "set k[0,0,1]=1"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        look_after(sets[i]);
    TraceCell cell = session_cell(&it.session);
    ck_assert(exact()->known);
    ck_assert_double_eq(trace_exact_number(&exact()->alone, cell), 40265319.0 / 134217728.0);
    ck_assert_msg(strstr(screen, "0.30000000447 "), "%s", screen);
    ck_assert_msg(strstr(screen, " 0.25 "), "%s", screen);
    close_screen();
}

TEST(inputs_and_closed_panels_have_none)
{
    stepping_open_printed(&it);
    look_after("goto score");
    look_after("tensor q");
    look_after("exact");
    ck_assert(!exact()->known);
    ck_assert_msg(strstr(screen, "this is not computed yet"), "%s", screen);
    look_after("tensor scores");
    ck_assert(exact()->known);
    look_after("exact");
    ck_assert(!exact()->known && !exact()->since.trace && !exact()->alone.trace);
    close_screen();
}

TEST(the_run_of_a_mistake_says_why_it_has_none)
{
    stepping_open_printed(&it);
    look_after("goto scale");
    look_after("exact");
    look_after("compare mistake scale-missing");
    look_after("compare-swap");
    ck_assert(!exact()->known || it.session.look.detail != DETAIL_EXACT);
    while (it.session.look.detail != DETAIL_EXACT)
        look_after("exact");
    ck_assert(!exact()->known);
    ck_assert_msg(strstr(screen, "scale is replaced here"), "%s", screen);
    look_after("compare-swap");
    ck_assert(exact()->known);
    close_screen();
}

SUITE("detail_page")
