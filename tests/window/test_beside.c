// The window beside the stepper, with SDL's driver that shows nothing: what an edit in
// the stepper does to what the window shows, down to the pixels of the process that
// draws; and how both play together.
#include "picture_view.h"

#include <stdlib.h>
#include <unistd.h>
#include "saved_picture.h"
#include "scenario_file.h"
#include "scratch.h"
#include "stepping.h"
#include "suite.h"

static Stepping it;
static PictureWindow window;

// Until neither has anything to tell the other, and the window has shown it.
static void settle(void)
{
    Command command;
    bool moved;
    do {
        moved = false;
        picture_window_follow(&window, &it.session);
        ck_assert_msg(window.open, "%s", window.gone);
        while (picture_window_next(&window, &it.session, &command)) {
            ck_assert(session_apply(&it.session, &command, &it.err));
            moved = true;
        }
        if (!window_is_ready(&window.window))
            window_wait(&window.window, -1);
    } while (moved || !window_is_ready(&window.window) || window.restless ||
             picture_view_is_stale(&window.view, &it.session));
}

static void say(const char *words)
{
    stepping_say(&it, words);
    settle();
}

static void open_window(void)
{
    stepping_say(&it, "goto softmax");
    window = (PictureWindow){.open = false};
    say("window");
}

// Document 002's Q, K and V at softmax, with a window.
static void open_both(void)
{
    scratch_open();
    ck_assert_int_eq(chdir(scratch_path(".")), 0);
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    stepping_open_printed(&it);
    open_window();
}

// The same of a scenario that was read from a file, so that its options can be changed.
static void open_four_heads(void)
{
    picture_window_close(&window);
    stepping_close(&it);
    ck_assert_msg(scenario_open(&it.scenario, &(ScenarioRequest){.what = "four-heads"}, &it.err),
                  "%s", it.err.text);
    stepping_open_again(&it);
    open_window();
}

static void close_both(void)
{
    picture_window_close(&window);
    stepping_close(&it);
    scratch_close();
}

static const char *shown_tensor(void)
{
    return picture_tensor_name(&it.session);
}

// The colour in the corner of a cell, in the picture that the window's process paints now.
static Colour painted(int row, int column)
{
    const Figure *figure = &window.view.figure;
    const char *path = scratch_path("printed-attn_weights.png");
    SavedPicture picture;
    unlink(path); // else the next one has another name
    say("picture-save");
    ck_assert(saved_picture_read(&picture, path));
    int x = figure->maps[0].x + column * figure->cell_width + 8;
    int y = figure->maps[0].y + row * figure->cell_height + 8;
    Colour colour = saved_picture_pixel(&picture, x, y);
    saved_picture_finish(&picture);
    return colour;
}

// A query of zeros scores 0 with each of three keys: its weights are 1/3, of which
// viridis has 0x31688e.
TEST(an_edit_in_the_stepper_changes_the_pixels_of_the_window)
{
    say("scale unit");
    Colour before = painted(0, 0);
    ck_assert_uint_ne(before, 0x31688e);
    say("set q[0, 0, 0] = 0");
    say("set q[0, 0, 1] = 0");
    say("set q[0, 0, 2] = 0");
    say("set q[0, 0, 3] = 0");
    for (int key = 0; key < 3; key++)
        ck_assert_uint_eq(painted(0, key), 0x31688e);
    for (int edit = 0; edit < 4; edit++)
        say("undo");
    ck_assert_uint_eq(painted(0, 0), before);
}

TEST(an_edit_in_the_stepper_leaves_the_window_where_it_was)
{
    say("show scores_scaled");
    say("colours magma");
    say("scale unit");
    say("cell [0,2,1]");
    say("cell-lock");
    say("set q[0, 0, 0] = 7");
    const FigureRequest *request = &it.session.picture.request;
    ck_assert_str_eq(shown_tensor(), "scores_scaled");
    ck_assert_int_eq(request->map, COLOUR_MAGMA);
    ck_assert_int_eq(request->scale, FIGURE_SCALE_UNIT);
    ck_assert_int_eq(request->lock, FIGURE_LOCKED_CELL);
    ck_assert_int_eq(request->cursor.row, 2);
    ck_assert_int_eq(request->cursor.column, 1);
    ck_assert_str_eq(stepping_chosen(&it), "scores_scaled[0, 2, 1]"); // one cursor
    say("goto softmax");
    say("@[0, 0, 1]"); // what is chosen in the stepper is chosen in the window
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    ck_assert_int_eq(request->cursor.row, 0);
    ck_assert_int_eq(request->cursor.column, 1);
}

