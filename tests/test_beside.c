// The window beside the stepper, with SDL's driver that shows nothing: what an edit in
// the stepper does to what the window shows, down to the pixels of the process that
// draws; and how both play together.
#include "stepper_window.h"

#include <stdlib.h>
#include <unistd.h>
#include "saved_picture.h"
#include "scenario_file.h"
#include "scratch.h"
#include "stepping.h"
#include "suite.h"

static Stepping it;
static StepperWindow window;
static TuiCompanion companion;

// Until neither has anything to tell the other, and the window has shown it.
static void settle(void)
{
    Command command;
    const HeatmapWindow *shown = &window.shown;
    bool moved;
    do {
        moved = false;
        companion.follow(companion.context, &it.session);
        ck_assert_msg(window.open, "%s", window.gone);
        while (companion.next(companion.context, &it.session, &command)) {
            ck_assert(session_apply(&it.session, &command, &it.err));
            moved = true;
        }
        if (!window_is_ready(&shown->window))
            window_wait(&shown->window, -1);
    } while (moved || !window_is_ready(&shown->window) || shown->heatmap.changed ||
             shown->heatmap.wish != HEATMAP_NOTHING);
}

static void say(const char *words)
{
    stepping_say(&it, words);
    settle();
}

static void do_in_window(const char *words)
{
    ck_assert_msg(heatmap_apply(&window.shown.heatmap, words, &it.err), "%s", it.err.text);
    settle();
}

static void open_window(void)
{
    stepping_say(&it, "goto softmax");
    window = (StepperWindow){.open = false};
    companion = stepper_window_companion(&window);
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
    stepper_window_close(&window);
    stepping_close(&it);
    ck_assert_msg(scenario_open(&it.scenario, &(ScenarioRequest){.what = "four-heads"}, &it.err),
                  "%s", it.err.text);
    stepping_open_again(&it);
    open_window();
}

static void close_both(void)
{
    stepper_window_close(&window);
    stepping_close(&it);
    scratch_close();
}

static const char *shown_tensor(void)
{
    const Heatmap *heatmap = &window.shown.heatmap;
    return heatmap->trace->tensors[heatmap->request.tensor].name;
}

// The colour in the corner of a cell, in the picture that the window's process paints now.
static Colour painted(int row, int column)
{
    const Figure *figure = &window.shown.heatmap.figure;
    const char *path = scratch_path("printed-attn_weights.png");
    SavedPicture picture;
    unlink(path); // else the next one has another name
    do_in_window("save");
    ck_assert(saved_picture_read(&picture, path));
    int x = figure->maps[0].x + column * figure->cell_width + 8;
    int y = figure->maps[0].y + row * figure->cell_height + 8;
    Colour colour = saved_picture_pixel(&picture, x, y);
    saved_picture_finish(&picture);
    return colour;
}

// A query of zeros scores 0 with each of three keys: its weights are 1/3, of which
// viridis has 0x31688e.
START_TEST(an_edit_in_the_stepper_changes_the_pixels_of_the_window)
{
    do_in_window("scale unit");
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
END_TEST

START_TEST(an_edit_in_the_stepper_leaves_the_window_where_it_was)
{
    do_in_window("tensor scores_scaled");
    do_in_window("map magma");
    do_in_window("scale unit");
    do_in_window("cursor 0 2 1");
    do_in_window("lock_cell");
    say("set q[0, 0, 0] = 7");
    const FigureRequest *request = &window.shown.heatmap.request;
    ck_assert_str_eq(shown_tensor(), "scores_scaled");
    ck_assert_int_eq(request->map, COLOUR_MAGMA);
    ck_assert_int_eq(request->scale, FIGURE_SCALE_UNIT);
    ck_assert_int_eq(request->lock, FIGURE_LOCKED_CELL);
    ck_assert_int_eq(request->cursor.row, 2);
    ck_assert_int_eq(request->cursor.column, 1);
    say("right"); // what is chosen in the stepper is chosen in the window
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    ck_assert_int_eq(request->cursor.row, 0);
    ck_assert_int_eq(request->cursor.column, 1);
}
END_TEST

// With a mask there are more tensors, and every number of a tensor is another one.
START_TEST(an_edit_that_makes_another_pipeline_leaves_the_window_where_it_was)
{
    const FigureRequest *request = &window.shown.heatmap.request;
    open_four_heads();
    int before = trace_find(&it.session.run.trace, "attn_weights");
    do_in_window("tensor scores_scaled");
    do_in_window("head 2");
    do_in_window("map magma");
    say("set attention.mask=causal");
    ck_assert_int_ne(trace_find(&it.session.run.trace, "attn_weights"), before);
    ck_assert_str_eq(shown_tensor(), "scores_scaled");
    ck_assert_int_eq(request->head, 2);
    ck_assert_int_eq(request->map, COLOUR_MAGMA);
}
END_TEST

START_TEST(the_differences_of_two_lanes_are_shown_for_the_same_head)
{
    const FigureRequest *request = &window.shown.heatmap.request;
    open_four_heads();
    do_in_window("head 2");
    say("compare attention.scale=none");
    say("compare-as difference");
    ck_assert_str_eq(shown_tensor(), "other - this");
    ck_assert_int_eq(request->head, 2);
    say("compare off");
    ck_assert_str_eq(shown_tensor(), "attn_weights");
    ck_assert_int_eq(request->head, 2);
    ck_assert_int_eq(request->mode, FIGURE_HEAD);
}
END_TEST

// A key that chose nothing, and later the pointer on its way.
START_TEST(a_pointer_that_passes_over_the_window_chooses_nothing)
{
    window.shown.chose = true;
    settle();
    const Figure *figure = &window.shown.heatmap.figure;
    char words[64];
    snprintf(words, sizeof words, "point %d %d", figure->maps[0].x + 2 * figure->cell_width + 5,
             figure->maps[0].y + 2 * figure->cell_height + 5);
    do_in_window("forget");
    do_in_window(words);
    ck_assert_int_eq(window.shown.heatmap.request.cursor.row, 2);
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    window.shown.chose = true;
    do_in_window("dark"); // a key that chooses nothing, while the pointer is there
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    do_in_window("forget"); // it has left: back to what the stepper has chosen
    ck_assert(window.shown.heatmap.request.has_cursor);
    ck_assert_int_eq(window.shown.heatmap.request.cursor.row, 0);
    do_in_window(words);
    window.shown.chose = true;
    do_in_window("lock_cell");
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 2, 2]");
}
END_TEST

