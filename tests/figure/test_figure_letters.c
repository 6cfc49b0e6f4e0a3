// Letters larger than usual: what they leave of a picture.
#include "drawn.h"

#include "suite.h"

static Drawn drawn;

// As drawn_draw, with letters that many times as large as usual.
static void draw_with_letters(int width, int height, double letters)
{
    FigurePaper paper = {.width = width,
                         .height = height,
                         .scale = letters,
                         .letters = letters,
                         .metrics = &font_metrics_usual,
                         .cache = drawn.cache,
                         .list = &drawn.list};
    ck_assert(figure_draw(&drawn.trace, &drawn.request, &paper, &drawn.figure, &drawn.err));
}

// Four digits of 8 pixels take 3 x 0.62 x 8 + 0.3 x 8 = 18 at most, and cells are wider.
TEST(larger_letters_leave_numbers_in_cells_that_can_hold_them)
{
    drawn_open_large(&drawn, 3, 11);
    for (double letters = 1.0; letters < 1.6; letters += 0.1) {
        draw_with_letters(1230, 770, letters);
        ck_assert_int_gt(drawn.figure.cell_width, 22);
        ck_assert_msg(drawn_part(&drawn, "0.07"), "letters %g", letters);
    }
    drawn_close(&drawn);
}

// Two pixels beside a number are enough of its cell to be seen.
TEST(a_number_is_in_a_cell_that_just_holds_it)
{
    int held = 0, needed = font_width(&font_metrics_usual, "-2.79", 9) + 4;
    drawn_open_large(&drawn, 3, 11)[3] = -2.787f;
    drawn.request.scale = FIGURE_SCALE_ALL;
    for (int width = 1000; width < 1500; width += 5) {
        draw_with_letters(width, 800, 1.0);
        if (drawn.figure.cell_width != needed)
            continue;
        held++;
        ck_assert_ptr_nonnull(drawn_text(&drawn, "-2.79"));
    }
    ck_assert_int_gt(held, 0);
    drawn_close(&drawn);
}

TEST(however_large_letters_are_nothing_is_lost_for_them)
{
    drawn_open_large(&drawn, 3, 11);
    drawn.request.has_cursor = true;
    for (int letters = 1; letters <= 8; letters++) {
        draw_with_letters(1230, 770, letters);
        ck_assert_ptr_nonnull(drawn_part(&drawn, "row sum"));       // of the read-out
        ck_assert_ptr_nonnull(drawn_text(&drawn, "7"));             // the word of row 7
        ck_assert_ptr_nonnull(drawn_text(&drawn, "fixed, 0 to 1")); // of the scale
    }
    drawn_close(&drawn);
}

SUITE("figure_letters")
