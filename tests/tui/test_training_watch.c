// A training as it is watched: what keys do to it, what is kept, and what the screen shows of it; without
// a terminal.
#include "screen.h"
#include "training_told.h"

#include "shown.h"
#include "suite.h"
#include "watched_training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    int64_t chosen = watch.keeps[watch.keep_chosen].step;
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

TEST(a_digit_takes_a_head_away_and_puts_it_back)
{
    steps(60);
    Measure whole = watch.measure;
    float weight = watch.training.weights[WEIGHT_OUT].storage.f32[5];
    press("1");
    check_says("head 1 away");
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
    while (watch.keeps[watch.keep_chosen].step > 3)
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
    char title[TOLD_BYTES], expected[64];
    training_told_title(&watch, title);
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

SUITE_WITH("training_watch", setup, finish)
