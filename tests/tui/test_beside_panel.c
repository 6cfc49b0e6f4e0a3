// The panel of the other run on a screen that leaves no room for the values beside it: which rows it
// shows, where the chosen element is, and what its signs mean.
//
// `causal` has 6 queries and 6 keys; its scores are divided by sqrt(4), so without the division every
// visible score is twice as large.
#include "suite.h"
#include "talking_screen.h"

#include <string.h>

enum { COLUMNS = 80, ROWS = 24 };

static void open_at(const char *name)
{
    open_named(name);
    ck_assert(cells_resize(&cells, COLUMNS, ROWS, &it.err));
}

TEST(rows_that_have_room_stay_when_the_chosen_one_moves)
{
    open_at("causal");
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
    open_at("causal");
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
    open_at("causal");
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
    open_at("causal"); // from vectors: the first mistakes, of padding and embedding, cannot show
    say_and_draw("mistakes");
    ck_assert_int_gt(it.session.look.mistake, 0);
    ck_assert_ptr_null(strstr(screen, "It does not show here"));
    say_and_draw("term-previous 1"); // still there for who wants to read about it
    expect("It does not show here");
    close_screen();
}

SUITE("beside_panel")
