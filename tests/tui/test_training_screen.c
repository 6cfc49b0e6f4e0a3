// What the screen of a training shows: its curve, its keys, its maps, and what it says; without a terminal.
#include "screen.h"
#include "shown.h"
#include "suite.h"
#include "training_watch.h"
#include "watched_training.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

FIXTURE(setup, finish)

// Lines that are too long go on below, so that the stored number is seen whole.
TEST(a_narrow_screen_shows_the_new_value)
{
    char stored[32];
    press("Space");
    steps(2);
    press("n");
    snprintf(stored, sizeof stored, "%.9g", (double)watch.update.value[1]);
    const char *screen = drawn(60, 30), *place = strstr(screen, "w = w - step");
    ck_assert_ptr_nonnull(place);
    ck_assert_msg(strstr(place, stored) != NULL, "no %s in:\n%s", stored, screen);
}

// Of a weight that was typed the loss of the last step knows nothing.
TEST(a_loss_before_a_change_is_told_as_such)
{
    steps(3);
    check_says("  loss ");
    press("n");
    press("Enter");
    press("9");
    press("Enter");
    check_says("  loss was ");
    press("s");
    ck_assert_ptr_null(strstr(drawn(110, 34), "loss was"));
}

// Step 1 has the largest loss, 7; however few columns there are, and whatever comes later.
TEST(the_top_of_the_curve_stays)
{
    check_says("loss: none yet");
    watch.training.step = 40;
    watch.losses[1] = 7.0f;
    for (int i = 2; i <= 40; i++)
        watch.losses[i] = 1.0f;
    ck_assert_float_eq(training_watch_largest(&watch), 7.0f);
    check_says("loss 0-7, to step 50");
}

// The curve is as narrow as 80 columns leave it: 25 beside the table of three heads.
TEST(the_curves_title_fits_in_both_languages)
{
    watch.training.step = 60;
    watch.losses[1] = 3.72f;
    ck_assert_ptr_nonnull(strstr(drawn(80, 24), "loss 0-3.72, to step 60  "));
    language_choose(LANGUAGE_KOREAN);
    const char *screen = drawn(80, 24);
    language_choose(LANGUAGE_ENGLISH);
    ck_assert_msg(strstr(screen, "손실 0~3.72, 60스텝까지  ") != NULL, "%s", screen);
}

// Of six heads 80 columns hold five, the chosen one among them.
TEST(the_table_goes_along_with_the_chosen_head)
{
    TrainingRecipe recipe = small_training();
    recipe.heads = 6;
    finish();
    begin(&recipe);
    const char *screen = drawn(80, 24);
    ck_assert_msg(strstr(screen, "heads 0 to 4 of 6") != NULL, "%s", screen);
    for (int i = 0; i < 5; i++)
        press("Right");
    screen = drawn(80, 24);
    ck_assert_msg(strstr(screen, "heads 1 to 5 of 6") != NULL, "%s", screen);
    ck_assert_msg(strstr(screen, "head 1      head 2") != NULL, "%s", screen);
    ck_assert_ptr_null(strstr(drawn(110, 34), "5 of 6"));
}

TEST(help_is_whole_in_80_columns)
{
    press("?");
    for (int language = 0; language < LANGUAGES; language++) {
        language_choose((Language)language);
        const char *screen = drawn(80, 24);
        language_choose(LANGUAGE_ENGLISH);
        ck_assert_msg(strstr(screen, "\u2026") == NULL, "cut:\n%s", screen);
    }
}

TEST(keys_are_told_where_they_do_something)
{
    check_says("s step");
    check_says("Tab text");
    press("n");
    check_says("Tab matrix");
    check_says("Enter type");
    ck_assert_ptr_null(strstr(drawn(110, 34), "Tab text"));
    press("Enter");
    check_says("Esc leave it");
    press("Escape");
    steps(60);
    ck_assert_ptr_null(strstr(drawn(110, 34), "s step"));
}

TEST(a_screen_that_is_too_small_is_told)
{
    ck_assert_ptr_nonnull(strstr(drawn(50, 14), "too small: 50x14"));
    const char *screen = drawn(60, 24); // where the table comes before the curve
    ck_assert_ptr_null(strstr(screen, "too small"));
    ck_assert_ptr_null(strstr(screen, "loss:"));
    ck_assert_msg(strstr(screen, "head 2") != NULL, "%s", screen);
}

TEST(tab_and_arrows_choose_text_and_head)
{
    press("Tab");
    press("Right");
    check_says("what head 1 looks at, text 2 of 4");
    press("BackTab");
    press("Left");
    press("Left");
    check_says("what head 2 looks at, text 1 of 4");
}

TEST(help_lists_the_keys_until_the_next_key)
{
    press("?");
    check_says("choose a checkpoint");
    check_says("It is no language model.");
    press("s");
    ck_assert_int_eq(watch.training.step, 0);
    check_says("what head 0 looks at");
    press("q");
    ck_assert(watch.left);
}