// With a mask there are more tensors, and every number of a tensor is another one.
TEST(an_edit_that_makes_another_pipeline_leaves_the_window_where_it_was)
{
    const FigureRequest *request = &it.session.picture.request;
    open_four_heads();
    int before = trace_find(&it.session.run.trace, "attn_weights");
    say("show scores_scaled");
    say("head 2");
    say("colours magma");
    say("set attention.mask=causal");
    ck_assert_int_ne(trace_find(&it.session.run.trace, "attn_weights"), before);
    ck_assert_str_eq(shown_tensor(), "scores_scaled");
    ck_assert_int_eq(request->head, 2);
    ck_assert_int_eq(request->map, COLOUR_MAGMA);
}

TEST(the_differences_of_two_runs_are_shown_for_the_same_head)
{
    const FigureRequest *request = &it.session.picture.request;
    open_four_heads();
    say("head 2");
    say("compare attention.scale=none");
    say("compare-as difference");
    ck_assert_str_eq(shown_tensor(), "other - this");
    ck_assert_int_eq(request->head, 2);
    say("compare off");
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    ck_assert_int_eq(request->head, 2);
    ck_assert_int_eq(request->mode, FIGURE_HEAD);
}

TEST(a_pointer_that_passes_over_the_window_chooses_nothing)
{
    const FigureRequest *request = &it.session.picture.request;
    say("point-away");
    say("point [0,2,2]");
    ck_assert_int_eq(request->cursor.row, 2);
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    say("dark"); // a key that chooses nothing, while the pointer is there
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    say("point-away"); // it has left: back to what the stepper has chosen
    ck_assert(request->has_cursor);
    ck_assert_int_eq(request->cursor.row, 0);
    say("point [0,2,2]");
    say("cell-lock");
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 2, 2]");
}

// Three queries and three keys: nine elements.
TEST(cells_that_come_in_the_window_are_elements_of_the_stepper)
{
    const FigureRequest *request = &it.session.picture.request;
    say("cell-next"); // the first is there, and no other
    ck_assert_int_eq(it.session.cursor.depth, DEPTH_ELEMENT);
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    ck_assert_int_eq(request->computed, 1);
    say("cell-next");
    say("cell-next");
    say("cell-next");
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 1, 0]");
    ck_assert_int_eq(request->computed, 4);
    say("cell-previous");
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 2]");
    ck_assert_int_eq(request->computed, 3);
    say("depth stage");
    ck_assert_int_eq(request->computed, -1);
    say("cell-previous"); // all but the last
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 2, 1]");
    ck_assert_int_eq(request->computed, 8);
}

TEST(playing_in_the_window_is_playing_in_the_stepper)
{
    say("cell [0,2,2]");
    say("cells-play");
    ck_assert(it.session.play.on);
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    say("next"); // a tick
    ck_assert_int_eq(it.session.picture.request.computed, 2);
    say("cells-play");
    ck_assert(!it.session.play.on);
    ck_assert_int_eq(it.session.picture.request.computed, 2);
}

// The window is the stepper's: what it shows is where the stepper stands.
TEST(another_tensor_plays_where_it_is_computed)
{
    say("show scores");
    ck_assert_str_eq(stepping_step(&it), "score");
    say("cells-play");
    for (int tick = 0; tick < 2; tick++) {
        Command next = session_tick(&it.session);
        ck_assert(session_apply(&it.session, &next, &it.err));
    }
    say("cells-play");
    ck_assert(!it.session.play.on);
    ck_assert_int_eq(it.session.picture.request.computed, 3);
    ck_assert_int_eq(it.session.cursor.depth, DEPTH_ELEMENT);
}

SUITE_WITH("beside", open_both, close_both)
