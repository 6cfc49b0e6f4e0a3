// Two trainings that are watched beside each other: their keys, their steps, and what the screen shows of
// them; without a terminal.
#include "screen.h"

#include "shown.h"
#include "small_training.h"
#include "suite.h"

#include <string.h>

static TrainingWatch sides[WATCH_SIDES];
static Cells cells;

static void begin(const TrainingRecipe *other)
{
    TrainingRecipe recipe = small_training();
    Error err = {.text = ""};
    ck_assert_msg(training_watch_open(sides, &recipe, &err) &&
                      training_watch_open_other(sides, &sides[1], other, &err),
                  "%s", err.text);
    sides[0].name = "the first";
    sides[1].name = "the second";
    ck_assert_msg(training_watch_begin(sides, &err), "%s", err.text);
}

static void finish(void)
{
    training_watch_close(sides);
    cells_finish(&cells);
}

static void begin_without_scale(void)
{
    TrainingRecipe other = small_training();
    other.unscaled = true;
    begin(&other);
}

// With a rate of 1000 the second step is not a number.
static void begin_breaking(void)
{
    TrainingRecipe other = small_training();
    other.rate = 1000.0f;
    begin(&other);
}

static void press(const char *key)
{
    Error err = {.text = ""};
    ck_assert_msg(training_watch_press(sides, key, &err), "%s", err.text);
}

static void frames(int count)
{
    Error err = {.text = ""};
    for (int i = 0; i < count; i++)
        ck_assert_msg(training_watch_frame(sides, &err), "%s", err.text);
}

static void check_steps(int first, int second)
{
    ck_assert_int_eq(sides[0].training.step, first);
    ck_assert_int_eq(sides[1].training.step, second);
}

static const char *drawn(int columns, int rows)
{
    Error err;
    ck_assert(cells_resize(&cells, columns, rows, &err));
    train_screen_draw(sides, &cells);
    return shown(&cells);
}

static void check_says(int columns, int rows, const char *text)
{
    const char *screen = drawn(columns, rows);
    ck_assert_msg(strstr(screen, text) != NULL, "no \"%s\" in:\n%s", text, screen);
}

// A frame of the first ten steps is one step.
TEST(every_key_is_for_both)
{
    begin_without_scale();
    frames(3);
    check_steps(3, 3);
    press("s");
    check_steps(4, 4);
    ck_assert(!training_watch_runs(sides));
    frames(1);
    check_steps(4, 4);
    press("1");
    ck_assert_uint_eq(sides[0].without, 2);
    ck_assert_uint_eq(sides[1].without, 2);
    press("Space");
    ck_assert(training_watch_runs(sides));
    press("q");
    ck_assert(sides[0].left);
}

// n and Enter, and the letter of Hangul that lies on n.
TEST(keys_of_one_parameter_do_nothing)
{
    static const char *const keys[] = {"n", "Enter", "\u315c", "Enter"};
    begin_without_scale();
    for (int key = 0; key < 4; key++) {
        press(keys[key]);
        for (int i = 0; i < WATCH_SIDES; i++) {
            ck_assert(!sides[i].shows_parameter);
            ck_assert(!sides[i].types);
        }
    }
}

// Of 60 steps every third is kept: 12 is chosen, and 9 before it.
TEST(both_go_back_to_the_chosen_step)
{
    begin_without_scale();
    for (int i = 0; i < 14; i++)
        press("s");
    ck_assert_int_eq(training_watch_back(sides), 12);
    press("[");
    check_says(110, 34, "b returns to step 10"); // where maps are kept, too
    press("[");
    check_says(110, 34, "b returns to step 9");
    press("b");
    check_steps(9, 9);
}

TEST(one_that_breaks_off_lets_the_other_go_on)
{
    begin_breaking();
    for (int i = 0; i < 5; i++)
        press("s");
    check_steps(5, 1);
    check_says(110, 34, "the second: step 2: the loss is infinite or NaN");
    check_says(110, 34, "two trainings  step 5 of 60");
    press("b");
    check_steps(0, 0);
    ck_assert(sides[1].state == WATCH_PAUSED);
}

// Three heads and eleven words: 33 rows, of which one has 1 and the others 0.25 at most. Their mean is
// (1 + 32 / 4) / 33 = 3 / 11.
TEST(the_largest_weight_of_a_row_is_a_mean)
{
    begin_without_scale();
    TrainingWatch *watch = &sides[1];
    ck_assert_int_eq(watch->sentences.texts[0].length, 11);
    ptrdiff_t row = GRAMMAR_LENGTH_MAX, head = row * GRAMMAR_LENGTH_MAX;
    memset(watch->now.weights, 0, (size_t)(3 * head) * sizeof(float));
    for (int h = 0; h < 3; h++)
        for (int at = 0; at < 11; at++)
            watch->now.weights[h * head + at * row + (at + h) % 11] = 0.25f;
    watch->now.weights[2 * head + 7 * row + 10] = 1.0f;
    ck_assert_double_eq_tol(training_watch_sharpness(watch), 3.0 / 11.0, 1e-12);
    check_says(110, 34, "row's largest weight 0.27");
}

// 80 x 24 has room for all words of the text, on both sides, and what is right.
TEST(a_small_screen_shows_whole_texts)
{
    begin_without_scale();
    const char *screen = drawn(80, 24);
    ck_assert_ptr_nonnull(strstr(screen, "the first"));
    ck_assert_ptr_nonnull(strstr(screen, "the second"));
    ck_assert_ptr_nonnull(strstr(screen, "mark    0."));
    ck_assert_ptr_nonnull(strstr(screen, "  head ")); // of each question its strongest
    ck_assert_ptr_nonnull(strstr(screen, ", without 0."));
    const char *word = strstr(screen, "singer");
    ck_assert_ptr_nonnull(word);
    ck_assert_ptr_nonnull(strstr(word + 1, "singer"));
    check_says(110, 34, "head 2");
    press("?");
    check_says(80, 24, "print the results of both");
    ck_assert_ptr_null(strstr(drawn(80, 24), "one parameter"));
}

TEST(any_size_can_be_drawn)
{
    begin_without_scale();
    frames(2);
    for (int columns = 1; columns < 120; columns += 7)
        for (int rows = 1; rows < 40; rows += 3)
            ck_assert_uint_gt(strlen(drawn(columns, rows)), 0);
}

SUITE_WITH("training_pair", NULL, finish)