// Hand-made: head 0 does "who", head 1 nothing. "He" is at 5; "is" at 1 is not asked who it is.
TEST(rows_are_asked_for_what_the_head_does)
{
    Measure measure = {.mass = {[QUESTION_WHO] = {0.9, 0.1}}};
    GrammarText text;
    grammar_document_text(&grammar_english, &text);
    ck_assert(measure_is_asked(&measure, 0, &text, 5));
    ck_assert(!measure_is_asked(&measure, 0, &text, 1));
    ck_assert(measure_is_asked(&measure, 1, &text, 1));
    watch.measure = measure;
    check_says("(very)");
    press("Right");
    ck_assert_ptr_null(strstr(drawn(110, 34), "(very)"));
}

TEST(no_size_and_no_colours_break_it)
{
    steps(12);
    for (int rows = 1; rows < 40; rows += 3)
        for (int columns = 1; columns < 130; columns += 9) {
            watched_cells.colours = rows % 2 ? 256 : 0;
            drawn(columns, rows);
        }
    watched_cells.colours = 0;
    const char *screen = drawn(80, 24);
    ck_assert_msg(strstr(screen, "\n singer") != NULL, "%s", screen); // the last word but one
    ck_assert_msg(strstr(screen, "step 12") != NULL, "%s", screen);
}

// Behind the kept maps of the chosen head stand those of now, of each layer the head of that number. Of a text
// that is longer than the screen the end is shown, where something is asked.
TEST(both_layers_are_seen)
{
    TrainingRecipe recipe = training_recipe(&grammar_memory);
    finish();
    recipe.batch = 5;
    recipe.width = 12;
    recipe.steps = 60;
    begin(&recipe);
    steps(12);
    check_says("what head 0.0 looks at, text 1 of 4");
    check_says("0.0 step 12               1.0 step 12"); // 24 columns and a gap
    check_says("head 0.0    head 1.0");
    check_says("before  ");
    press("Right");
    check_says("what head 1.0 looks at");
    check_says("1.0 step 10               0.0 step 12               1.0 step 12");
    const GrammarText *text = &watch.sentences.texts[0];
    const char *last = grammar_memory.words[text->words[text->length - 2]];
    ck_assert_ptr_nonnull(strstr(drawn(80, 24), last));
    press("?");
    check_says("0.0 is a");
    press("n");
    press("n");
    for (int i = 0; i < 5; i++)
        press("Tab");
    check_says("layer1.q_proj.weight, row 0 of 12, column 0 of 12");
}

// --- A training as it is watched: what keys do to it, what is kept, and what the screen shows of it; without
// a terminal.

FIXTURE(setup, finish)

// The letters that lie on n and s.
TEST(hangul_is_the_keys_beneath_it_and_that_is_said_once)
{
    press("Space");
    press("\u315c");
    ck_assert(watch.shows_parameter);
    check_says("types Hangul");
    press("\u3134");
    ck_assert_int_eq(watch.training.step, 1);
    ck_assert_ptr_null(strstr(drawn(110, 34), "types Hangul"));
}

TEST(space_pauses_and_a_frame_then_does_nothing)
{
    Error err = {.text = ""};
    ck_assert(training_watch_frame(&watch, &err));
    ck_assert_int_eq(watch.training.step, 1);
    press("Space");
    ck_assert(training_watch_frame(&watch, &err));
    ck_assert_int_eq(watch.training.step, 1);
    check_says("Paused.");
    press("s");
    ck_assert_int_eq(watch.training.step, 2);
    press("Space");
    ck_assert(training_watch_frame(&watch, &err));
    ck_assert_int_eq(watch.training.step, 3);
}

TEST(maps_are_kept_after_steps_0_10_and_30)
{
    steps(35);
    ck_assert_int_eq(watch.map_count, 3);
    ck_assert_int_eq(watch.maps[1].step, 10);
    check_says("step 0");
    check_says("step 10");
    check_says("step 30");
    check_says("step 35"); // and that of now
    float sum = 0.0f;
    for (int to = 0; to < watch.sentences.texts[0].length; to++)
        sum += training_watch_weight(&watch, &watch.maps[1], watch.head, 5, to);
    ck_assert_float_eq_tol(sum, 1.0f, 1e-6f); // a row of weights
}

// Another training, of the same recipe, that never went anywhere else.
static void check_is_like_one_that_never_left(int64_t step)
{
    static Training other;
    TrainingRecipe recipe = small_training();
    Error err = {.text = ""};
    ck_assert(training_open(&other, &recipe, &err));
    while (other.step < step)
        ck_assert(training_step(&other, &err));
    for (int i = 0; i < WEIGHT_COUNT; i++)
        ck_assert_mem_eq(other.weights[i].storage.f32, watch.training.weights[i].storage.f32,
                         (size_t)tensor_count(&other.weights[i]) * sizeof(float));
    training_close(&other);
}

