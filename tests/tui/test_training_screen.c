// What the screen of a training shows: its curve, its keys, its maps, and what it says; without a terminal.
#include "screen.h"

#include "shown.h"
#include "suite.h"
#include "watched_training.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

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
    check_says("chooses a checkpoint");
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
    check_says("layer2.q_proj.weight, row 0 of 12, column 0 of 12");
}

SUITE_WITH("training_screen", setup, finish)