// Three queries and three keys: nine elements.
START_TEST(cells_that_come_in_the_window_are_elements_of_the_stepper)
{
    const FigureRequest *request = &window.shown.heatmap.request;
    do_in_window("next_cell"); // the first is there, and no other
    ck_assert_int_eq(it.session.cursor.depth, DEPTH_ELEMENT);
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    ck_assert_int_eq(request->computed, 1);
    do_in_window("next_cell");
    do_in_window("next_cell");
    do_in_window("next_cell");
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 1, 0]");
    ck_assert_int_eq(request->computed, 4);
    do_in_window("previous_cell");
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 2]");
    ck_assert_int_eq(request->computed, 3);
    say("depth stage");
    ck_assert_int_eq(request->computed, -1);
    do_in_window("previous_cell"); // all but the last
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 2, 1]");
    ck_assert_int_eq(request->computed, 8);
}
END_TEST

START_TEST(playing_in_the_window_is_playing_in_the_stepper)
{
    do_in_window("cursor 0 2 2");
    do_in_window("play");
    ck_assert(it.session.play.on && !window.shown.heatmap.playing);
    ck_assert_str_eq(stepping_chosen(&it), "attn_weights[0, 0, 0]");
    say("next"); // a tick
    ck_assert_int_eq(window.shown.heatmap.request.computed, 2);
    do_in_window("play");
    ck_assert(!it.session.play.on);
    ck_assert_int_eq(window.shown.heatmap.request.computed, 2);
}
END_TEST

START_TEST(another_tensor_plays_in_the_window_alone_and_can_be_paused)
{
    const Heatmap *heatmap = &window.shown.heatmap;
    do_in_window("tensor scores");
    ck_assert(heatmap_apply(&window.shown.heatmap, "play", &it.err));
    for (int tick = 0; tick < 3; tick++)
        ck_assert(heatmap_apply(&window.shown.heatmap, "tick", &it.err));
    ck_assert(heatmap_apply(&window.shown.heatmap, "play", &it.err));
    settle();
    ck_assert(!heatmap->playing && !it.session.play.on);
    ck_assert_int_eq(heatmap->request.computed, 3);
    ck_assert_int_eq(it.session.cursor.depth, DEPTH_STAGE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("beside");
    TCase *tcase = tcase_create("edits");
    tcase_add_checked_fixture(tcase, open_both, close_both);
    tcase_add_test(tcase, an_edit_in_the_stepper_changes_the_pixels_of_the_window);
    tcase_add_test(tcase, an_edit_in_the_stepper_leaves_the_window_where_it_was);
    tcase_add_test(tcase, an_edit_that_makes_another_pipeline_leaves_the_window_where_it_was);
    tcase_add_test(tcase, the_differences_of_two_lanes_are_shown_for_the_same_head);
    tcase_add_test(tcase, a_pointer_that_passes_over_the_window_chooses_nothing);
    tcase_add_test(tcase, cells_that_come_in_the_window_are_elements_of_the_stepper);
    tcase_add_test(tcase, playing_in_the_window_is_playing_in_the_stepper);
    tcase_add_test(tcase, another_tensor_plays_in_the_window_alone_and_can_be_paused);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