TEST(going_back_and_on_again_ends_with_the_same_bits)
{
    steps(41);
    press("[");
    press("[");
    int64_t chosen = watch.keeps[watch.keep_chosen].state.step;
    ck_assert_int_lt(chosen, 38); // checkpoints every 60 / 20 = 3 steps
    press("b");
    ck_assert_int_eq(watch.training.step, chosen);
    ck_assert(isnan(watch.losses[chosen + 1]));
    ck_assert_int_eq(watch.state, WATCH_PAUSED);
    steps(41 - (int)chosen);
    check_is_like_one_that_never_left(41);
}

// It waits where it was told to, before the first step as well. At a quarter of the speed the first steps
// take four frames each: 1, 1 + 1 / 10 ... a frame.
TEST(a_training_waits_for_the_room_and_goes_as_fast_as_it_is_told)
{
    Error err;
    TrainingRecipe recipe = watch.training.recipe;
    training_watch_close(&watch);
    recipe.pauses[0] = 0;
    recipe.pauses[1] = 3;
    recipe.pause_count = 2;
    ck_assert(training_watch_open(&watch, &recipe, &err) && training_watch_begin(&watch, &err));
    ck_assert(training_watch_frame(&watch, &err));
    ck_assert_int_eq(watch.training.step, 0);
    press("-");
    press("-");
    press("Space");
    for (int frame = 0; frame < 4; frame++)
        ck_assert(training_watch_frame(&watch, &err));
    ck_assert_int_eq(watch.training.step, 1);
    for (int i = 0; i < 6; i++)
        press("+");
    ck_assert(training_watch_frame(&watch, &err)); // 16 steps, but for the pause
    ck_assert_int_eq(watch.training.step, 3);
    ck_assert_int_eq(watch.state, WATCH_PAUSED);
    press("Space");
    ck_assert(training_watch_frame(&watch, &err));
    ck_assert_int_gt(watch.training.step, 3);
}

TEST(another_learning_rate_is_another_training)
{
    press("R"); // 0.01 * 1.25 * (1 - 0 / 60)
    steps(1);
    ck_assert_float_eq_tol(watch.training.optimizer.rate, 0.0125f, 1e-9f);
    press("r");
    ck_assert_float_eq_tol(watch.training.rate_scale, 1.0f, 1e-6f);
}

TEST(another_speed_is_shown)
{
    press("+");
    check_says("  speed x2");
    press("-");
    press("-");
    check_says("  speed x0.5");
}

TEST(a_digit_takes_a_head_away_and_puts_it_back)
{
    steps(60);
    Measure whole = watch.measure;
    float weight = watch.training.weights[WEIGHT_OUT].storage.f32[5];
    press("1");
    check_says("no head 1");
    check_says("Correct without the removed heads: who ");
    for (int q = 0; q < QUESTION_COUNT; q++)
        ck_assert_double_eq(watch.measure.right[q], whole.right_without[q][1]);
    ck_assert_float_eq(watch.training.weights[WEIGHT_OUT].storage.f32[5], weight);
    press("1");
    for (int q = 0; q < QUESTION_COUNT; q++)
        ck_assert_double_eq(watch.measure.right[q], whole.right[q]);
    press("7"); // there is none
    ck_assert_uint_eq(watch.without, 0);
}

// By hand from the numbers shown, in double precision: m, v, then the new weight.
TEST(the_arithmetic_of_a_parameter_makes_its_new_value)
{
    press("n");
    check_says("q_proj.weight, row 0 of 12, column 0 of 12");
    press("Down");
    press("Right");
    check_says("row 1 of 12, column 1 of 12");
    press("s");
    press("s");
    const ParameterStep *update = &watch.update;
    double g = (double)update->gradient;
    double m = 0.9 * (double)update->moment1[0] + 0.1 * g;
    double v = 0.98 * (double)update->moment2[0] + 0.02 * g * g;
    double step = (double)update->rate / (1.0 - 0.9 * 0.9);
    double size = sqrt(v) / sqrt(1.0 - 0.98 * 0.98) + 1e-8;
    ck_assert_int_eq(update->step, 2);
    ck_assert_double_ne(g, 0.0);
    ck_assert_double_eq_tol((double)update->moment1[1], m, 1e-8);
    double shrunk =
        (1.0 - (double)update->rate * 0.3) * (double)update->value[0]; // the recipe's decay
    ck_assert_double_eq_tol((double)update->value[1], shrunk - step * m / size, 1e-6);
    ck_assert_float_eq(watch.training.weights[WEIGHT_Q].storage.f32[13], update->value[1]);
    check_says("in update 2:");
    check_says("size = sqrt(v) / sqrt(1 - beta2^t) + eps");
    check_says("     = sqrt(v) / sqrt(0.0396) + 1e-08 = ");
    char result[32]; // what is told last is the number that the training goes on with
    snprintf(result, sizeof result, " = %.9g", (double)update->value[1]);
    check_says(result);
    press("Tab");
    check_says("k_proj.weight, row 0");
    press("n");
    check_says("what head 0 looks at");
}

TEST(what_stands_is_measured_as_it_stands)
{
    steps(3);
    ck_assert_int_eq(watch.measured_at, 0); // while it runs, from time to time
    press("Space");
    ck_assert_int_eq(watch.measured_at, 3);
    press("s");
    ck_assert_int_eq(watch.measured_at, 4);
    check_says("at step 4");
}

// Keys that belong to no number do nothing meanwhile; the next update goes on from the new value. Going
// back brings the old one again.
TEST(a_weight_is_changed_by_hand_and_the_training_goes_on)
{
    float *weights = watch.training.weights[WEIGHT_OUT].storage.f32;
    steps(3);
    float before = weights[0];
    press("n");
    for (int i = 0; i < WEIGHT_OUT - WEIGHT_Q; i++)
        press("Tab");
    check_says("out_proj.weight, row 0");
    press("Enter");
    check_says("Enter sets it, Esc cancels");
    for (const char *key = "-2.5x7"; *key; key++) // x is of no number
        press((char[]){*key, '\0'});
    check_says("w = -2.57_");
    press("x");
    check_says("A number has only digits, the point, -, + and e");
    press("Backspace");
    press("s"); // likewise
    ck_assert_int_eq(watch.training.step, 3);
    ck_assert_float_eq(weights[0], before);
    press("Enter");
    ck_assert_float_eq(weights[0], -2.5f);
    check_says("Changed by hand");
    press("s");
    ck_assert_float_eq(watch.update.value[0], -2.5f);
    ck_assert_float_eq(watch.update.value[1], weights[0]);
    ck_assert(watch.training.by_hand); // steps do not undo it
    ck_assert_ptr_null(strstr(drawn(110, 34), "Changed by hand"));
    while (watch.keeps[watch.keep_chosen].state.step > 3)
        press("[");
    press("b");
    ck_assert_float_eq(weights[0], before);
    ck_assert(!watch.training.by_hand);
    check_is_like_one_that_never_left(3);
}

TEST(what_is_no_number_changes_no_weight)
{
    float before = watch.training.weights[WEIGHT_Q].storage.f32[0];
    static const struct {
        const char *typed, *said;
    } cases[] = {{"", "'' is not a number"},
                 {"-", "'-' is not a number"},
                 {"1e", "'1e' is not a number"},
                 {"1.2.3", "'1.2.3' is not a number"},
                 {"9e99", "A weight cannot be 9e99: float32 ends at 3.4e38"}};
    press("Enter"); // maps have no value to be typed
    ck_assert(!watch.types);
    press("n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        press("Enter");
        for (const char *key = cases[i].typed; *key; key++)
            press((char[]){*key, '\0'});
        press("Enter");
        ck_assert(watch.types);
        check_says(cases[i].said);
        press("Escape");
        ck_assert(!watch.types);
    }
    press("Enter");
    for (int i = 0; i < 100; i++)
        press("1");
    ck_assert_uint_eq(strlen(watch.typed), WATCH_TYPED_MAX);
    check_says("At most 16 characters fit");
    press("Escape");
    ck_assert_float_eq(watch.training.weights[WEIGHT_Q].storage.f32[0], before);
}

TEST(a_step_that_breaks_off_is_told_and_can_be_gone_back_from)
{
    finish();
    TrainingRecipe recipe = small_training();
    recipe.rate = 1e30f;
    begin(&recipe);
    steps(60);
    ck_assert_int_eq(watch.state, WATCH_BROKE_OFF);
    check_says("stopped");
    check_says("NaN; the learning rate is");
    check_says("b returns to step");
    int64_t broken = watch.training.step;
    char title[TRAINING_TEXT_MAX], expected[64];
    training_text_title(&watch, title);
    snprintf(expected, sizeof expected, "stopped in step %lld", (long long)broken + 1);
    ck_assert_ptr_nonnull(strstr(title, expected));
    ck_assert_ptr_null(strstr(title, "-nan"));
    press("s"); // nothing
    ck_assert_int_eq(watch.training.step, broken);
    while (watch.keep_chosen > 0)
        press("[");
    press("b");
    ck_assert_int_eq(watch.state, WATCH_PAUSED);
    ck_assert_int_eq(watch.training.step, 0);
    for (int i = 0; i < 60; i++)
        press("r");
    press("s");
    ck_assert_int_eq(watch.training.step, 1);
}

SUITE("training_screen")
